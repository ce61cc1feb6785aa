// `npm run fuzz -- --seconds N`: the crate's own fuzzer, examples/fuzz.rs, in a release build that checks its arithmetic. Every word is passed on.
import "./node-version.mjs";
import { main } from "./failure.mjs";
import { run } from "./process.mjs";
import { setup } from "./setup.mjs";

await main(async () => {
  await setup("rust");
  const { code } = await run("cargo", [
    "run",
    "--profile",
    "fuzz",
    "--example",
    "fuzz",
    "--",
    ...process.argv.slice(2),
  ]);
  return code;
});
