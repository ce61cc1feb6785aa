// `npm run lint`: format, lints and types of everything, warnings denied. All checks run; it does not stop at the first.
import "./node-version.mjs";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { main } from "./failure.mjs";
import { inRoot, targetDir } from "./paths.mjs";
import { ask, run } from "./process.mjs";
import { setup } from "./setup.mjs";
import { WASM_TARGET, wasmEnv } from "./toolchain.mjs";

/** Runs every check. The package must have been built: types of the workbench and of the tests come from it. */
export async function lint() {
  const checks = [
    ...(await rustChecks()),
    ...typeChecks(),
    { name: "prettier", command: bin("prettier"), args: ["--check", "--log-level=warn", "."] },
  ];
  let failed = 0;
  for (const { name, command, args, env } of checks) {
    console.log(`· ${name}`);
    const { code, timedOut } = await run(command, args, { env, seconds: 600 });
    if (code === 0) continue;
    failed += 1;
    console.log(`✗ ${name}${timedOut ? " was ended after 10 minutes" : ""}`);
  }
  return { checks: checks.length, failed };
}

async function rustChecks() {
  const deny = ["--", "-D", "warnings"];
  return [
    { name: "cargo fmt", command: "cargo", args: ["fmt", "--check"] },
    { name: "clippy", command: "cargo", args: ["clippy", "--quiet", "--all-targets", ...deny] },
    await wasmCheck(deny),
  ];
}

/** Clippy has no driver for the toolchain made from Debian's packages: there the compiler's own warnings are denied. */
async function wasmCheck(deny) {
  const { toolchain, env } = await wasmEnv();
  const target = ["--quiet", "--target", WASM_TARGET];
  if (toolchain.kind === "path" && (await ask("cargo", ["clippy", "--version"])) !== undefined) {
    return {
      name: "clippy for WebAssembly",
      command: "cargo",
      args: ["clippy", ...target, "--lib", "--tests", ...deny],
      env,
    };
  }
  const flags = `${env.CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS} -D warnings`;
  const denied = {
    ...env,
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: flags,
    CARGO_TARGET_DIR: join(targetDir, "wasm-check"),
  };
  return {
    name: "cargo check for WebAssembly",
    command: "cargo",
    args: ["check", ...target, "--lib", "--tests"],
    env: denied,
  };
}

function typeChecks() {
  return ["pkg", "www", "tests"]
    .filter((folder) => existsSync(inRoot(folder, "tsconfig.json")))
    .map((folder) => ({ name: `tsc ${folder}`, command: bin("tsc"), args: ["--noEmit", "-p", folder] }));
}

const bin = (name) => inRoot("node_modules", ".bin", name);

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setup("build", "lint");
    await build();
    const { checks, failed } = await lint();
    console.log(
      failed === 0
        ? `✓ ${checks} checks`
        : `${failed} of ${checks} checks failed; \`npm run format\` mends the format.`,
    );
    return failed === 0 ? 0 : 1;
  });
}
