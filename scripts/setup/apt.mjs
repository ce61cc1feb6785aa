// Installs Debian packages, where there is apt and the user may; otherwise says which command to run.
import { Failure } from "../failure.mjs";
import { run, which } from "../process.mjs";

const WAIT_FOR_LOCK = ["-o", "DPkg::Lock::Timeout=120"];
const ENV = { DEBIAN_FRONTEND: "noninteractive" };

/**
 * @param {string[]} packages
 * @param {string} log file for the output
 * @param {string} otherwise what to do on a machine without apt, without the full stop
 */
export async function apt(packages, log, otherwise) {
  const byHand = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(" ")}`;
  if (which("apt-get") === undefined) throw new Failure(`${otherwise}.`);
  if (process.getuid?.() !== 0) throw new Failure(`${otherwise}; here, as root: ${byHand}`);
  const update = await run("apt-get", [...WAIT_FOR_LOCK, "update"], { log, env: ENV, seconds: 240 });
  const install = await run("apt-get", [...WAIT_FOR_LOCK, "install", "-y", "--no-install-recommends", ...packages], {
    log,
    env: ENV,
    seconds: 900,
  });
  if (install.code === 0) return;
  const reason =
    update.code === 0 ? "apt-get install failed" : "apt-get could reach no package archive (is this machine offline?)";
  throw new Failure(`${reason}: see ${log}, then run as root: ${byHand}`);
}
