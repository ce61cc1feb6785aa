// The workbench's page to www/dist.
import { Failure } from "../failure.mjs";
import { distDir, inRoot } from "../paths.mjs";
import { run } from "../process.mjs";
import { filesUnder, hashOf, whenStale } from "../stamps.mjs";

/** Builds www/dist when its sources or the package have changed. */
export async function buildWorkbench() {
  const built = filesUnder(...["index.js", "loader.js"].map((name) => `${distDir}/${name}`));
  const hash = hashOf([
    ...filesUnder(inRoot("www")),
    ...filesUnder(inRoot("pkg", "src")),
    inRoot("package-lock.json"),
    ...built,
  ]);
  const outputs = [inRoot("www", "dist", "index.html")];
  return whenStale({ name: "workbench", hash, outputs }, async () => {
    console.log("· building the workbench …");
    const { code } = await run("npm", ["run", "--silent", "build", "-w", "www"], { seconds: 300 });
    if (code !== 0) throw new Failure("The workbench does not build: see above.");
    console.log("✓ www/dist");
  });
}
