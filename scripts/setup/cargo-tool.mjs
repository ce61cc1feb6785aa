// Builds a command line tool with `cargo install` into a folder of the cache, under its final name only when whole.
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { Failure } from "../failure.mjs";
import { run } from "../process.mjs";

/** @param {{crate: string, version: string, locked: boolean, folder: string, log: string}} tool */
export async function installCargoTool({ crate, version, locked, folder, log }) {
  const partial = `${folder}.partial-${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  const args = ["install", crate, "--version", version, "--root", partial, ...(locked ? ["--locked"] : [])];
  // Half the time of a full optimisation, for tools that run for a second. A RUSTFLAGS or a target that is meant for
  // the project has no place in a tool.
  const { code, timedOut } = await run("cargo", args, {
    log,
    seconds: 1200,
    cwd: dirname(folder),
    env: {
      RUSTFLAGS: "",
      CARGO_BUILD_TARGET: undefined,
      CARGO_PROFILE_RELEASE_OPT_LEVEL: "1",
      CARGO_PROFILE_RELEASE_LTO: "off",
    },
  });
  if (code !== 0) {
    rmSync(partial, { recursive: true, force: true });
    const reason = timedOut ? "took more than 20 minutes" : "failed (is this machine offline?)";
    throw new Failure(
      `cargo install ${crate} ${reason}: see ${log}, then run the command again. By hand: cargo ${args.join(" ").replace(partial, folder)}`,
    );
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(partial, folder);
}
