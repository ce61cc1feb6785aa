// `npm run build`: the npm package, from the crate and from its TypeScript; only what has changed.
import "./node-version.mjs";
import { pathToFileURL } from "node:url";
import { buildPackage } from "./build/package.mjs";
import { buildWasm } from "./build/wasm.mjs";
import { main } from "./failure.mjs";
import { setup } from "./setup.mjs";

/** Builds the npm package with what is on this machine. */
export async function build() {
  const wasm = await buildWasm();
  const typescript = await buildPackage();
  if (!wasm && !typescript) console.log("✓ The package is up to date.");
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setup("build");
    await build();
  });
}
