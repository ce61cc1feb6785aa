// What it takes to keep versions of a workflow, in a process of its own, whose memory holds nothing else:
// `node --expose-gc retained.mjs ours|peer VERSIONS OPERATORS CHANGES` prints bytes as JSON.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { changed, contentOf, workflow } from "./workflow.mjs";

/**
 * Bytes that so many versions take, each with so many changes: of `ours` `{store, memory}`, what the store says and by how
 * much the memory of the module grew, of the `peer` `{objects}`.
 */
export async function retained(who, versions, operators, changes) {
  const numbers = [versions, operators, changes].map(String);
  const flags = ["--expose-gc", "--max-old-space-size=1500"];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, THIS_FILE, who, ...numbers]);
  return JSON.parse(stdout);
}

const THIS_FILE = fileURLToPath(import.meta.url);

/** Versions as an agent makes them: the content before a step is the one after the step before it. */
async function ours(versions, operators, changes) {
  const { Headway } = await import("headway");
  const headway = Headway.create();
  headway.connected();
  headway.receive('{"type":"WsServerSnapshotEvent","state":"GENERATING","steps":[],"headId":"step-initial"}');
  const { wasmBytes } = headway.stats();
  let current = workflow(operators);
  let [before, after] = ["", contentOf(current)];
  for (let step = 1; step < versions; step++) {
    current = changed(current, changes);
    [before, after] = [after, contentOf(current)];
    headway.receive(liveStep(step, before, after));
  }
  const { snapshots, contentBytes, wasmBytes: memory } = headway.stats();
  if (snapshots !== versions || headway.content() !== after) throw new Error("not every version was kept");
  return { store: contentBytes, memory: memory - wasmBytes };
}

function liveStep(step, before, after) {
  const parent = step === 1 ? "step-initial" : `s${step - 1}`;
  return (
    `{"step":{"id":"s${step}","parentId":"${parent}","messageId":"t${step >> 3}","stepId":${step & 7},` +
    `"timestamp":${step},"role":"agent","content":"","isBegin":false,"isEnd":false,` +
    `"beforeWorkflowContent":${before},"afterWorkflowContent":${after}},"type":"WsServerStepEvent"}`
  );
}

/** The objects that `JSON.parse` makes of the versions, each version once. */
function peer(versions, operators, changes) {
  const kept = [];
  const heap = () => {
    globalThis.gc();
    return process.memoryUsage().heapUsed;
  };
  let current = workflow(operators);
  const start = heap();
  for (let version = 0; version < versions; version++) {
    kept.push(JSON.parse(contentOf(current)));
    current = changed(current, changes);
  }
  const objects = heap() - start;
  if (kept.length !== versions) throw new Error("not every version was kept");
  return { objects };
}

if (process.argv[1] === THIS_FILE) {
  const [who, ...numbers] = process.argv.slice(2);
  const bytes = await { ours, peer }[who](...numbers.map(Number));
  console.log(JSON.stringify(bytes));
}
