// The crate to pkg/generated: compile, bind, optimise, and inline the bytes for the default entry.
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeInlineModule } from "./inline.mjs";
import { Failure } from "../failure.mjs";
import { generatedDir, inRoot, wasmTargetDir } from "../paths.mjs";
import { run } from "../process.mjs";
import { filesUnder, hashOf, whenStale } from "../stamps.mjs";
import { WASM_TARGET, wasmBindgenVersion, wasmEnv } from "../toolchain.mjs";

/** What wasm-opt optimises for: -O3 speed, -Os size. */
const OPTIMISE = "-O3";
const FEATURES = [
  "simd",
  "bulk-memory",
  "nontrapping-float-to-int",
  "sign-ext",
  "mutable-globals",
  "reference-types",
  "multivalue",
];
const OUTPUTS = ["headway.js", "headway.d.ts", "headway_bg.wasm", "wasm-inline.js", "wasm-inline.d.ts"];

/** Builds pkg/generated when the crate or a tool has changed. @returns {Promise<boolean>} whether it was built */
export async function buildWasm() {
  const { toolchain, env } = await wasmEnv();
  const sources = filesUnder(
    inRoot("src"),
    inRoot("Cargo.toml"),
    inRoot("Cargo.lock"),
    inRoot(".cargo"),
    inRoot("scripts", "build"),
  );
  const words = [toolchain.id, wasmBindgenVersion(), process.env.RUSTFLAGS ?? ""];
  const outputs = OUTPUTS.map((name) => join(generatedDir, name));
  return whenStale({ name: "wasm", hash: hashOf(sources, words), outputs }, async () => {
    const started = Date.now();
    console.log("· compiling the crate for WebAssembly …");
    const staging = `${generatedDir}.partial-${process.pid}`;
    rmSync(staging, { recursive: true, force: true });
    mkdirSync(staging, { recursive: true });
    try {
      await compile(env);
      await bind(env, staging);
      await optimise(env, staging);
      writeInlineModule(readFileSync(join(staging, "headway_bg.wasm")), staging);
      rmSync(generatedDir, { recursive: true, force: true });
      renameSync(staging, generatedDir);
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
    console.log(`✓ pkg/generated (${Math.round((Date.now() - started) / 1000)} s)`);
  });
}

/** As a `cdylib` alone: cargo runs no link-time optimisation on a library that is an `rlib` too. */
async function compile(env) {
  const args = ["rustc", "--lib", "--crate-type", "cdylib", "--release", "--target", WASM_TARGET];
  const { code } = await run("cargo", args, { env, seconds: 1200 });
  if (code !== 0) throw new Failure("The crate does not compile for WebAssembly: see above.");
}

async function bind(env, folder) {
  const module = join(wasmTargetDir, WASM_TARGET, "release", "headway.wasm");
  // Without a default path no bundler copies the .wasm beside a build that has it inlined already.
  const args = [module, "--target", "web", "--out-name", "headway", "--out-dir", folder, "--omit-default-module-path"];
  const { code } = await run("wasm-bindgen", args, { env, seconds: 300 });
  if (code !== 0) throw new Failure("wasm-bindgen failed: see above.");
}

async function optimise(env, folder) {
  const module = join(folder, "headway_bg.wasm");
  const args = [
    module,
    OPTIMISE,
    ...FEATURES.map((name) => `--enable-${name}`),
    "--strip-debug",
    "--strip-producers",
    "-o",
    `${module}.opt`,
  ];
  const { code } = await run("wasm-opt", args, { env, seconds: 600 });
  if (code !== 0) throw new Failure("wasm-opt failed: see above.");
  renameSync(`${module}.opt`, module);
}
