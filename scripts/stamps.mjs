// Skips work whose inputs have not changed: a stamp is the hash of the inputs at the last success.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root, targetDir } from "./paths.mjs";

const SKIPPED = new Set(["node_modules", "dist", "generated", "target", "data", ".git"]);

/** All files at or under the given paths, sorted; a missing path adds none. */
export function filesUnder(...paths) {
  return paths.flatMap((path) => {
    const entries = listing(path);
    if (entries === undefined) return existsSync(path) ? [path] : [];
    return entries
      .filter((entry) => !SKIPPED.has(entry.name))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => filesUnder(join(path, entry.name)));
  });
}

/** One hash over the names and contents of files and over some plain words (versions, flags). */
export function hashOf(files, words = []) {
  const hash = createHash("sha256");
  for (const word of words) hash.update(`${word}\0`);
  for (const file of files) {
    hash.update(`${relative(root, file)}\0`);
    hash.update(readFileSync(file));
    hash.update("\0");
  }
  return hash.digest("hex");
}

/**
 * Does `work` unless its inputs are those of the last success and its outputs are still there.
 * @returns {Promise<boolean>} whether it had to be done
 */
export async function whenStale({ name, hash, outputs }, work) {
  const stamp = join(targetDir, "stamps", name);
  if (outputs.every((file) => existsSync(file)) && readText(stamp) === hash) return false;
  rmSync(stamp, { force: true });
  await work();
  writeWhole(stamp, hash);
  return true;
}

/** Writes a file that is never seen half written. */
export function writeWhole(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  const partial = `${file}.partial-${process.pid}`;
  writeFileSync(partial, text);
  renameSync(partial, file);
}

/** The text of a file, or undefined. */
export function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function listing(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return undefined;
  }
}
