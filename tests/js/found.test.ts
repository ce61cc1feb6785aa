/** Sequences that once went wrong in the facade, each by the rule that it broke. */
import { describe, expect, test } from "vitest";
import { Headway, HeadwayError } from "headway";
import { headChange, liveStep, snapshot, status, step, TWO_TURNS } from "./fixtures.js";
import { blank, canvasOf, ids, made, scene } from "./scene.js";

describe("a view that is read late", () => {
  test("T8: does not cost the newer one its identity", () => {
    const { headway } = scene();
    const old = headway.getView();
    headway.receive(liveStep(step("a2", "u2", "t2", [1, 2], "edited")));
    const now = headway.getView();
    const edited = now.steps[3];
    expect(edited?.content).toBe("edited");
    expect(old.steps[3]).toBe(edited);
    headway.receive(status("GENERATING"));
    expect(headway.getView().steps).toBe(now.steps);
    expect(headway.step("a2")).toBe(edited);
  });

  test("shows no step that was never in it, although a handle is used again", () => {
    const { headway } = scene();
    const old = headway.getView();
    headway.receive(snapshot(TWO_TURNS.slice(0, 2), "a1"));
    headway.receive(liveStep(step("u9", "a1", "t9", [1, 1], "another one")));
    headway.receive(liveStep(step("a9", "u9", "t9", [1, 1], "and one more")));
    expect(old.steps.map((one) => one.id)).toEqual(["u1", "a1"]);
    expect(ids(headway)).toEqual(["u1", "a1", "u9", "a9"]);
  });
});

describe("inside a callback", () => {
  test("everything tells the same moment", () => {
    const { headway } = scene();
    const seen: unknown[] = [];
    const leave = headway.subscribe(() => {
      leave();
      headway.receive(headChange("a1"));
      seen.push(headway.getView().length, headway.steps().length);
      void headway.prompt("third").catch(() => undefined);
      seen.push(headway.getView().pending, headway.can("prompt"));
    });
    headway.receive(status("AVAILABLE"));
    headway.receive(liveStep(step("a2", "u2", "t2", [1, 2], "edited")));
    expect(seen).toEqual([2, 2, "prompt", "pending"]);
  });

  test("X3: free settles every promise, whatever is queued", async () => {
    const { headway } = scene();
    canvasOf(headway, { v: 7 });
    let synced: Promise<unknown> | undefined;
    headway.subscribe(() => {
      synced = headway.syncCanvas();
      headway.free();
    });
    headway.receive(status("GENERATING"));
    await expect(synced).rejects.toMatchObject({ code: "freed" });

    const other = scene().headway;
    other.bindCanvas({ read: () => "{}", replace: () => other.free() });
    await expect(other.syncCanvas()).rejects.toMatchObject({ code: "freed" });
  });
});

describe("cost", () => {
  test("T8: a turn that did not change is not made again, however many there are", () => {
    const { headway } = blank();
    const many = Array.from({ length: 300 }, (_, at) => {
      const [u, a] = [`u${at}`, `a${at}`];
      return [
        step(u, at ? `a${at - 1}` : "step-initial", `t${at}`, [0, 0], `question ${at}`),
        step(a, u, `t${at}`, [0, 0]),
      ];
    }).flat();
    headway.receive(snapshot(many, "a299"));
    const before = headway.getView().turns;
    headway.receive(liveStep(step("u300", "a299", "t300", [0, 0], "one more")));
    const after = headway.getView().turns;
    expect(after.length).toBe(301);
    before.forEach((turn, at) => expect(after[at]).toBe(turn));
    headway.receive(status("GENERATING"));
    expect(headway.getView().turns[7]).not.toBe(before[7]);
    expect(headway.getView().turns[7]).toEqual({ ...before[7], canRevert: "busy" });
  });

  test("T7: views of a long path share it, also when its last step is sent again", () => {
    const { headway } = blank();
    const chain = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => {
        const number = from + at;
        return {
          id: `s${number}`,
          parentId: number ? `s${number - 1}` : "step-initial",
          messageId: "t",
          role: "agent",
        };
      });
    headway.receive(snapshot(chain(0, 5_000), "s4999"));
    const old = headway.getView();
    for (const version of [1, 2, 3]) {
      headway.receive(liveStep({ ...chain(4_999, 5_000)[0], content: `version ${version}` }));
      for (const one of chain(5_000 + (version - 1) * 300, 5_000 + version * 300)) headway.receive(liveStep(one));
      headway.receive(headChange("s4999"));
      expect(headway.getView().steps.at(-1)).toMatchObject({ id: "s4999", content: `version ${version}` });
    }
    headway.receive(headChange("s511"));
    expect(ids(headway).at(-1)).toBe("s511");
    headway.receive(headChange("s512"));
    expect(headway.getView().length).toBe(513);
    expect(old.steps.length).toBe(5_000);
    expect(old.steps[4_998]?.id).toBe("s4998");
  });

  test("T8: the same window of steps is the same array", () => {
    const { headway } = scene();
    const first = headway.steps(1, 2);
    expect(headway.steps(1, 2)).toBe(first);
    headway.receive(status("GENERATING"));
    expect(headway.steps(1, 2)).toBe(first);
    headway.receive(liveStep(step("u2", "a1", "t2", [1, 1], "other words")));
    expect(headway.steps(1, 2)).not.toBe(first);
  });
});

describe("X2: what a host hands in", () => {
  test("is checked before it reaches the engine", async () => {
    const { headway } = scene();
    for (const odd of [7, {}, null]) expect(() => headway.content(odd as never)).toThrowError(HeadwayError);
    await expect(headway.prompt("hello", "nonsense" as never)).rejects.toMatchObject({ code: "invalid_argument" });
    for (const options of [
      { send: 5 },
      { now: "later" },
      { onNotice: {} },
      { commandTimeout: NaN },
      { commandTimeout: 0 },
    ])
      expect(() => Headway.create(options as never)).toThrowError(HeadwayError);
    const lost = Headway.create({ send: () => undefined, now: () => NaN });
    made.push(lost);
    lost.receive(snapshot());
    await expect(lost.revert("t2")).rejects.toMatchObject({ code: "invalid_argument" });
    expect(() => lost.tick()).toThrowError(/finite number/);
    expect(lost.getView().pending).toBeUndefined();
  });

  test("a canvas that is bound twice is unbound once", () => {
    const { headway } = scene();
    const canvas = { read: () => '{"v":2}', replace: () => undefined };
    const first = headway.bindCanvas(canvas);
    const second = headway.bindCanvas(canvas);
    first();
    expect(headway.getView().canvas.bound).toBe(true);
    second();
    expect(headway.getView().canvas.bound).toBe(false);
  });
});
