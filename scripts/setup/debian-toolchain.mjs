// A Rust toolchain for WebAssembly out of Debian's packages, for machines where rustup cannot fetch its target: Debian's
// compiler has the back end and the library's sources, so the standard library is built here, once per compiler.
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { apt } from "./apt.mjs";
import { Failure } from "../failure.mjs";
import { ask, run } from "../process.mjs";
import { DEBIAN_RUSTC, WASM_TARGET, debianToolchainDir, remapFlags, rustcFacts } from "../toolchain.mjs";

const DEBIAN_CARGO = "/usr/bin/cargo";
const SOURCES = "/usr/lib/rustlib/src/rust/library/Cargo.toml";
const OTHERWISE = `No Rust compiler here can build for WebAssembly: run \`rustup target add ${WASM_TARGET}\``;

export async function buildDebianToolchain(log) {
  if (process.platform !== "linux") throw new Failure(`${OTHERWISE}.`);
  if (![DEBIAN_RUSTC, DEBIAN_CARGO, SOURCES].every((file) => existsSync(file))) {
    await apt(["rustc-web", "cargo-web", "rust-web-src"], log, OTHERWISE);
  }
  const folder = await debianToolchainDir();
  if (folder === undefined) throw new Failure(`${DEBIAN_RUSTC} does not run: see ${log}. ${OTHERWISE}.`);
  const facts = await rustcFacts(DEBIAN_RUSTC);
  const linker = await findLinker(facts, log);
  const partial = `${folder}.partial-${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  try {
    const crate = emptyCrate(join(partial, "crate"));
    await buildStandardLibrary(crate, log);
    assemble(partial, crate, facts.host, linker);
    await proveThatItLinks(partial, crate, log);
    rmSync(crate, { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

/** rustup's own linker when its LLVM is no older than the compiler's, else Debian's lld of the same LLVM. */
async function findLinker({ llvm, host }, log) {
  const major = Number.parseInt(llvm, 10);
  const own = await rustcFacts();
  const sysroot = await ask("rustc", ["--print", "sysroot"]);
  const bundled = sysroot && join(sysroot, "lib/rustlib", host, "bin/rust-lld");
  if (bundled && existsSync(bundled) && Number.parseInt(own?.llvm ?? "0", 10) >= major) return bundled;
  const packaged = `/usr/lib/llvm-${major}/bin/lld`;
  if (!existsSync(packaged)) await apt([`lld-${major}`], log, OTHERWISE);
  return packaged;
}

function emptyCrate(folder) {
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(
    join(folder, "Cargo.toml"),
    '[package]\nname = "empty"\nversion = "0.0.0"\nedition = "2021"\n[lib]\ncrate-type = ["cdylib", "rlib"]\n[profile.release]\npanic = "abort"\n[workspace]\n',
  );
  writeFileSync(
    join(folder, "src/lib.rs"),
    '#[no_mangle]\npub extern "C" fn answer() -> usize { std::env::args().count() + 42 }\n',
  );
  return folder;
}

async function buildStandardLibrary(crate, log) {
  const args = [
    "rustc",
    "--lib",
    "--crate-type",
    "rlib",
    "--release",
    "--target",
    WASM_TARGET,
    "-Zbuild-std=std,panic_abort,test",
  ];
  // Without the bitcode, link-time optimisation of a crate with this library fails.
  const flags = `-Cembed-bitcode=yes ${remapFlags({ "/usr/lib/rustlib/src/rust": "rust", "/usr/src": "rust" })}`;
  const env = {
    RUSTFLAGS: flags,
    RUSTC_BOOTSTRAP: "1",
    RUSTC: DEBIAN_RUSTC,
    RUSTDOC: undefined,
    CARGO_TARGET_DIR: join(crate, "target"),
  };
  const { code } = await run(DEBIAN_CARGO, args, { cwd: crate, log, seconds: 900, env });
  if (code !== 0)
    throw new Failure(
      `Building Rust's standard library for WebAssembly failed: see ${log}. ${OTHERWISE} if this machine can reach rustup's servers.`,
    );
}

function assemble(folder, crate, host, linker) {
  const library = join(folder, "lib/rustlib", WASM_TARGET, "lib");
  const hostDir = join(folder, "lib/rustlib", host);
  const built = join(crate, "target", WASM_TARGET, "release/deps");
  for (const made of [library, join(hostDir, "bin"), join(folder, "bin")]) mkdirSync(made, { recursive: true });
  for (const name of readdirSync(built)) {
    if (/^lib.*\.(rlib|rmeta)$/.test(name) && !name.startsWith("libempty"))
      cpSync(join(built, name), join(library, name));
  }
  symlinkSync(join("/usr/lib/rustlib", host, "lib"), join(hostDir, "lib"));
  symlinkSync(linker, join(hostDir, "bin/rust-lld"));
  for (const name of ["rustc", "rustdoc"]) {
    script(folder, name, `exec ${join(dirname(DEBIAN_RUSTC), name)} --sysroot "\${0%/*}/.." "$@"`);
  }
  script(folder, "cargo", `RUSTC="\${0%/*}/rustc" RUSTDOC="\${0%/*}/rustdoc" exec ${DEBIAN_CARGO} "$@"`);
}

function script(folder, name, line) {
  writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
}

async function proveThatItLinks(folder, crate, log) {
  const cargo = join(folder, "bin/cargo");
  const args = ["rustc", "--lib", "--crate-type", "cdylib", "--release", "--target", WASM_TARGET];
  // What was built with another standard library is not noticed by cargo: a target folder of its own.
  const env = { CARGO_TARGET_DIR: join(crate, "proof"), CARGO_PROFILE_RELEASE_LTO: "fat", RUSTFLAGS: "" };
  const { code } = await run(cargo, args, { cwd: crate, log, seconds: 300, env });
  const module = join(crate, "proof", WASM_TARGET, "release/empty.wasm");
  if (code !== 0 || !existsSync(module))
    throw new Failure(
      `The toolchain from Debian's packages cannot link a module: see ${log}. ${OTHERWISE} if this machine can reach rustup's servers.`,
    );
}
