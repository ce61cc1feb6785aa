// Cargo for WebAssembly, by hand: `node scripts/wasm-cargo.mjs check --lib`. It picks the toolchain, the target and the
// target folder that the other scripts use. A first word that is no cargo command may be wasm-pack, rustc or env.
import "./node-version.mjs";
import { main } from "./failure.mjs";
import { run } from "./process.mjs";
import { WASM_TARGET, wasmEnv } from "./toolchain.mjs";

await main(async () => {
  const { env } = await wasmEnv();
  const words = process.argv.slice(2);
  const other = ["wasm-pack", "rustc", "env"].includes(words[0]);
  const [command, args] = other ? [words[0], words.slice(1)] : ["cargo", words];
  const { code } = await run(command, args, { env: other ? env : { ...env, CARGO_BUILD_TARGET: WASM_TARGET } });
  return code;
});
