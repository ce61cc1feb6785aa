// The npm packages: installed from package-lock.json, again only when that file has changed.
import { existsSync } from "node:fs";
import { inRoot } from "../paths.mjs";
import { Failure } from "../failure.mjs";
import { run } from "../process.mjs";
import { hashOf, readText, writeWhole } from "../stamps.mjs";

const lockFile = inRoot("package-lock.json");
const stamp = inRoot("node_modules", ".headway-lock");

export function packagesAreInstalled() {
  return existsSync(lockFile) && readText(stamp) === hashOf([lockFile]);
}

export async function installPackages(log) {
  const command = existsSync(lockFile) ? "ci" : "install";
  const { code, missing, timedOut } = await run("npm", [command, "--no-audit", "--no-fund"], { log, seconds: 600 });
  if (missing) throw new Failure("npm is not on PATH: install it together with Node.js, then run the command again.");
  if (code !== 0) {
    const reason = timedOut ? "took more than 10 minutes" : "failed";
    throw new Failure(
      `npm ${command} ${reason}: see ${log}. When it says that package.json and package-lock.json differ, run \`npm install\` and commit the lock file; when it cannot reach the registry, go online and run the command again.`,
    );
  }
  writeWhole(stamp, hashOf([lockFile]));
}

export function wasmOptIsThere() {
  return existsSync(inRoot("node_modules", ".bin", "wasm-opt"));
}
