// `npm run size`: what the entries cost over the wire, against size-budget.json. Exit code 1 when over.
import "./node-version.mjs";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "./build.mjs";
import { main } from "./failure.mjs";
import { distDir, generatedDir, inRoot, root, targetDir } from "./paths.mjs";
import { setup } from "./setup.mjs";
import { writeWhole } from "./stamps.mjs";
import { table } from "./table.mjs";

await main(async () => {
  await setup("build");
  await build();
  const budgets = JSON.parse(readFileSync(inRoot("size-budget.json"), "utf8"));
  const measured = {
    wasm: readFileSync(join(generatedDir, "headway_bg.wasm")),
    "default entry": await bundle(join(distDir, "index.js")),
    "headway/agent": await bundle(join(distDir, "agent.js")),
    "headway/react-flow": await bundle(join(distDir, "react-flow.js")),
    "headway/socket": await bundle(join(distDir, "socket.js")),
  };
  const rows = Object.entries(measured).map(([entry, bytes]) => row(entry, bytes, budgets[entry] ?? {}));
  writeWhole(join(targetDir, "size", "report.json"), `${JSON.stringify(rows, null, 2)}\n`);
  console.log(table(["entry", "raw", "gzip", "brotli", "budget", ""], rows.map(printable)));
  return rows.every((each) => each.ok) ? 0 : 1;
});

/** As a production build makes it: one minified module, the WebAssembly inlined, packages of the host left out. */
async function bundle(entry) {
  const esbuild = createRequire(import.meta.url)("esbuild");
  const peers = JSON.parse(readFileSync(inRoot("pkg", "package.json"), "utf8")).peerDependencies ?? {};
  const result = await esbuild.build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    external: Object.keys(peers),
    legalComments: "none",
  });
  return result.outputFiles[0].contents;
}

function row(entry, bytes, budget) {
  const sizes = {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }).length,
  };
  const ok = Object.entries(budget).every(([form, limit]) => sizes[form] <= limit);
  return { entry, ...sizes, budget, ok };
}

function printable({ entry, raw, gzip, brotli, budget, ok }) {
  const limits = Object.entries(budget).map(([form, limit]) => `${form} ${kilobytes(limit)}`);
  return [entry, kilobytes(raw), kilobytes(gzip), kilobytes(brotli), limits.join(", ") || "none", ok ? "ok" : "OVER"];
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
