// By how much a snapshot makes the memory of the module grow, in a process of its own, whose module has loaded nothing else:
// `node grown.mjs SNAPSHOT TIMES` prints bytes as JSON.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/**
 * Bytes by which the memory grew with the `first` load and with so many more after it (`again`), what is `retained` of the
 * snapshot, and the `frame` as it lies in the memory.
 */
export async function grown(name, times) {
  const { stdout } = await promisify(execFile)(process.execPath, [THIS_FILE, name, String(times)]);
  return JSON.parse(stdout);
}

const THIS_FILE = fileURLToPath(import.meta.url);

async function measured(name, times) {
  const { Headway } = await import("headway");
  const { SNAPSHOTS } = await import("./snapshots.mjs");
  const text = SNAPSHOTS[name]();
  const headway = Headway.create();
  const { wasmBytes: before } = headway.stats();
  const load = () => {
    headway.connected();
    headway.receive(text);
    headway.disconnected();
    return headway.stats();
  };
  const { steps, contentBytes, wasmBytes } = load();
  for (let time = 0; time < times; time++) load();
  const after = headway.stats();
  const shown = JSON.parse(text).steps;
  if (steps !== shown.length || after.steps !== steps || after.contentBytes !== contentBytes) {
    throw new Error("the snapshot was not taken in");
  }
  // A step is kept as its text without the contents.
  const stepTexts = shown.map((step) =>
    JSON.stringify({ ...step, beforeWorkflowContent: undefined, afterWorkflowContent: undefined }),
  );
  return {
    first: wasmBytes - before,
    again: after.wasmBytes - before,
    retained: contentBytes + Buffer.byteLength(stepTexts.join("")),
    frame: Buffer.byteLength(text),
  };
}

if (process.argv[1] === THIS_FILE) {
  const [name, times] = process.argv.slice(2);
  console.log(JSON.stringify(await measured(name, Number(times))));
}
