// `npm run format`: puts everything into the form that `npm run lint` asks for.
import "./node-version.mjs";
import { main } from "./failure.mjs";
import { inRoot } from "./paths.mjs";
import { run } from "./process.mjs";
import { setup } from "./setup.mjs";

await main(async () => {
  await setup("lint");
  const rust = await run("cargo", ["fmt"]);
  const rest = await run(inRoot("node_modules", ".bin", "prettier"), ["--write", "--log-level=warn", "."]);
  return Math.max(rust.code, rest.code);
});
