// Brings what is missing: `node scripts/setup.mjs [build|rust|js|browser|e2e|lint …]`, without a word everything.
// The other scripts call `setup` themselves, so nobody has to know this one.
import "./node-version.mjs";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure, main } from "./failure.mjs";
import { cacheDir } from "./paths.mjs";
import { needs, steps } from "./setup/steps.mjs";
import { readText } from "./stamps.mjs";

/** Sees to it that what the given purposes need is there. */
export async function setup(...purposes) {
  const wanted = new Set(purposes.flatMap((purpose) => needs[purpose]));
  makeCache();
  const lanes = group(steps);
  const stop = { failed: false };
  const results = await Promise.allSettled(
    [...lanes.values()].map((lane) =>
      runLane(
        lane.filter((step) => wanted.has(step.id)),
        stop,
      ),
    ),
  );
  const failures = results.filter((result) => result.status === "rejected").map((result) => result.reason);
  if (failures.length > 0)
    throw failures.length === 1 ? failures[0] : new Failure(failures.map((failure) => failure.message).join("\n✗ "));
}

async function runLane(lane, stop) {
  for (const step of lane) {
    if (stop.failed) return;
    if (await step.isDone()) continue;
    try {
      await runStep(step);
    } catch (error) {
      stop.failed = true;
      throw error;
    }
  }
}

async function runStep(step) {
  const log = join(cacheDir, "log", `${step.id}-${process.pid}.log`);
  const started = Date.now();
  if (step.usually !== undefined) console.log(`· ${step.title}: usually ${step.usually} …`);
  const heartbeat = setInterval(() => {
    console.log(`  ${step.title}: ${since(started)} … ${lastLine(log)}`);
  }, 30_000);
  try {
    await step.work(log);
  } catch (error) {
    const tail = (readText(log) ?? "").trimEnd().split("\n").slice(-25).join("\n");
    if (tail !== "") console.error(tail);
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
  if (!(await step.isDone()))
    throw new Failure(
      `${step.title}: installed, and still not found. Run the command again; if that does not help, delete ${cacheDir}.`,
    );
  console.log(`✓ ${step.title} (${since(started)})`);
  rmSync(log, { force: true });
}

/** The cache folder, without what interrupted runs left in it. */
function makeCache() {
  try {
    mkdirSync(join(cacheDir, "log"), { recursive: true });
  } catch (error) {
    throw new Failure(
      `Cannot write to ${cacheDir} (${error.code}): make it writable, or name another folder in HEADWAY_CACHE.`,
    );
  }
  for (const folder of [cacheDir, join(cacheDir, "log")]) {
    for (const name of readdirSync(folder)) {
      const owner = /(?:\.partial-(\d+)|-(\d+)\.log)$/.exec(name);
      const gone = owner !== null && !isAlive(Number(owner[1] ?? owner[2]));
      if (gone) rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function group(all) {
  const lanes = new Map();
  for (const step of all) lanes.set(step.lane, [...(lanes.get(step.lane) ?? []), step]);
  return lanes;
}

const since = (started) => `${Math.round((Date.now() - started) / 1000)} s`;

const lastLine = (log) => ((readText(log) ?? "").trimEnd().split("\n").at(-1) ?? "").trim().slice(0, 100);

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    const purposes = process.argv.slice(2);
    const unknown = purposes.find((purpose) => !(purpose in needs));
    if (unknown !== undefined)
      throw new Failure(
        `There is nothing called "${unknown}" to set up: it is one of ${Object.keys(needs).join(", ")}.`,
      );
    await setup(...(purposes.length > 0 ? purposes : Object.keys(needs)));
    console.log("Everything that was asked for is there.");
  });
}
