// What contents cost: taking one in, keeping many, giving one back. Beside it what `JSON.parse` and `JSON.stringify` take
// for the same texts, and the objects that they make.
import { Headway } from "headway";
import { compare, row } from "./measure.mjs";
import { retained } from "./retained.mjs";
import { changed, contentOf, inOnePiece, workflow } from "./workflow.mjs";

const OPERATORS = 1000;
const CHANGES = 3;

/** Versions, operators, how many versions the peer is measured with, and the largest ratio. */
const HISTORIES = [
  [10_000, 100, 1000, 1 / 50],
  [1000, 1000, 100, 1 / 100],
];

export default async function ({ quick }) {
  const rounds = quick ? 11 : 61;
  return [...takingIn(rounds), ...(await keeping()), ...givingBack(rounds)];
}

/** A head change carries a content once: the frame is the content and some hundred bytes around it. */
function headChange(content) {
  const rest = '"headId":"s1","canRedo":true,"type":"WsServerHeadChangeEvent"}';
  return inOnePiece(`{"workflowContent":${content},${rest}`);
}

/** An engine whose HEAD, `s1`, has this content. */
function engineAt(content) {
  const headway = Headway.create();
  const step = '"id":"s1","messageId":"t1","role":"agent","content":""';
  const rest = '"headId":"s1","state":"AVAILABLE","type":"WsServerSnapshotEvent"}';
  headway.connected();
  headway.receive(`{"steps":[{${step},"afterWorkflowContent":${content}}],${rest}`);
  hasToHold(headway, content);
  return headway;
}

function hasToHold(headway, content) {
  if (headway.content() !== content) throw new Error("the engine does not hold the content that it was given");
}

function takingIn(rounds) {
  const first = workflow(OPERATORS);
  const content = contentOf(first);
  const size = `${Math.round(content.length / 1000)} KB`;
  const headway = engineAt(content);
  const frame = headChange(content);
  const known = compare(
    () => headway.receive(frame),
    () => JSON.parse(content),
    rounds,
  );
  hasToHold(headway, content);

  // A version for each round and for the rounds that warm up; of each only the rest is known.
  let current = first;
  const versions = Array.from({ length: rounds + 2 }, () => contentOf((current = changed(current, CHANGES))));
  const [frames, texts] = [versions.map(headChange).values(), versions.values()];
  const another = compare(
    () => headway.receive(frames.next().value),
    () => JSON.parse(texts.next().value),
    rounds,
  );
  hasToHold(headway, versions.at(-1));
  headway.free();
  return [
    row(`take in ${size} that are known`, "ms", known, "JSON.parse of the content", 1 / 10),
    row(
      `take in ${size}, ${CHANGES} of ${written(OPERATORS)} operators new`,
      "ms",
      another,
      "JSON.parse of the content",
      1 / 5,
    ),
  ];
}

const written = (number) => number.toLocaleString("en");

async function keeping() {
  const rows = [];
  for (const [versions, operators, peerVersions, most] of HISTORIES) {
    const ours = await retained("ours", versions, operators, CHANGES);
    const { objects } = await retained("peer", peerVersions, operators, CHANGES);
    const peer = (objects / peerVersions) * versions;
    const [many, each, parsed] = [versions, operators, peerVersions].map(written);
    const what = `keep ${many} versions of ${each} operators, ${CHANGES} new in each`;
    const peerName = `JSON.parse's objects, extrapolated from ${parsed}`;
    const megabytes = (bytes) => ({ ours: bytes / 1e6, peer: peer / 1e6 });
    rows.push(
      row(`${what}: the store`, "MB", megabytes(ours.store), peerName, most),
      row(`${what}: growth of memory`, "MB", megabytes(ours.memory), peerName, most),
    );
  }
  return rows;
}

function givingBack(rounds) {
  const content = contentOf(workflow(OPERATORS));
  const headway = engineAt(content);
  const object = JSON.parse(content);
  const asText = compare(
    () => headway.content(),
    () => JSON.stringify(object),
    rounds,
  );
  const asObject = compare(
    () => JSON.parse(headway.content()),
    () => JSON.parse(content),
    rounds,
  );
  headway.free();
  const size = `${Math.round(content.length / 1000)} KB`;
  return [
    row(`give ${size} back as text`, "ms", asText, "JSON.stringify of the object", 1.2),
    row(`give ${size} back as an object`, "ms", asObject, "JSON.parse of the text", 1.2),
  ];
}
