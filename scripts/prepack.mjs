// Before `npm pack` and `npm publish` in pkg/: the package must be built from what is in the repository now, and carries
// the licences and the README with it. `--clean`, afterwards, takes away the copies.
import "./node-version.mjs";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { build } from "./build.mjs";
import { Failure, main } from "./failure.mjs";
import { inRoot } from "./paths.mjs";
import { setup } from "./setup.mjs";

const COPIES = ["LICENSE-MIT", "LICENSE-APACHE", "README.md"];

await main(async () => {
  if (process.argv.includes("--clean")) {
    for (const name of COPIES) rmSync(inRoot("pkg", name), { force: true });
    return;
  }
  const absent = COPIES.find((name) => !existsSync(inRoot(name)));
  if (absent !== undefined) throw new Failure(`The package needs ${absent}, and the repository has none.`);
  await setup("build");
  await build();
  for (const name of COPIES) copyFileSync(inRoot(name), inRoot("pkg", name));
});
