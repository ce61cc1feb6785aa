// Tests of the npm package as a user gets it: built, imported by name, loaded by Node.js itself and not by Vite.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../../node_modules/.vite", import.meta.url)),
  test: {
    include: ["**/*.test.{ts,tsx}"],
    server: { deps: { external: [/\/pkg\/(dist|generated)\//] } },
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
