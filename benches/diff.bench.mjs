// What it costs to tell what differs between two steps whose contents are known, beside what JavaScript has for two objects
// that are parsed already.
import { Headway } from "headway";
import * as jsondiffpatch from "jsondiffpatch";
import lodash from "lodash";
import microdiff from "microdiff";
import { compare, row } from "./measure.mjs";
import { changed, contentOf, workflow } from "./workflow.mjs";

const OPERATORS = 1000;
const CHANGES = 3;

/** Calls in a row: the peer takes so long that it finds what it needs in the caches of the processor for all but its first moments. */
const IN_A_ROW = 20;

/** Runs before the clock does: a short call takes longer to be compiled for speed than a few rounds. */
const WARM_UP = 200;

export default async function ({ quick }) {
  const first = workflow(OPERATORS);
  const [before, after] = [first, changed(first, CHANGES)].map(contentOf);
  const [a, b] = [JSON.parse(before), JSON.parse(after)];
  const headway = engineWith(before, after);
  const ours = () => headway.diff("s1", "s2");
  // The same entities, or something was measured that does not work.
  const found = [...new Set(ours().map(({ id }) => id))];
  if (found.length !== CHANGES || !lodash.isEqual(found, changedIds(a, b))) {
    throw new Error("the diff does not tell which operators have changed");
  }
  for (let run = 0; run < WARM_UP; run++) ours();

  const objects = jsondiffpatch.create({
    objectHash: ({ operatorID, linkID }, index) => operatorID ?? linkID ?? `$$index:${index}`,
  });
  const name = `warm diff, ${OPERATORS.toLocaleString("en")} operators, ${CHANGES} changed`;
  const [few, many] = quick ? [21, 61] : [61, 201];
  const keyed = compare(ours, () => changedIds(a, b), many);
  const inARow = compare(
    () => {
      for (let call = 0; call < IN_A_ROW; call++) ours();
    },
    () => changedIds(a, b),
    few,
  );
  inARow.ours /= IN_A_ROW;
  const byId = compare(ours, () => objects.diff(a, b), few);
  const byPlace = compare(ours, () => microdiff(a, b, { cyclesFix: false }), few);
  headway.free();
  return [
    row(name, "ms", inARow, "keyed lodash.isEqual", 1 / 50),
    row("… one call, after other work", "ms", keyed, "keyed lodash.isEqual"),
    row(name, "ms", byId, "jsondiffpatch, objectHash by id"),
    row(name, "ms", byPlace, "microdiff"),
  ];
}

/** An engine that knows two steps, `s1` and `s2`, by what they left behind. */
function engineWith(before, after) {
  const step = (id, parent, content) =>
    `{"id":"${id}","parentId":"${parent}","messageId":"t1","role":"agent","content":"","afterWorkflowContent":${content}}`;
  const steps = [step("s1", "step-initial", before), step("s2", "s1", after)];
  const headway = Headway.create();
  headway.connected();
  headway.receive(`{"steps":[${steps}],"headId":"s2","state":"AVAILABLE","type":"WsServerSnapshotEvent"}`);
  return headway;
}

/** What one would write without a library for it: the ids of the entities that came, went or are not deeply equal. */
function changedIds(a, b) {
  const entries = {
    operators: ({ operators }) => operators.map((operator) => [operator.operatorID, operator]),
    links: ({ links }) => links.map((link) => [link.linkID, link]),
    operatorPositions: ({ operatorPositions }) => Object.entries(operatorPositions),
  };
  const ids = [];
  for (const entriesOf of Object.values(entries)) {
    const old = new Map(entriesOf(a));
    for (const [id, entity] of entriesOf(b)) {
      if (!lodash.isEqual(old.get(id), entity)) ids.push(id);
      old.delete(id);
    }
    ids.push(...old.keys());
  }
  return ids;
}
