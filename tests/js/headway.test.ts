import { describe, expect, test, vi } from "vitest";
import fc from "fast-check";
import { Headway, HeadwayError } from "headway";
import { headChange, liveStep, snapshot, status, step, TWO_TURNS } from "./fixtures.js";
import { blank, canvasOf, ids, made, scene } from "./scene.js";
import { idle, uncaught } from "./uncaught.js";

describe("view", () => {
  test("T8: the same object until something changed", () => {
    const { headway } = scene();
    const view = headway.getView();
    headway.receive(status("AVAILABLE"));
    headway.receive(snapshot());
    headway.receive("not a frame");
    expect(headway.getView()).toBe(view);
    headway.receive(status("GENERATING"));
    expect(headway.getView()).not.toBe(view);
  });

  test("T8: unchanged steps and turns keep their identity, across snapshots and reverts, too", () => {
    const { headway } = scene();
    const before = headway.getView();
    const [steps, turns] = [before.steps, before.turns];
    headway.receive(status("GENERATING"));
    headway.receive(status("AVAILABLE"));
    expect(headway.getView().steps).toBe(steps);
    expect(headway.getView().turns).toBe(turns);
    headway.receive(headChange("a1"));
    headway.receive(headChange("a2", false));
    headway.disconnected();
    headway.connected();
    headway.receive(snapshot([...TWO_TURNS, step("u3", "a2", "t3", [2, 2], "third")], "u3"));
    const after = headway.getView();
    expect(after.steps.length).toBe(5);
    steps.forEach((one, at) => expect(after.steps[at]).toBe(one));
    expect(after.turns[0]).toBe(turns[0]);
  });

  test("a view that was looked at late still shows its own moment", () => {
    const { headway } = scene();
    const atTwo = headway.getView();
    headway.receive(headChange("a1"));
    const atOne = headway.getView();
    headway.receive(liveStep(step("u3", "a1", "t3", [1, 1], "other")));
    headway.receive(liveStep(step("a3", "u3", "t3", [1, 5], "done")));
    expect(atTwo.steps.map((one) => one.id)).toEqual(["u1", "a1", "u2", "a2"]);
    expect(atOne.steps.map((one) => one.id)).toEqual(["u1", "a1"]);
    expect(ids(headway)).toEqual(["u1", "a1", "u3", "a3"]);
  });

  test("everything in it is frozen", () => {
    const { headway } = blank();
    const busy = {
      usage: { inputTokens: 1 },
      toolCalls: [{ toolName: "t", toolCallId: "c", input: { a: [{}] } }],
      odd: [{}],
    };
    headway.receive(snapshot([{ ...TWO_TURNS[0], ...busy }], "u1"));
    const view = headway.getView();
    const todo: unknown[] = [view];
    let seen = 0;
    while (todo.length > 0) {
      const part = todo.pop();
      if (typeof part !== "object" || part === null) continue;
      seen += 1;
      expect(Object.isFrozen(part)).toBe(true);
      todo.push(...Object.values(part));
    }
    expect(seen).toBeGreaterThan(15);
  });

  test("T9: a step has its fields, and unknown ones in extra, lone surrogates and __proto__ included", () => {
    const { headway } = blank();
    const odd = `{"id":"u1","messageId":"t1","role":"user","content":"a\\ud800","parentId":null,"__proto__":{"x":1},"n":1e400}`;
    headway.receive(`{"state":"AVAILABLE","steps":[${odd}],"headId":"u1","type":"WsServerSnapshotEvent"}`);
    const [one] = headway.getView().steps;
    expect(one).toMatchObject({ id: "u1", turnId: "t1", stepId: 0, timestamp: 0, isBegin: false, changed: false });
    expect(one?.content).toBe("a\ud800");
    expect(one).not.toHaveProperty("parentId");
    expect(Object.keys(one?.extra ?? {})).toEqual(["__proto__", "n"]);
    expect(Object.getPrototypeOf(one?.extra)).toBe(Object.prototype);
    expect(headway.step("u1")).toBe(one);
    expect(headway.step("step-initial")).toBeUndefined();
  });

  test("a window of steps is cut at both ends", () => {
    const { headway } = scene();
    const names = (from?: number, count?: number) => headway.steps(from, count).map((one) => one.id);
    expect(names()).toEqual(["u1", "a1", "u2", "a2"]);
    expect(names(1, 2)).toEqual(["a1", "u2"]);
    expect(names(-5, 1)).toEqual(["u1"]);
    expect(names(3, 99)).toEqual(["a2"]);
    expect(names(99)).toEqual([]);
    expect(names(NaN, NaN)).toEqual([]);
    expect(headway.steps(1, 1)[0]).toBe(headway.getView().steps[1]);
  });

  test("H1: a turn knows what it did and whether it can be reverted", () => {
    const { headway } = scene();
    expect(
      headway.getView().turns.map(({ id, title, changed, canRevert }) => ({ id, title, changed, canRevert })),
    ).toEqual([
      { id: "t1", title: "first question", changed: true, canRevert: true },
      { id: "t2", title: "second question", changed: true, canRevert: true },
    ]);
    headway.receive(status("GENERATING"));
    expect(headway.getView().turns.map((turn) => turn.canRevert)).toEqual(["busy", "busy"]);
  });
});

describe("commands", () => {
  test("R1 R13: a revert resolves when HEAD is there, with the prompt", async () => {
    const { headway, sent } = scene();
    const answer = headway.revert("t2");
    expect(sent).toEqual(['{"type":"WsClientRevertCommand","messageId":"t2"}']);
    expect(headway.getView().pending).toBe("revert");
    headway.receive(headChange("a1"));
    await expect(answer).resolves.toMatchObject({ headId: "a1", canvasWritten: false, prompt: "second question" });
    expect(headway.getView()).toMatchObject({ canRedo: true, redoLeadsTo: "t2", length: 2 });
    const again = headway.redo();
    headway.receive(headChange("a2", false));
    await expect(again).resolves.toMatchObject({ headId: "a2", canvasWritten: false });
  });

  test("R2 X2: refusals are HeadwayErrors with a code and a sentence, and nothing is sent", async () => {
    const { headway, sent } = scene();
    for (const [call, code] of [
      [() => headway.revert("nobody"), "unknown_turn"],
      [() => headway.redo(), "nothing_to_redo"],
      [() => headway.stop(), "not_running"],
      [() => headway.prompt("  "), "empty_prompt"],
      [() => headway.syncCanvas(), "canvas_unbound"],
      [() => headway.revert(7 as unknown as string), "invalid_argument"],
    ] as const) {
      const error = await call().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(HeadwayError);
      expect(error).toMatchObject({ code, name: "HeadwayError" });
      expect((error as Error).message.length).toBeGreaterThan(10);
    }
    expect(sent).toEqual([]);
    expect(headway.can("revert", "nobody")).toBe("unknown_turn");
    expect(headway.can("revert", "t1")).toBe(true);
    expect(headway.can("prompt")).toBe(true);
  });

  test("R8: the server's error rejects with its code and its words", async () => {
    const { headway } = scene();
    const answer = headway.revert("t2");
    await expect(headway.prompt("meanwhile")).rejects.toMatchObject({ code: "pending" });
    headway.receive('{"error":"Turn is not on the current conversation path","type":"WsServerErrorEvent"}');
    await expect(answer).rejects.toMatchObject({
      code: "not_on_path",
      message: "Turn is not on the current conversation path",
    });
  });

  test("R8: time-outs are by the host's clock", async () => {
    let now = 0;
    const { headway } = scene({ now: () => now, commandTimeout: 50 });
    const answer = headway.revert("t2");
    now = 49;
    headway.tick();
    expect(headway.getView().pending).toBe("revert");
    now = 50;
    headway.tick();
    await expect(answer).rejects.toMatchObject({ code: "timed_out" });
  });

  test("without a send, or with one that throws, a command is refused as offline", async () => {
    const mute = Headway.create();
    made.push(mute);
    mute.connected();
    mute.receive(snapshot());
    expect(mute.can("prompt")).toBe("offline");
    await expect(mute.prompt("hello")).rejects.toMatchObject({ code: "offline" });
    const { headway } = scene({
      send: () => {
        throw new Error("the socket is closing");
      },
    });
    await expect(headway.revert("t2")).rejects.toMatchObject({ code: "offline" });
    expect(headway.getView().pending).toBeUndefined();
  });

  test("an answer that comes from inside send is no problem", async () => {
    const { headway } = scene({ send: () => headway.receive(headChange("a1")) });
    await expect(headway.revert("t2")).resolves.toMatchObject({ headId: "a1" });
  });

  test("R3: a prompt ends what could be redone; its promise resolves with its step", async () => {
    const { headway, sent } = scene();
    headway.receive(headChange("a1"));
    const answer = headway.prompt("third", "feedback");
    expect(sent).toEqual(['{"type":"WsClientPromptCommand","content":"third","messageSource":"feedback"}']);
    headway.receive(status("GENERATING"));
    headway.receive(liveStep(step("u3", "a1", "t3", [1, 1], "third")));
    await expect(answer).resolves.toBeUndefined();
    expect(headway.getView().canRedo).toBe(false);
  });
});

describe("canvas", () => {
  test("P14: binding and a first connect overwrite nothing; syncCanvas does", async () => {
    const { headway, notices } = scene();
    const { canvas } = canvasOf(headway, { v: 7 });
    expect(canvas).toEqual({ text: '{"v":7}', writes: 0 });
    expect(headway.getView().canvas).toEqual({
      bound: true,
      equalsHead: false,
      manualEdits: 1,
      stashes: 0,
      contentUnknown: false,
    });
    expect(notices.map((notice) => notice.code)).toEqual(["canvas_differs"]);
    await expect(headway.syncCanvas()).resolves.toMatchObject({ headId: "a2", canvasWritten: true });
    await expect(headway.syncCanvas()).resolves.toMatchObject({ headId: "a2", canvasWritten: false });
    expect(canvas).toEqual({ text: '{"v":2}', writes: 1 });
    expect(headway.getView().canvas.equalsHead).toBe(true);
  });

  test("R1 P2 P12: a revert writes once, an equal canvas not at all, and a redo brings it back", async () => {
    const { headway } = scene();
    const { canvas, unbind } = canvasOf(headway, { v: 2 });
    const reverted = headway.revert("t2");
    headway.receive(headChange("a1"));
    await expect(reverted).resolves.toMatchObject({ canvasWritten: true });
    headway.receive(headChange("a1"));
    expect(canvas).toEqual({ text: '{"v":1}', writes: 1 });
    canvas.text = '{"v": 99}'; // by hand
    headway.receive(headChange("a1"));
    expect(canvas).toEqual({ text: '{"v":1}', writes: 2 });
    unbind();
    headway.receive(headChange("a2", false));
    expect(canvas.writes).toBe(2);
  });

  test("a canvas that throws is a notice; the session goes on", async () => {
    const { headway, notices } = scene();
    headway.bindCanvas({
      read: () => "{}",
      replace: () => {
        throw new Error("no canvas any more");
      },
    });
    const reverted = headway.revert("t2");
    headway.receive(headChange("a1"));
    await expect(reverted).resolves.toMatchObject({ headId: "a1", canvasWritten: false, prompt: "second question" });
    expect(notices.at(-1)).toMatchObject({ code: "canvas_failed" });
    expect(notices.at(-1)?.message).toContain("no canvas any more");
    expect(headway.getView().canvas.equalsHead).toBe(false);
    headway.bindCanvas({ read: () => undefined as unknown as string, replace: () => undefined });
    expect(notices.at(-1)?.message).toContain("read() has to give");
  });

  test("a canvas, a notice or a listener may call back in: it is queued, never nested", () => {
    const { headway } = scene();
    const seen: string[] = [];
    let depth = 0;
    const once = (name: string, call: () => void) => {
      expect(++depth, name).toBe(1);
      seen.push(name);
      call();
      depth--;
    };
    headway.bindCanvas({
      read: () => '{"v":2}',
      replace: () => once("replace", () => headway.receive(status("GENERATING"))),
    });
    headway.subscribe(() => once("listener", () => headway.tick()));
    headway.receive(headChange("a1"));
    expect(seen).toEqual(["replace", "listener"]);
    expect(headway.getView().agentState).toBe("GENERATING");
  });
});

describe("store", () => {
  test("listeners are called after the change, once, and not after they left", () => {
    const { headway } = scene();
    const views: unknown[] = [];
    const leave = headway.subscribe(() => views.push(headway.getView()));
    headway.receive(status("GENERATING"));
    headway.receive(status("GENERATING"));
    expect(views).toEqual([headway.getView()]);
    leave();
    headway.receive(status("AVAILABLE"));
    expect(views.length).toBe(1);
  });

  test("a listener that throws does not silence the others", async () => {
    const { headway } = scene();
    const thrown = new Error("a listener of the host's");
    const caught = uncaught();
    headway.subscribe(() => {
      throw thrown;
    });
    const second = vi.fn();
    headway.subscribe(second);
    headway.receive(status("GENERATING"));
    expect(second).toHaveBeenCalledOnce();
    await idle();
    expect(caught).toEqual([thrown]);
  });
});

describe("X1 X2 X3: bad input", () => {
  test("bad frames are notices with a code and a place", () => {
    const { headway, notices } = scene();
    const view = headway.getView();
    headway.receive("{");
    headway.receive('{"type":"WsServerNews"}');
    headway.receive('{"type":"WsServerStepEvent","step":{"id":7}}');
    expect(notices.map(({ code, path }) => ({ code, path }))).toEqual([
      { code: "frame_not_json", path: undefined },
      { code: "unknown_frame", path: "type" },
      { code: "malformed_step", path: "step.id" },
    ]);
    expect(headway.getView()).toBe(view);
  });

  test("what is no text is refused", () => {
    const { headway } = scene();
    for (const odd of [undefined, null, 7, {}, new Uint8Array(3)])
      expect(() => headway.receive(odd as unknown as string)).toThrowError(HeadwayError);
    expect(() => headway.bindCanvas({} as never)).toThrowError(/read and replace/);
    expect(() => Headway.create(null as never)).toThrowError(/options/);
    expect(() => headway.can("fly" as "stop")).toThrowError(/no command "fly"/);
  });

  test("every kind of text crosses the boundary unchanged", () => {
    const { headway } = blank();
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.jsonValue(), (words, value) => {
        const content = JSON.stringify({ words, value });
        const one = { ...step("u1", "step-initial", "t1", [0, 0], words), afterWorkflowContent: { words, value } };
        headway.receive(snapshot([one], "u1"));
        expect(headway.getView().steps[0]?.content).toBe(words);
        expect(headway.content()).toBe(content);
      }),
      { numRuns: 300 },
    );
  });

  test("a long frame of mixed scripts fits the room that is made for it", () => {
    const { headway } = blank();
    const words = "a".repeat(3_000_000) + "ж漢🙏".repeat(500_000);
    headway.receive(snapshot([step("u1", "step-initial", "t1", [0, 0], words)], "u1"));
    expect(headway.getView().steps[0]?.content).toBe(words);
  });

  test("X3: after free every call says so, and what waited is rejected", async () => {
    const headway = Headway.create({ send: () => undefined });
    headway.connected();
    headway.receive(snapshot());
    const view = headway.getView();
    const waiting = headway.revert("t2");
    headway.getView();
    headway.free();
    headway.free();
    await expect(waiting).rejects.toMatchObject({ code: "freed" });
    for (const call of [
      () => headway.receive("{}"),
      () => headway.getView(),
      () => headway.steps(),
      () => headway.content(),
      () => headway.can("prompt"),
      () => headway.subscribe(() => undefined),
      () => headway.bindCanvas({ read: () => "{}", replace: () => undefined }),
      () => view.steps,
      () => view.turns,
    ])
      expect(call).toThrowError(/was freed/);
    await expect(headway.prompt("hello")).rejects.toMatchObject({ code: "freed" });
  });
});
