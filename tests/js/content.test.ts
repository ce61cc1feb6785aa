import { describe, expect, test } from "vitest";
import { HeadwayError } from "headway";
import { snapshot, step } from "./fixtures.js";
import { blank, canvasOf } from "./scene.js";

const operator = (id: string, limit: number) => ({
  operatorID: id,
  operatorType: "Limit",
  operatorProperties: { limit },
});
const link = (id: string, from: string, to: string) => ({
  linkID: id,
  source: { operatorID: from, portID: "" },
  target: { operatorID: to, portID: "" },
});

/** A workflow of limits by id, each with a position. */
function workflow(limits: Record<string, number>, links: unknown[] = []) {
  const ids = Object.keys(limits);
  return {
    operators: ids.map((id) => operator(id, limits[id] ?? 0)),
    operatorPositions: Object.fromEntries(ids.map((id, at) => [id, { x: at * 100, y: 0 }])),
    links,
    commentBoxes: [],
    settings: {},
  };
}

const between = (id: string, parent: string, before: unknown, after: unknown) => ({
  ...step(id, parent, `turn of ${id}`, [0, 0]),
  beforeWorkflowContent: before,
  afterWorkflowContent: after,
});

function thrown(call: () => unknown): HeadwayError {
  try {
    call();
  } catch (error) {
    if (error instanceof HeadwayError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("H10: planMerge", () => {
  const base = workflow({ a: 1, b: 2, c: 3 });
  const steps = [
    between("s1", "step-initial", workflow({}), base),
    between("mine", "s1", base, workflow({ a: 10, b: 2, c: 3 })),
    between("theirs", "s1", base, workflow({ a: 11, b: 20, c: 3, d: 4 })),
  ];

  test("brings what the other branch did, and lists where both did something", () => {
    const { headway } = blank();
    headway.receive(snapshot(steps, "mine"));
    const { edits, conflicts } = headway.planMerge("theirs");
    expect(conflicts).toEqual([
      { collection: "operators", id: "a", path: ["operatorProperties", "limit"], base: 1, mine: 10, theirs: 11 },
    ]);
    expect(edits.map((edit) => [edit.kind, "id" in edit ? edit.id : ""])).toEqual([
      ["add", "d"],
      ["add", "d"],
      ["set", "b"],
    ]);
    expect(edits.summary).toMatchObject({ added: 1, changed: 1 });
    expect(Object.isFrozen(conflicts) && Object.isFrozen(edits)).toBe(true);
    expect(headway.getView().headId).toBe("mine");
  });

  test("from an ancestor brings nothing; from nowhere is refused", () => {
    const { headway } = blank();
    headway.receive(snapshot(steps, "mine"));
    expect(headway.planMerge("s1").edits).toHaveLength(0);
    expect(headway.planMerge("mine").edits).toHaveLength(0);
    expect(thrown(() => headway.planMerge("nobody")).code).toBe("unknown_step");
  });
});

describe("C7: validate, repair, strict", () => {
  const faulty = workflow({ a: 1 }, [link("l1", "a", "gone")]);
  const steps = [between("s1", "step-initial", workflow({}), faulty)];

  test("validate lists what is wrong, at a step, at HEAD, or on the canvas", () => {
    const { headway } = blank();
    headway.receive(snapshot(steps, "s1"));
    const faults = headway.validate("s1");
    expect(faults).toMatchObject([{ code: "dangling", collection: "links", id: "l1" }]);
    expect(faults[0]?.message).toContain("l1");
    expect(headway.validate()).toEqual(faults);
    expect(headway.validate("step-initial")).toEqual([]);
    expect(thrown(() => headway.validate("canvas")).code).toBe("canvas_unbound");
    canvasOf(headway, workflow({ a: 1 }));
    expect(headway.validate("canvas")).toEqual([]);
  });

  test("repair is the default: the canvas gets what is whole, and a preview says the same", async () => {
    const { headway, notices } = blank();
    headway.receive(snapshot(steps, "s1"));
    const { canvas } = canvasOf(headway, workflow({}));
    const preview = headway.preview("s1");
    expect(preview.map((edit) => edit.kind)).toEqual(["add", "add"]);
    await headway.syncCanvas();
    expect(JSON.parse(canvas.text)).toEqual(workflow({ a: 1 }));
    expect(notices.map((notice) => notice.code)).toContain("content_repaired");
    expect(headway.preview("s1")).toHaveLength(0);
    expect(JSON.parse(headway.content() ?? "")).toEqual(faulty);
  });

  test("strict puts nothing on the canvas that has faults, and lists them", async () => {
    const { headway, notices } = blank({ validation: "strict" });
    headway.receive(snapshot(steps, "s1"));
    const { canvas } = canvasOf(headway, workflow({}));
    expect(notices.map((notice) => notice.code)).toContain("invalid_content");
    expect(headway.getView().canvas.equalsHead).toBe(false);
    const refused = thrown(() => headway.preview("s1"));
    expect(refused).toMatchObject({ code: "invalid_content", detail: headway.validate("s1") });
    await expect(headway.syncCanvas()).rejects.toMatchObject({ code: "invalid_content", detail: headway.validate() });
    expect(canvas.writes).toBe(0);
    headway.receive(snapshot([between("s1", "step-initial", workflow({}), workflow({ a: 1 }))], "s1"));
    await headway.syncCanvas();
    expect(JSON.parse(canvas.text)).toEqual(workflow({ a: 1 }));
  });
});

describe("C3: memoryBudget", () => {
  const text = (at: number) => ({ v: `${at} `.repeat(2000) });
  const steps = [
    between("trunk", "step-initial", text(0), text(1)),
    between("old", "trunk", text(1), text(2)),
    between("tip", "old", text(2), text(3)),
    between("head", "trunk", text(1), text(4)),
  ];

  test("what is let go says so, is counted, and comes back", () => {
    const { headway, notices } = blank({ memoryBudget: 17_000 });
    headway.receive(snapshot(steps, "head"));
    expect(notices.map((notice) => notice.code)).toEqual(["evicted"]);
    expect(headway.stats()).toMatchObject({ evicted: 2, snapshots: 3 });
    expect(headway.stats().contentBytes).toBeLessThanOrEqual(17_000);
    for (const ask of [
      () => headway.content("tip"),
      () => headway.diff("tip", "head"),
      () => headway.planMerge("tip"),
    ]) {
      expect(thrown(ask).code).toBe("evicted");
    }
    expect(headway.step("tip")?.changed).toBe(true);
    expect(headway.diff("trunk", "head")).toHaveLength(1);
    headway.receive(snapshot(steps, "tip"));
    expect(JSON.parse(headway.content("tip") ?? "")).toEqual(text(3));
    expect(thrown(() => headway.content("head")).code).toBe("evicted");
  });

  test("X2: a budget that makes no sense is refused", () => {
    for (const memoryBudget of [0, -1, NaN, "1" as never]) {
      expect(thrown(() => blank({ memoryBudget })).code).toBe("invalid_argument");
    }
    expect(thrown(() => blank({ validation: "lax" as never })).code).toBe("invalid_argument");
    expect(blank({ memoryBudget: Infinity }).headway.stats().evicted).toBe(0);
  });
});
