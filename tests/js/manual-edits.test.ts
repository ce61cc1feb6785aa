import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { HeadwayError, type EditList, type Headway, type ReplayPolicy } from "headway";
import { bindYjs } from "headway/yjs";
import { snapshot, step } from "./fixtures.js";
import { blank } from "./scene.js";

interface Fields {
  readonly age: number;
  readonly limit: number;
  readonly note?: string;
}

const workflow = (fields: Fields) => ({
  operators: [{ operatorID: "filter", operatorType: "Filter", operatorProperties: fields }],
  operatorPositions: { filter: { x: 0, y: 0 } },
  links: [],
  commentBoxes: [],
});

const START: Fields = { age: 30, limit: 1 };
/** The agent's turn changes the age. */
const AGENT: Fields = { age: 40, limit: 1 };

const between = (id: string, parent: string, role: string, before: Fields, after: Fields) => ({
  ...step(id, parent, "t1", [0, 0]),
  role,
  content: "ask",
  beforeWorkflowContent: workflow(before),
  afterWorkflowContent: workflow(after),
});

const STEPS = [between("u1", "step-initial", "user", START, START), between("a1", "u1", "agent", START, AGENT)];

/** Where the fields are on a live document. */
const fieldsOf = (doc: Y.Doc) =>
  doc.getMap<Y.Map<unknown>>("operatorIDMap").get("filter")!.get("operatorProperties") as Y.Map<unknown>;

/** One of the two canvases, as a person sees it. */
interface Seen {
  fields(): Fields;
  edit(fields: Partial<Fields>): void;
}

const SURFACES: Record<string, (headway: Headway) => Seen> = {
  "a plain canvas": (headway) => {
    let content = workflow(AGENT);
    headway.bindCanvas({
      read: () => JSON.stringify(content),
      replace: (text) => void (content = JSON.parse(text) as typeof content),
    });
    return {
      fields: () => content.operators[0]!.operatorProperties,
      edit: (fields) => void (content = workflow({ ...content.operators[0]!.operatorProperties, ...fields })),
    };
  },
  "a live document": (headway) => {
    const doc = new Y.Doc();
    bindYjs(headway, doc);
    void headway.syncCanvas();
    const fields = () => fieldsOf(doc);
    return {
      fields: () => fields().toJSON() as Fields,
      edit: (changed) => Object.entries(changed).forEach(([key, value]) => fields().set(key, value)),
    };
  },
};

const head = (id: string) => JSON.stringify({ headId: id, canRedo: true, type: "WsServerHeadChangeEvent" });

describe.each(Object.entries(SURFACES))("%s", (name, bind) => {
  const isShared = name === "a live document";

  function live() {
    const all = blank({ now: () => 1234 });
    all.headway.receive(snapshot(STEPS, "a1"));
    return { ...all, canvas: bind(all.headway) };
  }

  async function revert(headway: Headway, how?: ReplayPolicy) {
    const moved = headway.revert("t1", how);
    headway.receive(head("step-initial"));
    return moved;
  }

  test("exact: the canvas becomes the target, and what was edited by hand is kept aside (P6, P7)", async () => {
    const { headway, canvas, notices } = live();
    canvas.edit({ limit: 7 });
    const moved = await revert(headway);
    expect(canvas.fields()).toEqual(START);
    expect(moved).toMatchObject({ canvasWritten: true, stash: "stash-1", conflicts: [] });
    expect(notices.map(({ code }) => code)).toContain("stashed");
    expect(headway.stashes()).toMatchObject([{ id: "stash-1", at: 1234 }]);
    expect(headway.stashes()[0]?.edits.describe()).toEqual(["Filter: limit: 1 → 7"]);
    const { edits, conflicts } = headway.applyStash("stash-1");
    expect([edits.length, conflicts]).toEqual([1, []]);
    expect(canvas.fields()).toEqual({ ...START, limit: 7 });
    expect(headway.stashes()).toEqual([]);
  });

  test("keep: what the target does not touch stays; what it does is listed and kept aside (P6, P7)", async () => {
    const { headway, canvas } = live();
    canvas.edit({ limit: 7, age: 99 });
    const moved = await revert(headway, "keep");
    expect(canvas.fields()).toEqual({ age: 30, limit: 7 });
    expect(moved.conflicts).toEqual([
      { collection: "operators", id: "filter", path: ["operatorProperties", "age"], base: 40, mine: 99, theirs: 30 },
    ]);
    expect(moved.stash).toBe("stash-1");
    expect(moved.edits.describe()).toEqual(["Filter: age: 99 → 30"]);
    expect(headway.getView().canvas.equalsHead).toBe(false);
    headway.dropStash("stash-1");
    expect(headway.stashes()).toEqual([]);
  });

  test("keep without a conflict stashes nothing", async () => {
    const { headway, canvas } = live();
    canvas.edit({ limit: 7 });
    const moved = await revert(headway, "keep");
    expect(canvas.fields()).toEqual({ age: 30, limit: 7 });
    expect([moved.conflicts, moved.stash, headway.stashes()]).toEqual([[], undefined, []]);
  });

  test("refuse: an edit that stands against it refuses the revert, and nothing is sent (P6, R2)", async () => {
    const { headway, canvas, sent } = live();
    canvas.edit({ age: 99 });
    await expect(headway.revert("t1", "refuse")).rejects.toMatchObject({
      code: "manual_edits",
      detail: [{ id: "filter", base: 40, mine: 99, theirs: 30 }],
    });
    expect([sent, headway.getView().pending]).toEqual([[], undefined]);
    canvas.edit({ age: 40, limit: 7 });
    const moved = await revert(headway, "refuse");
    expect(canvas.fields()).toEqual({ age: 30, limit: 7 });
    expect(moved.conflicts).toEqual([]);
  });

  test("a live step does its change to the canvas as it is (P13)", () => {
    const { headway, canvas } = live();
    canvas.edit({ limit: 7, note: "mine" });
    const next = between("a2", "a1", "agent", AGENT, { age: 50, limit: 2 });
    headway.receive(JSON.stringify({ step: next, type: "WsServerStepEvent" }));
    expect(canvas.fields()).toEqual({ age: 50, limit: 2, note: "mine" });
    expect(headway.stashes().map(({ edits }) => edits.describe())).toEqual([
      [expect.stringContaining("limit: 1 → 7") as string],
    ]);
  });

  test("what somebody else asked for overwrites a canvas of our own and keeps aside; on a shared one it leaves what it can", async () => {
    const { headway, canvas } = live();
    canvas.edit({ limit: 7, note: "mine" });
    headway.receive(head("step-initial"));
    expect(canvas.fields()).toEqual(isShared ? { ...START, limit: 7, note: "mine" } : START);
    expect(headway.stashes()).toHaveLength(isShared ? 0 : 1);
    // What stands against it is for who asked, on the canvas that is theirs, too.
    canvas.edit({ age: 99 });
    headway.receive(head("a1"));
    expect(canvas.fields()).toEqual(isShared ? { ...AGENT, limit: 7, note: "mine", age: 99 } : AGENT);
    expect(headway.stashes()).toHaveLength(isShared ? 0 : 2);
    await expect(headway.redo("no" as never)).rejects.toMatchObject({ code: "invalid_argument" });
  });

  test("sync takes the same policies (P14)", async () => {
    const { headway, canvas } = live();
    canvas.edit({ limit: 7 });
    expect(await headway.syncCanvas("refuse")).toMatchObject({ canvasWritten: false });
    expect(canvas.fields()).toEqual({ ...AGENT, limit: 7 });
    expect(await headway.syncCanvas()).toMatchObject({ canvasWritten: true, stash: "stash-1" });
    expect(canvas.fields()).toEqual(AGENT);
  });

  test("a stash that stands against the canvas stays, and lists why (P7)", async () => {
    const { headway, canvas } = live();
    canvas.edit({ limit: 7 });
    await revert(headway);
    canvas.edit({ limit: 9 });
    const { conflicts } = headway.applyStash("stash-1");
    expect(conflicts).toMatchObject([{ base: 1, mine: 9, theirs: 7 }]);
    expect(canvas.fields()).toEqual({ ...START, limit: 9 });
    expect(headway.stashes()).toHaveLength(1);
  });

  test("a stash is put there whatever stands against it, or not at all (P6, P7)", async () => {
    const { headway, canvas } = live();
    canvas.edit({ age: 99, limit: 7 });
    await revert(headway);
    expect(() => headway.applyStash("stash-1", "refuse")).toThrowError(
      expect.objectContaining({
        code: "manual_edits",
        detail: [expect.objectContaining({ mine: 30, theirs: 99 })],
      }) as Error,
    );
    expect(canvas.fields()).toEqual(START);
    // What the agent has there is no edit by hand.
    expect(headway.applyStash("stash-1", "exact").conflicts).toMatchObject([{ base: 40, mine: 99, theirs: 30 }]);
    expect(canvas.fields()).toEqual({ ...START, age: 99, limit: 7 });
    expect(headway.stashes()).toEqual([]);
    // What a person has there is stashed in turn.
    await headway.syncCanvas();
    canvas.edit({ limit: 9 });
    headway.applyStash("stash-2", "exact");
    expect(canvas.fields()).toEqual({ ...START, age: 99, limit: 7 });
    expect(headway.stashes().map(({ id, edits }) => [id, edits.describe()])).toEqual([
      ["stash-3", ["Filter: limit: 1 → 9"]],
    ]);
    expect(() => headway.applyStash("stash-3", "no" as never)).toThrowError(
      expect.objectContaining({ code: "invalid_argument" }) as Error,
    );
  });

  test("a stash is put back on what the canvas shows then, behind what was asked for before (P7, P8)", async () => {
    const { headway, canvas } = live();
    canvas.edit({ limit: 7 });
    await revert(headway);
    headway.applyStash("stash-1");
    canvas.edit({ limit: 1, note: "kept" });
    const moved = headway.redo();
    headway.receive(head("a1"));
    await moved;
    expect(canvas.fields()).toEqual(AGENT);
    expect(headway.stashes().at(-1)?.edits.describe()).toEqual([expect.stringContaining("kept") as string]);
  });

  test("the view counts what was edited by hand, and the stashes (P6, P7)", async () => {
    const { headway, canvas } = live();
    const counts = () => {
      const { manualEdits, stashes } = headway.getView().canvas;
      return { manualEdits, stashes };
    };
    let told = 0;
    headway.subscribe(() => (told += 1));
    expect(counts()).toEqual({ manualEdits: 0, stashes: 0 });
    canvas.edit({ limit: 7, note: "mine" });
    // A plain canvas is looked at when there is something to do.
    await headway.syncCanvas("keep");
    expect(counts()).toEqual({ manualEdits: 1, stashes: 0 });
    await headway.syncCanvas();
    expect(counts()).toEqual({ manualEdits: 0, stashes: 1 });
    headway.applyStash("stash-1");
    expect(counts()).toEqual({ manualEdits: 1, stashes: 0 });
    await revert(headway, "keep");
    expect(counts()).toEqual({ manualEdits: 1, stashes: 0 });
    await headway.syncCanvas();
    const before = told;
    headway.dropStash("stash-2");
    expect([counts(), told]).toEqual([{ manualEdits: 0, stashes: 0 }, before + 1]);
  });

  test("X2: there is no such stash", () => {
    const { headway } = live();
    for (const call of [() => headway.applyStash("stash-9"), () => headway.dropStash("stash-9")]) {
      expect(call).toThrowError(expect.objectContaining({ code: "unknown_stash" }) as HeadwayError);
    }
  });
});

test("on a canvas of unknown origin, what differs from HEAD was edited by hand, and what is missing was not (P6, P14)", async () => {
  const doc = new Y.Doc();
  const first = blank();
  first.headway.receive(snapshot(STEPS, "a1"));
  bindYjs(first.headway, doc);
  expect(first.headway.getView().canvas).toMatchObject({ equalsHead: false, manualEdits: 0 });
  await first.headway.syncCanvas();
  first.headway.free();
  const operator = doc.getMap<Y.Map<Y.Map<unknown>>>("operatorIDMap").get("filter")!;
  operator.get("operatorProperties")!.set("limit", 7);
  const again = blank();
  again.headway.receive(snapshot(STEPS, "a1"));
  bindYjs(again.headway, doc);
  expect(again.headway.getView().canvas).toMatchObject({ equalsHead: false, manualEdits: 1 });
});

test("what is not there is no edit by hand, beside something that is another one (P6)", () => {
  const { headway } = blank();
  headway.receive(snapshot(STEPS, "a1"));
  const { operatorPositions, ...rest } = workflow({ ...AGENT, age: 99 });
  const shown = JSON.stringify({ ...rest, operatorPositions: {} });
  expect(Object.keys(operatorPositions)).toEqual(["filter"]);
  headway.bindCanvas({ read: () => shown, replace: () => {} });
  expect(headway.getView().canvas.manualEdits).toBe(1);
});

test("a canvas that was bound again: what a stash overwrites there is stashed in turn (P7)", async () => {
  const { headway } = blank();
  headway.receive(snapshot(STEPS, "a1"));
  let content = JSON.stringify(workflow(AGENT));
  const bind = () => headway.bindCanvas({ read: () => content, replace: (text) => void (content = text) });
  const unbind = bind();
  content = JSON.stringify(workflow({ ...AGENT, age: 77 }));
  await headway.syncCanvas();
  content = JSON.stringify(workflow({ ...AGENT, age: 99 }));
  unbind();
  bind();
  headway.applyStash("stash-1", "exact");
  expect(JSON.parse(content)).toEqual(workflow({ ...AGENT, age: 77 }));
  expect(headway.stashes().map(({ edits }) => edits.describe())).toEqual([["Filter: age: 40 → 99"]]);
});

test("two stashes that are put back at once are both put back (P7)", async () => {
  const { headway } = blank();
  headway.receive(snapshot(STEPS, "a1"));
  const doc = new Y.Doc();
  bindYjs(headway, doc);
  await headway.syncCanvas();
  const fields = () => fieldsOf(doc);
  for (const [key, value] of [
    ["limit", 7],
    ["note", "mine"],
  ] as const) {
    fields().set(key, value);
    await headway.syncCanvas();
  }
  doc.transact(() => {
    headway.applyStash("stash-1");
    headway.applyStash("stash-2");
  });
  expect(fields().toJSON()).toEqual({ ...AGENT, limit: 7, note: "mine" });
  expect(headway.stashes()).toEqual([]);
});

test("a snapshot and a step before anybody looked: the step is on the canvas (P13)", () => {
  const { headway } = blank();
  let content = JSON.stringify(workflow(AGENT));
  headway.bindCanvas({ read: () => content, replace: (text) => void (content = text) });
  const next = between("a2", "a1", "agent", AGENT, { age: 50, limit: 1 });
  const stop = headway.subscribe(() => {
    stop();
    headway.receive(snapshot(STEPS, "a1"));
    headway.receive(JSON.stringify({ step: next, type: "WsServerStepEvent" }));
  });
  headway.disconnected();
  expect(JSON.parse(content)).toEqual(workflow({ age: 50, limit: 1 }));
  expect(headway.getView().canvas).toMatchObject({ equalsHead: true, manualEdits: 0 });
});

test.each(["exact", "keep"] as const)(
  "a revert that was given up is done as it was asked for: %s (P6, R8)",
  async (how) => {
    let now = 0;
    const { headway } = blank({ now: () => now, commandTimeout: 10 });
    headway.receive(snapshot(STEPS, "a1"));
    const doc = new Y.Doc();
    bindYjs(headway, doc);
    await headway.syncCanvas();
    const fields = () => fieldsOf(doc);
    fields().set("limit", 7);
    const moved = headway.revert("t1", how);
    now = 20;
    headway.tick();
    await expect(moved).rejects.toMatchObject({ code: "timed_out" });
    headway.receive(head("step-initial"));
    expect(fields().toJSON()).toEqual({ ...START, limit: how === "keep" ? 7 : 1 });
    expect(headway.stashes()).toHaveLength(how === "keep" ? 0 : 1);
  },
);

test("a canvas that gives no JSON says so, to whoever asks what stands against it (X2)", async () => {
  const { headway } = blank();
  headway.receive(snapshot(STEPS, "a1"));
  let content = JSON.stringify(workflow({ ...AGENT, limit: 7 }));
  headway.bindCanvas({ read: () => content, replace: (text) => void (content = text) });
  await headway.syncCanvas();
  content = "[]";
  expect(() => headway.applyStash("stash-1")).toThrowError(
    expect.objectContaining({ code: "invalid_content" }) as Error,
  );
  await expect(headway.revert("t1", "refuse")).rejects.toMatchObject({ code: "invalid_content" });
  expect(headway.stashes()).toHaveLength(1);
});

test("a stash that could not be put back is kept (P7)", async () => {
  const { headway, notices } = blank();
  headway.receive(snapshot(STEPS, "a1"));
  let [content, isBroken] = [JSON.stringify(workflow({ ...AGENT, limit: 7 })), false];
  headway.bindCanvas({
    read: () => content,
    replace: (text) => {
      if (isBroken) throw new Error("no");
      content = text;
    },
  });
  await headway.syncCanvas();
  expect(headway.stashes()).toHaveLength(1);
  isBroken = true;
  headway.applyStash("stash-1");
  expect(notices.map(({ code }) => code)).toContain("canvas_failed");
  expect(headway.stashes()).toHaveLength(1);
  isBroken = false;
  headway.applyStash("stash-1");
  expect(headway.stashes()).toEqual([]);
  expect(JSON.parse(content)).toEqual(workflow({ ...AGENT, limit: 7 }));
});

test("a stash waits for the end of somebody's transaction, and what they write in it stays (P7, P8)", async () => {
  const { headway } = blank();
  headway.receive(snapshot(STEPS, "a1"));
  const doc = new Y.Doc();
  bindYjs(headway, doc);
  await headway.syncCanvas();
  const fields = () => fieldsOf(doc);
  fields().set("limit", 7);
  await headway.syncCanvas();
  doc.transact(() => {
    headway.applyStash("stash-1");
    fields().set("note", "theirs");
  });
  expect(fields().toJSON()).toEqual({ ...AGENT, limit: 7, note: "theirs" });
  expect(headway.stashes()).toEqual([]);
});

test("a plain canvas can take edits instead of a whole content (P10)", async () => {
  const { headway } = blank();
  headway.receive(snapshot(STEPS, "a1"));
  const applied: EditList[] = [];
  headway.bindCanvas({ read: () => JSON.stringify(workflow(START)), apply: (edits) => void applied.push(edits) });
  await headway.syncCanvas();
  expect(applied.map((edits) => edits.describe())).toEqual([["Filter: age: 30 → 40"]]);
});
