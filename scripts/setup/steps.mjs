// What Headway needs on a machine, as steps. A step is skipped when it is done. Steps of one lane run one after the
// other, lanes side by side: one mostly waits for the network, the other for the processor.
import { apt } from "./apt.mjs";
import { installCargoTool } from "./cargo-tool.mjs";
import { buildDebianToolchain } from "./debian-toolchain.mjs";
import { installPackages, packagesAreInstalled, wasmOptIsThere } from "./npm.mjs";
import { Failure } from "../failure.mjs";
import { inRoot } from "../paths.mjs";
import { ask, isProgram, run, which } from "../process.mjs";
import { readText } from "../stamps.mjs";
import * as toolchain from "../toolchain.mjs";
import { join } from "node:path";

/**
 * @typedef {object} Step
 * @property {string} id
 * @property {string} title what the reader sees
 * @property {string} [usually] how long it takes; a step without can only say what is missing
 * @property {"network" | "processor"} lane
 * @property {() => boolean | Promise<boolean>} isDone
 * @property {(log: string) => void | Promise<void>} work throws a Failure that says what to do
 */

/** @type {Step[]} */
export const steps = [
  {
    id: "rust",
    title: "Rust",
    lane: "network",
    isDone: async () =>
      isAtLeast((await toolchain.rustcFacts())?.release, minimumRust()) && which("cargo") !== undefined,
    work: async () => {
      const release = (await toolchain.rustcFacts())?.release;
      const found = release ? `this is ${release}` : "`cargo` and `rustc` are not on PATH";
      throw new Failure(
        `Headway needs Rust ${minimumRust()} or newer, and ${found}. Install or update it with rustup, then run the command again.`,
      );
    },
  },
  {
    id: "npm",
    title: "npm packages",
    // SQLite is compiled where its prebuilt form cannot be had.
    usually: "20 s to 2 min",
    lane: "network",
    isDone: packagesAreInstalled,
    work: installPackages,
  },
  {
    id: "wasm-opt",
    title: "wasm-opt (from the npm package binaryen)",
    lane: "network",
    isDone: wasmOptIsThere,
    work: () => {
      throw new Failure("node_modules has no wasm-opt: delete the folder node_modules and run the command again.");
    },
  },
  {
    id: "wasm-target",
    title: "a Rust compiler for WebAssembly",
    usually: "10 s by rustup, 2 min by Debian's packages",
    lane: "network",
    isDone: async () => (await toolchain.wasmToolchain()) !== undefined,
    work: async (log) => {
      if (await addTargetByRustup(log)) return;
      await buildDebianToolchain(log);
    },
  },
  {
    id: "browser",
    title: "Chromium and chromedriver",
    usually: "40 s",
    lane: "network",
    isDone: () => toolchain.findChromium() !== undefined && toolchain.findChromedriver() !== undefined,
    work: async (log) => {
      for (const name of ["CHROME_PATH", "CHROMEDRIVER"]) {
        const given = process.env[name];
        if (given && !isProgram(given))
          throw new Failure(`${name} is ${given}, and no program is there: correct or unset it.`);
      }
      await apt(
        ["chromium", "chromium-driver"],
        log,
        "The browser tests need Chromium and its chromedriver. Install both and put them on PATH, or name them in CHROME_PATH and CHROMEDRIVER",
      );
    },
  },
  {
    id: "redis",
    title: "Redis server, for the tests of several replicas",
    usually: "20 s",
    lane: "network",
    isDone: () => toolchain.findRedisServer() !== undefined,
    work: async (log) => {
      const given = process.env.REDIS_SERVER;
      if (given && !isProgram(given))
        throw new Failure(`REDIS_SERVER is ${given}, and no program is there: correct or unset it.`);
      await apt(
        ["redis-server"],
        log,
        "The tests of several replicas need a Redis server. Install one and put redis-server on PATH, or name it in REDIS_SERVER",
      );
    },
  },
  {
    id: "wasm-bindgen",
    title: "wasm-bindgen (must equal the crate's version)",
    usually: "2 to 4 min",
    lane: "processor",
    isDone: async () => isProgram(join(toolchain.wasmBindgenDir(), "bin", "wasm-bindgen")),
    work: (log) =>
      installCargoTool({
        crate: "wasm-bindgen-cli",
        version: toolchain.wasmBindgenVersion(),
        // Its own lock file names dependencies that were withdrawn from the registry: resolve afresh.
        locked: false,
        folder: toolchain.wasmBindgenDir(),
        log,
      }),
  },
  {
    id: "wasm-pack",
    title: "wasm-pack (runs the crate's tests in a browser)",
    usually: "2 min",
    lane: "processor",
    isDone: () => isProgram(join(toolchain.wasmPackDir(), "bin", "wasm-pack")),
    work: (log) =>
      installCargoTool({
        crate: "wasm-pack",
        version: toolchain.WASM_PACK_VERSION,
        locked: true,
        folder: toolchain.wasmPackDir(),
        log,
      }),
  },
];

/** Step ids by purpose. */
export const needs = {
  build: ["rust", "npm", "wasm-opt", "wasm-target", "wasm-bindgen"],
  rust: ["rust"],
  js: ["browser", "redis"],
  browser: ["rust", "wasm-target", "wasm-bindgen", "wasm-pack", "browser"],
  e2e: ["browser", "redis"],
  lint: ["rust", "npm", "wasm-target", "wasm-bindgen"],
};

/** On a closed network rustup does not refuse, it hangs: hence the limit. */
async function addTargetByRustup(log) {
  if (process.env.HEADWAY_WASM_TOOLCHAIN === "debian" || which("rustup") === undefined) return false;
  if ((await ask("rustup", ["show", "active-toolchain"])) === undefined) return false;
  const { code } = await run("rustup", ["target", "add", toolchain.WASM_TARGET], { seconds: 20, log });
  return code === 0 && (await toolchain.wasmToolchain()) !== undefined;
}

function minimumRust() {
  return /^rust-version = "([^"]+)"/m.exec(readText(inRoot("Cargo.toml")) ?? "")?.[1] ?? "1.85";
}

function isAtLeast(version, minimum) {
  if (version === undefined) return false;
  const [have, want] = [version, minimum].map((text) => text.split(".").map((part) => Number.parseInt(part, 10)));
  return have[0] > want[0] || (have[0] === want[0] && have[1] >= want[1]);
}
