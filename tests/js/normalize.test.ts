import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import type { Headway, HeadwayOptions } from "headway";
import { bindYjs } from "headway/yjs";
import { snapshot, step } from "./fixtures.js";
import { blank } from "./scene.js";

interface Operator {
  readonly operatorID: string;
  readonly operatorType: string;
  readonly operatorVersion?: string;
  readonly operatorProperties: { readonly age: number; readonly list?: readonly unknown[] };
}

interface Workflow {
  readonly operators: readonly Operator[];
  readonly [key: string]: unknown;
}

/** What the server has: no version, and a null in a list. */
const bare = (age: number): Workflow => ({
  operators: [{ operatorID: "f", operatorType: "Filter", operatorProperties: { age, list: [null, 1] } }],
  operatorPositions: { f: { x: 0, y: 0 } },
  links: [],
  commentBoxes: [],
});

/** As the workbench completes it. */
function complete(workflow: Workflow): Workflow {
  const operators = workflow.operators.map(({ operatorProperties: { age, list = [] }, ...rest }) => ({
    ...rest,
    operatorVersion: "v1",
    operatorProperties: { age, list: list.filter((item) => item !== null) },
  }));
  return { ...workflow, operators };
}

const turn = (id: string, parent: string, turnId: string, role: string, before: number, after: number) => ({
  ...step(id, parent, turnId, [0, 0]),
  role,
  content: "ask",
  beforeWorkflowContent: bare(before),
  afterWorkflowContent: bare(after),
});

const STEPS = [
  turn("u1", "step-initial", "t1", "user", 30, 30),
  turn("a1", "u1", "t1", "agent", 30, 40),
  turn("u2", "a1", "t2", "user", 40, 40),
  turn("a2", "u2", "t2", "agent", 40, 50),
];

const headChange = (headId: string) => JSON.stringify({ headId, canRedo: true, type: "WsServerHeadChangeEvent" });

interface Seen {
  shown(): unknown;
  setAge(age: number): void;
  writes(): number;
}

const SURFACES: Record<string, (headway: Headway) => Seen> = {
  "a plain canvas": (headway) => {
    let [content, writes] = [complete(bare(50)), 0];
    headway.bindCanvas({
      read: () => JSON.stringify(content),
      replace: (text) => {
        content = JSON.parse(text) as Workflow;
        writes += 1;
      },
    });
    return {
      shown: () => content.operators[0],
      setAge: (age) => void (content = complete(bare(age))),
      writes: () => writes,
    };
  },
  "a live document": (headway) => {
    const doc = new Y.Doc();
    const writer = blank();
    writer.headway.receive(
      JSON.stringify({ ...JSON.parse(snapshot([], "step-initial")), workflowContent: complete(bare(50)) }),
    );
    const unbind = bindYjs(writer.headway, doc);
    void writer.headway.syncCanvas();
    unbind();
    let writes = 0;
    bindYjs(headway, doc);
    doc.on("update", () => (writes += 1));
    const operator = () => doc.getMap<Y.Map<unknown>>("operatorIDMap").get("f")!;
    return {
      shown: () => operator().toJSON(),
      setAge: (age) => {
        (operator().get("operatorProperties") as Y.Map<unknown>).set("age", age);
        writes -= 1;
      },
      writes: () => writes,
    };
  },
};

function live(bind: (headway: Headway) => Seen, options: HeadwayOptions = {}) {
  const completed: string[] = [];
  const all = blank({
    normalize: (text) => {
      completed.push(text);
      return JSON.stringify(complete(JSON.parse(text) as Workflow));
    },
    ...options,
  });
  all.headway.receive(snapshot(STEPS, "a2"));
  return { ...all, completed, canvas: bind(all.headway) };
}

describe.each(Object.entries(SURFACES))("P15 %s", (_, bind) => {
  test("that shows the completed content equals HEAD, and nothing is written", async () => {
    const { headway, canvas, notices, completed } = live(bind);
    expect(headway.getView().canvas).toMatchObject({ equalsHead: true, manualEdits: 0 });
    expect(await headway.syncCanvas()).toMatchObject({ canvasWritten: false });
    headway.disconnected();
    headway.connected();
    headway.receive(snapshot(STEPS, "a2"));
    expect([canvas.writes(), notices]).toEqual([0, []]);
    expect(completed).toEqual([JSON.stringify(bare(50))]);
    expect(headway.diff("a2", "canvas")).toHaveLength(0);
    expect(headway.diff("canvas", "a2")).toHaveLength(0);
    expect(headway.preview("a2")).toHaveLength(0);
    expect(headway.preview("a1").describe()).toEqual(["Filter: age: 50 → 40"]);
    // What is kept is what came.
    expect(headway.content()).toBe(JSON.stringify(bare(50)));
    expect(headway.diff("a1", "a2").describe()).toEqual(["Filter: age: 40 → 50"]);
  });

  test("gets the completed content by a revert and by a live step, and keeps what was edited by hand", async () => {
    const { headway, canvas } = live(bind);
    const moved = headway.revert("t2");
    headway.receive(headChange("a1"));
    expect((await moved).edits.describe()).toEqual(["Filter: age: 50 → 40"]);
    expect(canvas.shown()).toEqual(complete(bare(40)).operators[0]);
    canvas.setAge(77);
    await headway.syncCanvas("keep");
    expect(headway.getView().canvas).toMatchObject({ equalsHead: false, manualEdits: 1 });
    await expect(headway.revert("t1", "refuse")).rejects.toMatchObject({
      code: "manual_edits",
      detail: [{ base: 40, mine: 77, theirs: 30 }],
    });
    headway.receive(JSON.stringify({ step: turn("a3", "a1", "t3", "agent", 40, 60), type: "WsServerStepEvent" }));
    expect(canvas.shown()).toEqual(complete(bare(60)).operators[0]);
    expect(headway.stashes()[0]?.edits.describe()).toEqual(["Filter: age: 40 → 77"]);
  });

  test.each([
    ["throws", () => undefined, "no version"],
    ["gives no text", () => undefined, "it has to give the content as JSON text"],
    ["gives no JSON", () => "{", "not JSON"],
    ["gives no object", () => "[]", "object"],
  ])("a `normalize` that %s leaves the canvas alone, and says so", async (what, made, why) => {
    let isBroken = false;
    const { headway, canvas, notices } = live(bind, {
      normalize: (text) => {
        if (!isBroken) return JSON.stringify(complete(JSON.parse(text) as Workflow));
        if (what === "throws") throw new Error("no version");
        return made() as unknown as string;
      },
    });
    isBroken = true;
    const moved = headway.revert("t2");
    headway.receive(headChange("a1"));
    expect(await moved).toMatchObject({ headId: "a1", canvasWritten: false });
    expect(canvas.shown()).toEqual(complete(bare(50)).operators[0]);
    expect(notices).toMatchObject([{ code: "normalize_failed", message: expect.stringContaining(why) as string }]);
    expect(headway.getView().canvas.equalsHead).toBe(false);
    for (const call of [
      () => headway.syncCanvas(),
      async () => headway.preview("u1"),
      () => headway.syncCanvas("refuse"),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: "normalize_failed" });
    }
    // As soon as it works, it works.
    isBroken = false;
    expect(await headway.syncCanvas()).toMatchObject({ canvasWritten: true });
    expect(canvas.shown()).toEqual(complete(bare(40)).operators[0]);
  });

  test("`normalize` may call back in, and may free the Headway", () => {
    const seen: string[] = [];
    let isLast = false;
    const { headway } = live(bind, {
      normalize: (text) => {
        seen.push(`${headway.getView().headId} ${headway.content()?.length}`);
        headway.receive(snapshot(STEPS, "a2"));
        if (isLast) headway.free();
        return JSON.stringify(complete(JSON.parse(text) as Workflow));
      },
    });
    headway.receive(headChange("a1"));
    expect(seen).toContainEqual(expect.stringMatching(/^a1 \d+/));
    expect(headway.getView().headId).toBe("a2");
    isLast = true;
    headway.receive(headChange("u1"));
    expect(() => headway.getView()).toThrowError(expect.objectContaining({ code: "freed" }) as Error);
  });
});

test("X2: `normalize` has to be a function", () => {
  expect(() => blank({ normalize: 3 as never })).toThrowError(
    expect.objectContaining({
      code: "invalid_argument",
      message: expect.stringContaining("normalize") as string,
    }) as Error,
  );
});
