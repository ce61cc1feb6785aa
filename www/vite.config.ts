import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** `npm run dev -w www` serves the page; the agent service (`npm run serve -w www`) has to run beside it. */
const service = process.env.HEADWAY_DEV_SERVICE ?? "http://127.0.0.1:4870";

export default defineConfig({
  base: "./",
  plugins: [react()],
  build: {
    // The policy of the page allows nothing inline, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The engine's WebAssembly is part of the one script, on purpose.
    chunkSizeWarningLimit: 1500,
  },
  server: {
    proxy: {
      "/api": { target: service, ws: true },
      "/config.json": { target: service },
    },
  },
});
