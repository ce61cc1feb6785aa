// Where things are: the repository, what is built in it, and the cache that survives `git clean`.
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(fileURLToPath(new URL("..", import.meta.url)));
export const inRoot = (...parts) => join(root, ...parts);

/** Cargo's target folder for native work; CARGO_TARGET_DIR moves it as it does for cargo itself. */
export const targetDir = process.env.CARGO_TARGET_DIR ? resolve(root, process.env.CARGO_TARGET_DIR) : inRoot("target");
/** WebAssembly work has its own: another compiler may build it, and neither waits for the other's lock. */
export const wasmTargetDir = join(targetDir, "wasm");

export const generatedDir = inRoot("pkg", "generated");
export const distDir = inRoot("pkg", "dist");

/** Tools that were built on this machine, in folders named by their versions. */
export const cacheDir = process.env.HEADWAY_CACHE
  ? resolve(process.env.HEADWAY_CACHE)
  : join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "headway");

/** PATH with some folders in front. */
export const pathWith = (...folders) => [...folders, process.env.PATH ?? ""].filter(Boolean).join(delimiter);
