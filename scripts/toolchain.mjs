// Which tools this checkout uses: compiler for WebAssembly, wasm-bindgen, wasm-opt, browser, Redis. It only looks;
// the steps in setup/ bring what is missing.
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Failure } from "./failure.mjs";
import { cacheDir, inRoot, pathWith, wasmTargetDir } from "./paths.mjs";
import { ask, isProgram, which } from "./process.mjs";
import { readText } from "./stamps.mjs";

export const WASM_TARGET = "wasm32-unknown-unknown";
export const WASM_PACK_VERSION = "0.15.1";

/** Debian's compiler that has the WebAssembly back end; its packages put it here. */
export const DEBIAN_RUSTC = "/usr/bin/rustc";

/** What `rustc -vV` says, as a record; undefined when there is no such program. */
export async function rustcFacts(rustc = "rustc") {
  const text = await ask(rustc, ["-vV"]);
  if (text === undefined) return undefined;
  const facts = Object.fromEntries(text.split("\n").map((line) => line.split(": ")));
  return {
    release: facts.release,
    host: facts.host,
    commit: (facts["commit-hash"] ?? "").slice(0, 9),
    llvm: facts["LLVM version"],
  };
}

/** The version of wasm-bindgen that Cargo.lock settled on: the command line tool must be of the same. */
export function wasmBindgenVersion() {
  const version = /name = "wasm-bindgen"\nversion = "([^"]+)"/.exec(readText(inRoot("Cargo.lock")) ?? "")?.[1];
  if (version === undefined)
    throw new Failure("Cargo.lock names no wasm-bindgen: run `cargo generate-lockfile` and try again.");
  return version;
}

export const wasmBindgenDir = () => join(cacheDir, `wasm-bindgen-${wasmBindgenVersion()}`);
export const wasmPackDir = () => join(cacheDir, `wasm-pack-${WASM_PACK_VERSION}`);

/**
 * The toolchain that can build for WebAssembly: the one on PATH when it has the target, else the folder made from
 * Debian's packages. HEADWAY_WASM_TOOLCHAIN=path or =debian leaves only that one.
 * @returns {Promise<{kind: "path" | "debian", id: string, bin?: string} | undefined>}
 */
export async function wasmToolchain() {
  const wanted = process.env.HEADWAY_WASM_TOOLCHAIN;
  if (wanted !== "debian") {
    const library = await ask("rustc", ["--print", "target-libdir", "--target", WASM_TARGET]);
    if (library !== undefined && hasCore(library)) {
      const { release, commit } = await rustcFacts();
      return { kind: "path", id: `${release}-${commit}` };
    }
  }
  if (wanted !== "path") {
    const folder = await debianToolchainDir();
    const parts =
      folder === undefined ? [] : ["bin/cargo", "bin/rustc", "bin/rustdoc"].map((name) => join(folder, name));
    const { host } = (await rustcFacts(DEBIAN_RUSTC)) ?? {};
    if (
      folder &&
      parts.every(isProgram) &&
      hasCore(join(folder, "lib/rustlib", WASM_TARGET, "lib")) &&
      existsSync(join(folder, "lib/rustlib", host, "bin/rust-lld"))
    ) {
      return { kind: "debian", id: folder.slice(cacheDir.length + 1), bin: join(folder, "bin") };
    }
  }
  return undefined;
}

/** Where the toolchain made from Debian's compiler lies, or will; undefined without that compiler. */
export async function debianToolchainDir() {
  const facts = await rustcFacts(DEBIAN_RUSTC);
  return facts && join(cacheDir, `wasm-toolchain-${facts.release}-${facts.commit}`);
}

/**
 * The environment in which cargo, wasm-pack, wasm-bindgen and wasm-opt work for WebAssembly.
 * Paths of this machine are kept out of what is built: panic messages would carry them into the package.
 */
export async function wasmEnv() {
  const toolchain = await wasmToolchain();
  if (toolchain === undefined)
    throw new Failure("No Rust compiler here can build for WebAssembly: run `node scripts/setup.mjs` first.");
  const folders = [
    toolchain.bin,
    join(wasmBindgenDir(), "bin"),
    join(wasmPackDir(), "bin"),
    inRoot("node_modules", ".bin"),
  ];
  return {
    toolchain,
    env: {
      PATH: pathWith(...folders),
      CARGO_TARGET_DIR: wasmTargetDir,
      // Text is compared and skipped 16 bytes at a time; every browser since 2023 has the instructions.
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: `${remapFlags({ [inRoot()]: "headway" })} -Ctarget-feature=+simd128`,
    },
  };
}

/** Compiler flags that replace folders by words. Flags are split at spaces: a folder that has one stays as it is. */
export function remapFlags(words) {
  const cargoHome = process.env.CARGO_HOME || join(homedir(), ".cargo");
  return Object.entries({ [cargoHome]: "cargo", ...words })
    .filter(([folder]) => !folder.includes(" "))
    .map(([folder, word]) => `--remap-path-prefix=${folder}=${word}`)
    .join(" ");
}

/** Chromium or Chrome: CHROME_PATH first, then PATH. */
export function findChromium() {
  return found(process.env.CHROME_PATH, [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
  ]);
}

/** The driver that belongs to it: CHROMEDRIVER first, then PATH. */
export function findChromedriver() {
  return found(process.env.CHROMEDRIVER, ["chromedriver"]);
}

/** The server of Redis: REDIS_SERVER first, then PATH. */
export function findRedisServer() {
  return found(process.env.REDIS_SERVER, ["redis-server"]);
}

function found(given, names) {
  if (given) return isProgram(given) ? given : undefined;
  for (const name of names) {
    const file = which(name);
    if (file !== undefined) return file;
  }
  return undefined;
}

function hasCore(library) {
  return existsSync(library) && readdirSync(library).some((name) => /^libcore-.*\.rlib$/.test(name));
}
