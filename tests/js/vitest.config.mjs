// Tests of the npm package as a user gets it: built and imported by name. In Node.js, loaded by Node.js itself and not by
// Vite; and the same files once more in a headless Chromium, but for those that need Node.js.
import { fileURLToPath } from "node:url";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { args, executablePath } from "../chromium.ts";

/** They start a server, read files, start a process, or compare with what Node.js has for it. */
const NODE_ONLY = ["agent-*", "package", "react-flow-*", "readme", "recorded"].map((name) => `${name}.test.ts`);

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../../node_modules/.vite", import.meta.url)),
  test: {
    testTimeout: 20_000,
    hookTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: "node",
          include: ["**/*.test.ts"],
          server: { deps: { external: [/\/pkg\/(dist|generated)\//] } },
        },
      },
      {
        extends: true,
        // The package comes as it is; what it imports from others is told here, since it would be found too late and the page be loaded again.
        optimizeDeps: { exclude: ["headway"], include: ["@xyflow/react", "fast-check", "yjs"] },
        server: { fs: { allow: ["../.."] } },
        test: {
          name: "chromium",
          include: ["**/*.test.ts"],
          exclude: NODE_ONLY,
          // All in one page after another costs less than a page for each at once, on two processors.
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
      },
    ],
  },
});
