// Tests of the npm package as a user gets it: built and imported by name. In Node.js, loaded by Node.js itself and not by
// Vite; the same files once more in a headless Chromium, but for those that need Node.js; and those about live documents in
// both places once more with @y/y 14 in place of yjs 13.
import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { args, executablePath } from "../chromium.ts";

/** They start a server, read files, start a process, or compare with what Node.js has for it. */
const NODE_ONLY = ["agent-*", "canvases", "package", "react-flow-*", "readme", "recorded", "socket"].map(
  (name) => `${name}.test.ts`,
);

/** With a document of yjs in them. */
const ON_DOCUMENTS = ["yjs*.test.ts", "manual-edits.test.ts", "normalize.test.ts"];

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** "yjs" is another package then, and so is what Headway has for it. */
const Y14 = {
  alias: [
    { find: /^yjs$/, replacement: here("yjs14.ts") },
    { find: /^headway\/yjs$/, replacement: "headway/y" },
  ],
};

const node = (name, { alias = [], include = ["**/*.test.ts"] } = {}) => ({
  extends: true,
  resolve: { alias },
  test: { name, include, server: { deps: { external: [/\/pkg\/(dist|generated)\//] } } },
});

const chromium = (name, { alias = [], include = ["**/*.test.ts"] } = {}) => ({
  extends: true,
  resolve: { alias },
  // The package comes as it is; what it imports from others is told here, since it would be found too late and the page be loaded again.
  optimizeDeps: { exclude: ["headway"], include: ["@xyflow/react", "@y/y", "fast-check", "yjs"] },
  server: { fs: { allow: ["../.."] } },
  test: {
    name,
    include,
    exclude: NODE_ONLY,
    // One after the other costs less than a page for each at once, on two processors.
    fileParallelism: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      api: { host: "127.0.0.1" },
      provider: playwright({ launchOptions: { executablePath, args } }),
      instances: [{ browser: "chromium" }],
    },
  },
});

export default defineConfig({
  root: here("."),
  cacheDir: here("../../node_modules/.vite"),
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    projects: [
      node("node"),
      node("node, @y/y 14", { ...Y14, include: ON_DOCUMENTS }),
      chromium("chromium"),
      chromium("chromium, @y/y 14", { ...Y14, include: ON_DOCUMENTS }),
    ],
  },
});
