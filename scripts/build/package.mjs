// The hand-written TypeScript of the package to pkg/dist.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../failure.mjs";
import { distDir, generatedDir, inRoot } from "../paths.mjs";
import { run } from "../process.mjs";
import { filesUnder, hashOf, whenStale } from "../stamps.mjs";

/** Builds pkg/dist when its sources or the declarations of the generated module have changed. */
export async function buildPackage() {
  const declarations = ["headway.d.ts", "wasm-inline.d.ts"].map((name) => join(generatedDir, name));
  const configuration = ["pkg/tsconfig.json", "pkg/package.json", "package-lock.json"].map((name) => inRoot(name));
  const hash = hashOf([...filesUnder(inRoot("pkg", "src"), ...configuration), ...declarations]);
  const outputs = ["index.js", "index.d.ts", "loader.js"].map((name) => join(distDir, name));
  return whenStale({ name: "package", hash, outputs }, async () => {
    console.log("· compiling the package …");
    rmSync(distDir, { recursive: true, force: true });
    const { code } = await run(inRoot("node_modules", ".bin", "tsc"), ["-p", "pkg"], { seconds: 300 });
    if (code !== 0) throw new Failure("The package does not compile: see above.");
    console.log("✓ pkg/dist");
  });
}
