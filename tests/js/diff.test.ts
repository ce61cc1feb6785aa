import { describe, expect, test } from "vitest";
import { HeadwayError } from "headway";
import { snapshot, step, TWO_TURNS } from "./fixtures.js";
import { blank, canvasOf, scene } from "./scene.js";

const workflow = (limit: number, x: number) => ({
  operators: [{ operatorID: "op1", operatorType: "Limit", operatorProperties: { limit } }],
  operatorPositions: { op1: { x, y: 0 } },
  links: [],
  commentBoxes: [],
  settings: {},
});

describe("H10 C4: diff", () => {
  test("tells what differs between two steps, as frozen edits with a summary", () => {
    const { headway } = blank();
    const [first, second] = [workflow(10, 0), workflow(20, 5)];
    headway.receive(
      snapshot(
        [
          { ...step("u1", "step-initial", "t1", [0, 0]), beforeWorkflowContent: first, afterWorkflowContent: first },
          { ...step("a1", "u1", "t1", [0, 0]), beforeWorkflowContent: first, afterWorkflowContent: second },
        ],
        "a1",
      ),
    );
    const edits = headway.diff("u1", "a1");
    expect([...edits]).toEqual([
      { kind: "set", collection: "operators", id: "op1", path: ["operatorProperties", "limit"], from: 10, to: 20 },
      { kind: "move", collection: "operatorPositions", id: "op1", from: { x: 0, y: 0 }, to: { x: 5, y: 0 } },
    ]);
    expect(edits.summary).toEqual({ added: 0, removed: 0, changed: 1, moved: 0 });
    expect(edits.describe()).toEqual(["Limit: limit: 10 → 20; moved"]);
    expect(Object.isFrozen(edits) && Object.isFrozen(edits[0]) && Object.isFrozen(edits.summary)).toBe(true);
    expect(headway.diff("a1", "a1")).toHaveLength(0);
    expect(headway.diff("step-initial", "a1")).toEqual(edits);
  });

  test("compares with the canvas, and a preview is what a move would do to it", () => {
    const { headway } = scene();
    const { canvas } = canvasOf(headway, { v: 2 });
    expect([...headway.preview("a1")]).toEqual([{ kind: "set", collection: "v", id: "", path: [], from: 2, to: 1 }]);
    expect(canvas.writes).toBe(0);
    expect(headway.diff("a2", "canvas")).toHaveLength(0);
    canvas.text = "[]";
    expect(() => headway.preview("a1")).toThrowError(expect.objectContaining({ code: "invalid_content" }) as Error);
  });

  test("X2: says what is missing", () => {
    const { headway } = scene();
    const code = (call: () => unknown) => {
      try {
        call();
      } catch (error) {
        return error instanceof HeadwayError && error.code;
      }
      return undefined;
    };
    expect(code(() => headway.diff("nobody", "a1"))).toBe("unknown_step");
    expect(code(() => headway.preview("a1"))).toBe("canvas_unbound");
    expect(code(() => headway.diff(7 as never, "a1"))).toBe("invalid_argument");
    const bare = blank().headway;
    bare.receive(snapshot([{ id: "u1", messageId: "t1", role: "user" }, ...TWO_TURNS.slice(0, 0)], "u1"));
    expect(code(() => bare.diff("u1", "u1"))).toBe("content_unknown");
  });

  test("odd names and numbers come through as they are", () => {
    const { headway } = blank();
    const one = { ...step("u1", "step-initial", "t1", [0, 0]) };
    const text = (content: string) =>
      `{"state":"AVAILABLE","steps":[${JSON.stringify(one).replace('{"v":0}', content)}],"headId":"u1","canRedo":false,"type":"WsServerSnapshotEvent"}`;
    headway.receive(text('{"operatorPositions":{"a\\ud800":{"x":1,"y":1}},"__proto__":{"é":1}}'));
    const edits = headway.diff("step-initial", "u1");
    expect(JSON.parse(JSON.stringify(edits))).toContainEqual(
      expect.objectContaining({ kind: "unset", collection: "__proto__" }),
    );
    expect(edits.some((edit) => edit.collection === "operatorPositions")).toBe(true);
  });
});
