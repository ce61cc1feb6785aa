// A live Y.Doc as the canvas, in Texera's layout: a revert and a step of the agent beside what one would write without a diff (take
// everything away and put everything there in one transaction), and what it costs to follow a document beside another Y.Doc that
// does.
import { Headway } from "headway";
import { bindYjs } from "headway/yjs";
import * as Y from "yjs";
import { compare, row } from "./measure.mjs";
import { changed, contentOf, inOnePiece, workflow } from "./workflow.mjs";

const CHANGES = 3;

/** Replays of two versions in turn; the peer's document grows by the same with each, so fewer of its are counted and told as many. */
const REPLAYS = 1000;
const PEER_REPLAYS = 20;

/** Runs before the clock does: a short call takes longer to be compiled for speed than a few rounds. */
const WARM_UP = 200;

/** Calls in a row, where a row says so: what ours needs is in the caches of the processor then. */
const IN_A_ROW = 20;

/** Steps of the agent before the clock runs: each is a text of 2 MB. */
const FIRST_STEPS = 20;

/** Edits by hand in a row: one is too short for the clock. */
const EDITS = 100;

export default async function ({ quick }) {
  return [
    ...reverts(1000, 1 / 200, quick ? 7 : 21),
    ...reverts(100, 1 / 40, quick ? 15 : 61),
    steps(1000, quick ? 7 : 21),
    growth(1000),
    ...following(quick ? 11 : 31),
    binding(quick ? 7 : 21),
  ];
}

/** Two versions of a workflow as texts; 3 operators have other properties. */
function versions(operators) {
  const first = workflow(operators);
  return [first, changed(first, CHANGES)].map((version) => whole(contentOf(version)));
}

/** Without the links to operators that nothing leads into: they would be dropped on the way to the canvas, with a notice. */
function whole(content) {
  const { operators, links, ...rest } = JSON.parse(content);
  const open = new Set(operators.filter(({ inputPorts }) => inputPorts.length > 0).map(({ operatorID }) => operatorID));
  return JSON.stringify({ operators, ...rest, links: links.filter(({ target }) => open.has(target.operatorID)) });
}

/** An engine that knows both, `s0` and `s1`, and a document that shows the second. */
function live(contents) {
  const headway = Headway.create();
  const steps = contents.map(
    (content, at) =>
      `{"id":"s${at}","parentId":"${at === 0 ? "step-initial" : `s${at - 1}`}","messageId":"t${at}","role":"agent","content":"","afterWorkflowContent":${content}}`,
  );
  headway.connected();
  headway.receive(`{"steps":[${steps}],"headId":"s1","state":"AVAILABLE","type":"WsServerSnapshotEvent"}`);
  const doc = shared();
  bindYjs(headway, doc);
  headway.syncCanvas();
  if (!headway.getView().canvas.equalsHead) throw new Error("the document does not show the version");
  return { headway, doc };
}

/** A document that others are told of: every change is encoded. */
function shared() {
  const doc = new Y.Doc();
  doc.on("update", ({ length }) => (lastUpdate = length));
  return doc;
}

let lastUpdate = 0;

const headChange = (at) => `{"headId":"s${at}","canRedo":true,"type":"WsServerHeadChangeEvent"}`;

/** Both ways of showing one version after the other. */
function turns(operators) {
  const contents = versions(operators);
  const { headway, doc } = live(contents);
  const objects = contents.map((content) => JSON.parse(content));
  const peer = shared();
  reload(peer, objects[1]);
  let [at, peerAt] = [1, 1];
  return {
    headway,
    doc,
    peer,
    ours: () => headway.receive(headChange((at = 1 - at))),
    theirs: () => reload(peer, objects[(peerAt = 1 - peerAt)]),
  };
}

function reverts(operators, most, rounds) {
  const { headway, doc, peer, ours, theirs } = turns(operators);
  const [first, peerFirst] = [ours, theirs].map((turn) => {
    const start = performance.now();
    turn();
    return performance.now() - start;
  });
  for (let run = 0; run < WARM_UP; run++) ours();
  const times = compare(ours, theirs, rounds);
  if (JSON.stringify(sorted(doc)) !== JSON.stringify(sorted(peer))) throw new Error("the documents differ");
  const inARow = compare(
    () => {
      for (let call = 0; call < IN_A_ROW; call++) ours();
    },
    theirs,
    rounds,
  );
  inARow.ours /= IN_A_ROW;
  const [bytes, peerBytes] = [ours, theirs].map((turn) => (turn(), lastUpdate));
  headway.free();
  const name = `revert, ${CHANGES} of ${operators.toLocaleString("en")} operators`;
  const peerName = "delete all, add all";
  return [
    row(name, "ms", times, peerName, most),
    row(`… each of ${IN_A_ROW} in a row`, "ms", inARow, peerName),
    row("… the first of all", "ms", { ours: first, peer: peerFirst }, peerName),
    row("… its update", "bytes", { ours: bytes, peer: 1024 }, `at most; ${peerName}: ${peerBytes}`, 1),
  ];
}

/** The agent goes on; what it did comes as the text of a frame. The peer parses it and shows what it says. */
function steps(operators, rounds) {
  let version = changed(workflow(operators), CHANGES);
  const { headway, doc } = live(versions(operators));
  const peer = shared();
  const frames = Array.from({ length: FIRST_STEPS + rounds + 2 }, (_, at) => {
    const before = whole(contentOf(version));
    version = changed(version, CHANGES);
    return inOnePiece(stepFrame(at + 2, before, whole(contentOf(version))));
  });
  const [ourFrames, peerFrames] = [frames.values(), frames.slice(FIRST_STEPS).values()];
  const ours = () => headway.receive(ourFrames.next().value);
  for (let step = 0; step < FIRST_STEPS; step++) ours();
  const theirs = () => reload(peer, JSON.parse(peerFrames.next().value).step.afterWorkflowContent);
  const times = compare(ours, theirs, rounds);
  if (JSON.stringify(sorted(doc)) !== JSON.stringify(sorted(peer))) throw new Error("the documents differ");
  headway.free();
  const name = `a step of the agent, ${CHANGES} of ${operators.toLocaleString("en")} operators`;
  return row(name, "ms", times, "JSON.parse, delete all, add all", 1 / 40);
}

const stepFrame = (at, before, after) =>
  `{"step":{"id":"s${at}","parentId":"s${at - 1}","messageId":"t${at}","role":"agent","content":"",` +
  `"beforeWorkflowContent":${before},"afterWorkflowContent":${after}},"type":"WsServerStepEvent"}`;

/** What lies in a document, in an order of its own. */
function sorted(doc) {
  const byKey = (_, value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  const maps = ["operatorIDMap", "elementPositionMap", "operatorLinkMap"].map((name) => doc.getMap(name).toJSON());
  return JSON.parse(JSON.stringify(maps), byKey);
}

function growth(operators) {
  const { headway, doc, peer, ours, theirs } = turns(operators);
  const grown = (doc, turn, times) => {
    const before = Y.encodeStateAsUpdate(doc).length;
    for (let time = 0; time < times; time++) turn();
    return Y.encodeStateAsUpdate(doc).length - before;
  };
  const bytes = {
    ours: grown(doc, ours, REPLAYS),
    peer: grown(peer, theirs, PEER_REPLAYS) * (REPLAYS / PEER_REPLAYS),
  };
  headway.free();
  const name = `growth by ${REPLAYS.toLocaleString("en")} replays in turn, ${CHANGES} of ${operators.toLocaleString("en")} operators`;
  return row(name, "bytes", bytes, `delete all, add all; ${PEER_REPLAYS} measured`, 1 / 100);
}

/** A person types and clicks; both hear of each edit by itself. */
function following(rounds) {
  const { headway, doc } = live(versions(1000));
  const [person, other] = [new Y.Doc(), new Y.Doc()];
  for (const one of [person, other]) Y.applyUpdate(one, Y.encodeStateAsUpdate(doc));
  const updates = [];
  person.on("update", (update) => updates.push(update));
  const operators = [...person.getMap("operatorIDMap").values()];
  for (let edit = 0; edit < EDITS * (rounds + 2); edit++) {
    const operator = operators[(edit * 37) % operators.length];
    if (edit % 2 === 0) operator.get("customDisplayName").insert(3, "x");
    else operator.set("isDisabled", edit % 4 === 1);
  }
  const [ourPlace, peerPlace] = [updates.values(), updates.values()];
  const some = (place, apply) => {
    for (let edit = 0; edit < EDITS; edit++) apply(place.next().value);
  };
  const times = compare(
    () => some(ourPlace, (update) => headway.document.applyUpdate(update)),
    () => some(peerPlace, (update) => Y.applyUpdate(other, update)),
    rounds,
  );
  const heard = [headway.document.stateVector(), Y.encodeStateVector(other)].map((vector) =>
    Y.decodeStateVector(vector).get(person.clientID),
  );
  if (heard[0] !== heard[1]) {
    throw new Error("not every edit was heard");
  }
  headway.free();
  const each = { ours: (times.ours / EDITS) * 1000, peer: (times.peer / EDITS) * 1000 };
  return [
    row("relay of one edit by hand", "µs", each, "Y.applyUpdate", 2),
    row("… at most", "µs", { ours: each.ours, peer: 50 }, "at most", 1),
  ];
}

/** The document shows HEAD: nothing is written, but it is read. */
function binding(rounds) {
  const { headway, doc } = live(versions(1000));
  const state = Y.encodeStateAsUpdate(doc);
  const times = compare(
    () => bindYjs(headway, doc),
    () => Y.applyUpdate(new Y.Doc(), state),
    rounds,
  );
  if (!headway.getView().canvas.equalsHead) throw new Error("the document was not read");
  headway.free();
  return row("bind a document of 1,000 operators", "ms", times, "Y.applyUpdate into a new Y.Doc", 1.5);
}

/** What an editor does that knows only the whole. */
function reload(doc, { operators, operatorPositions, links, settings }) {
  doc.transact(() => {
    const fill = (name, entries) => {
      const map = doc.getMap(name);
      for (const key of map.keys()) map.delete(key);
      for (const [key, value] of entries) map.set(key, value);
    };
    fill("elementPositionMap", Object.entries(operatorPositions));
    fill(
      "operatorIDMap",
      operators.map((operator) => [operator.operatorID, nested(operator)]),
    );
    fill(
      "operatorLinkMap",
      links.map((link) => [link.linkID, link]),
    );
    doc.getMap("contentMeta").set("settings", settings);
  });
}

/** As Texera's editor makes shared types of a value. */
function nested(value) {
  if (typeof value === "string") return new Y.Text(value);
  if (Array.isArray(value)) return Y.Array.from(value.map(nested));
  if (value === null || typeof value !== "object") return value;
  return new Y.Map(Object.entries(value).map(([key, one]) => [key, nested(one)]));
}
