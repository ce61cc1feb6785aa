// Local authority: no server, the host records what its agent does (R14).
import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { Headway, HeadwayError, type HeadwayOptions } from "headway";
import { bindYjs } from "headway/yjs";
import { canvasOf, made } from "./scene.js";

interface Fields {
  readonly age: number;
}

const workflow = ({ age }: Fields) =>
  JSON.stringify({
    operators: [{ operatorID: "f", operatorType: "Filter", operatorProperties: { age } }],
    operatorPositions: { f: { x: 0, y: 0 } },
    links: [],
    commentBoxes: [],
  });

function local(options: HeadwayOptions = {}): Headway {
  const headway = Headway.create({ authority: "local", now: () => 1234, ...options });
  made.push(headway);
  return headway;
}

/** One turn in which the agent sets the age. */
function turn(headway: Headway, age: number, prompt = `age > ${age}`): string {
  const id = headway.beginTurn(prompt);
  headway.recordStep({ content: "done", after: workflow({ age }) });
  headway.endTurn();
  return id;
}

const refused = (code: string) => expect.objectContaining({ code }) as HeadwayError;

describe("a session without a server", () => {
  test("records turns, reverts, redoes and checks out; the canvas follows (R1, R3, R14)", async () => {
    const headway = local({ content: workflow({ age: 0 }) });
    const { canvas } = canvasOf(headway, JSON.parse(workflow({ age: 0 })));
    const shown = () => (JSON.parse(canvas.text) as { operators: [{ operatorProperties: Fields }] }).operators[0];
    const first = turn(headway, 30);
    const second = turn(headway, 40);
    expect(shown().operatorProperties).toEqual({ age: 40 });
    expect(headway.getView()).toMatchObject({ connection: "live", agentState: "AVAILABLE", canRedo: false });
    expect(headway.getView().turns.map(({ id, prompt, ended }) => [id, prompt, ended])).toEqual([
      [first, "age > 30", "done"],
      [second, "age > 40", "done"],
    ]);

    const moved = await headway.revert(first);
    expect(moved).toMatchObject({ headId: "step-initial", canvasWritten: true, prompt: "age > 30" });
    expect(moved.edits.describe()).toEqual(["Filter: age: 40 → 0"]);
    expect(headway.getView()).toMatchObject({ canRedo: true, redoLeadsTo: second, length: 0 });
    expect(await headway.redo()).toMatchObject({ canvasWritten: true });
    expect(shown().operatorProperties).toEqual({ age: 40 });

    // Where each would lead can be asked before, whether or not it may be asked for now (R1, R5).
    const steps = headway.getView().steps.map(({ id }) => id);
    expect(headway.leadsTo("revert", first)).toBe("step-initial");
    expect(headway.leadsTo("revert", second)).toBe(steps[1]);
    expect(headway.leadsTo("revertStep", steps[3]!)).toBe(steps[2]);
    expect(headway.leadsTo("checkout", steps[0]!)).toBe(steps[0]);
    expect(headway.leadsTo("redo")).toBeUndefined();
    expect(() => headway.leadsTo("revert", "nobody")).toThrow(refused("unknown_turn"));
    expect(() => headway.leadsTo("checkout", "nowhere")).toThrow(refused("unknown_step"));
    expect(() => headway.leadsTo("prompt" as never)).toThrow(refused("invalid_argument"));

    // Half a turn back, and to another branch and back.
    const [u1, a1, u2, a2] = headway.getView().steps.map(({ id }) => id);
    expect(await headway.revertStep(a2!)).toMatchObject({ headId: u2 });
    expect(shown().operatorProperties).toEqual({ age: 30 });
    await headway.checkout(a1!);
    const branch = turn(headway, 50);
    expect(headway.can("revert", second)).toBe("not_on_path");
    await headway.checkout(a2!);
    expect(shown().operatorProperties).toEqual({ age: 40 });
    await headway.checkout(u1!);
    expect(headway.getView()).toMatchObject({ headId: u1, canRedo: true });
    expect(headway.getView().turns.map(({ id }) => id)).toEqual([first]);
    expect(headway.step(a1!)).toMatchObject({ turnId: first, timestamp: 1234 });
    expect(branch).not.toBe(second);
  });

  test("begins with what the canvas shows, when nobody says otherwise", async () => {
    const headway = local();
    const { canvas } = canvasOf(headway, JSON.parse(workflow({ age: 7 })));
    const id = turn(headway, 30);
    expect(headway.getView().canvas).toMatchObject({ equalsHead: true, contentUnknown: false });
    await headway.revert(id);
    expect(JSON.parse(canvas.text)).toEqual(JSON.parse(workflow({ age: 7 })));
  });

  test("an agent that edits the canvas itself says so, and nothing is written (P2)", () => {
    const headway = local({ content: workflow({ age: 0 }) });
    const { canvas } = canvasOf(headway, JSON.parse(workflow({ age: 0 })));
    headway.beginTurn("age > 30");
    canvas.text = workflow({ age: 30 });
    headway.recordStep({ after: headway.content("canvas")! });
    headway.endTurn();
    expect(canvas.writes).toBe(0);
    expect(headway.getView()).toMatchObject({ canvas: { equalsHead: true }, turns: [{ changed: true }] });
  });

  test("what a person edits by hand meanwhile stays (P6, P13)", async () => {
    const headway = local({ content: workflow({ age: 0 }) });
    const doc = new Y.Doc();
    bindYjs(headway, doc);
    await headway.syncCanvas();
    const operator = () => doc.getMap<Y.Map<unknown>>("operatorIDMap").get("f")!;
    headway.beginTurn("age > 30");
    operator().set("customDisplayName", new Y.Text("Mine"));
    headway.recordStep({ after: workflow({ age: 30 }) });
    headway.endTurn();
    expect(operator().toJSON()).toMatchObject({ customDisplayName: "Mine", operatorProperties: { age: 30 } });
    await headway.revert(headway.getView().turns[0]!.id, "keep");
    expect(operator().toJSON()).toMatchObject({ customDisplayName: "Mine", operatorProperties: { age: 0 } });
    await expect(headway.redo("refuse")).resolves.toMatchObject({ conflicts: [] });
    (operator().get("operatorProperties") as Y.Map<unknown>).set("age", 99);
    await expect(headway.checkout("step-initial", "refuse")).rejects.toMatchObject({ code: "manual_edits" });
  });

  test("keeps everything that a step can have (T9)", () => {
    const headway = local();
    headway.beginTurn("go", "my-turn", "feedback");
    const toolCalls = [{ toolName: "add", toolCallId: "c1", input: { a: [1] } }];
    const toolResults = [{ toolCallId: "c1", output: "ok", isError: true }];
    const usage = { inputTokens: 3, totalTokens: 5 };
    const id = headway.recordStep({ content: "x", toolCalls, toolResults, usage, extra: { model: "m" } });
    expect(headway.step(id)).toMatchObject({ turnId: "my-turn", toolCalls, toolResults, usage, extra: { model: "m" } });
    headway.endTurn("failed", "no disk");
    expect(headway.getView().turns[0]).toMatchObject({ ended: "failed", usage: { totalTokens: 5 } });
    expect(headway.getView().steps.map(({ role, content, messageSource }) => [role, content, messageSource])).toEqual([
      ["user", "go", "feedback"],
      ["agent", "x", undefined],
      ["agent", "Error: no disk", undefined],
    ]);
  });

  test("tells who subscribed, once for each call (T8)", async () => {
    const headway = local();
    let told = 0;
    headway.subscribe(() => (told += 1));
    const counts = [
      () => headway.beginTurn("go"),
      () => headway.recordStep(),
      () => headway.endTurn("stopped"),
      () => headway.revert(headway.getView().turns[0]!.id),
    ].map((call) => {
      const before = told;
      void call();
      return told - before;
    });
    expect(counts).toEqual([1, 1, 1, 1]);
  });
});

describe("what makes no sense (R2, X2)", () => {
  test("is refused with a code, and nothing changes", async () => {
    const headway = local();
    expect(() => headway.recordStep()).toThrowError(refused("not_running"));
    expect(() => headway.endTurn()).toThrowError(refused("not_running"));
    expect(() => headway.beginTurn("  ")).toThrowError(refused("empty_prompt"));
    expect(() => headway.beginTurn("a", "")).toThrowError(refused("turn_taken"));
    expect(headway.can("prompt")).toBe("unsupported");
    await expect(headway.prompt("a")).rejects.toMatchObject({ code: "unsupported" });
    await expect(headway.redo()).rejects.toMatchObject({ code: "nothing_to_redo" });
    await expect(headway.checkout("no")).rejects.toMatchObject({ code: "unknown_step" });
    expect(headway.can("revertStep", "step-initial")).toBe("unknown_step");
    const id = headway.beginTurn("a");
    expect(() => headway.beginTurn("b")).toThrowError(refused("busy"));
    await expect(headway.revert(id)).rejects.toMatchObject({ code: "busy" });
    const before = headway.getView();
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    for (const [step, code] of [
      [null, "invalid_argument"],
      [{ content: 3 }, "invalid_argument"],
      [{ after: {} }, "invalid_argument"],
      [{ after: "[]" }, "invalid_content"],
      [{ after: "{" }, "invalid_content"],
      [{ text: "x" }, "invalid_argument"],
      [{ extra: { id: "x" } }, "malformed_step"],
      [{ extra: cycle }, "invalid_argument"],
      [{ toolCalls: {} }, "malformed_step"],
      [{ usage: "much" }, "malformed_step"],
    ] as const) {
      expect(() => headway.recordStep(step as never), JSON.stringify(code)).toThrowError(refused(code));
    }
    expect(() => headway.endTurn("over" as never)).toThrowError(refused("invalid_argument"));
    expect(headway.getView()).toBe(before);
  });

  test("a server's words are for who has a server, and the other way round", () => {
    const headway = local();
    for (const call of [() => headway.connected(), () => headway.disconnected(), () => headway.receive("{}")]) {
      expect(call).toThrowError(refused("unsupported"));
    }
    const served = Headway.create();
    made.push(served);
    expect(() => served.beginTurn("a")).toThrowError(refused("unsupported"));
    expect(() => served.recordStep()).toThrowError(refused("unsupported"));
    expect(() => served.endTurn()).toThrowError(refused("unsupported"));
  });

  test.each([
    [{ authority: "mine" }, "invalid_argument"],
    [{ content: "{}" }, "invalid_argument"],
    [{ authority: "local", content: {} }, "invalid_argument"],
    [{ authority: "local", content: "[]" }, "invalid_content"],
  ])("options %j", (options, code) => {
    expect(() => Headway.create(options as HeadwayOptions)).toThrowError(refused(code));
  });
});

describe("with a server, per step (R1)", () => {
  function served(capabilities: readonly string[] | undefined) {
    const sent: string[] = [];
    const headway = Headway.create({ send: (text) => void sent.push(text) });
    made.push(headway);
    headway.connected();
    const step = (id: string, parentId: string) => ({ id, parentId, messageId: "t", role: "agent", content: "" });
    const steps = [step("a", "step-initial"), step("b", "a")];
    headway.receive(
      JSON.stringify({
        state: "AVAILABLE",
        steps,
        headId: "b",
        canRedo: false,
        capabilities,
        type: "WsServerSnapshotEvent",
      }),
    );
    return { headway, sent };
  }
  const head = (headId: string) => JSON.stringify({ headId, canRedo: true, type: "WsServerHeadChangeEvent" });

  test("a checkout goes to who announces it, and is answered by a head change", async () => {
    const { headway, sent } = served(["revert", "redo", "checkout"]);
    const moved = headway.revertStep("b");
    expect(headway.getView().pending).toBe("checkout");
    headway.receive(head("a"));
    expect(await moved).toMatchObject({ headId: "a" });
    const back = headway.checkout("b");
    headway.receive(head("step-initial"));
    expect(headway.getView().pending).toBe("checkout");
    headway.receive(head("b"));
    expect(await back).toMatchObject({ headId: "b" });
    expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([
      { type: "WsClientCheckoutCommand", stepId: "a" },
      { type: "WsClientCheckoutCommand", stepId: "b" },
    ]);
    const refusedOne = headway.checkout("a");
    headway.receive(JSON.stringify({ error: "Unknown step: a", type: "WsServerErrorEvent" }));
    await expect(refusedOne).rejects.toMatchObject({ code: "unknown_step" });
  });

  test.each([[undefined], [["revert", "redo"]]])("and is refused where %j is announced", async (capabilities) => {
    const { headway, sent } = served(capabilities);
    expect(headway.can("checkout", "a")).toBe("unsupported");
    await expect(headway.checkout("a")).rejects.toMatchObject({ code: "unsupported" });
    await expect(headway.revertStep("b")).rejects.toMatchObject({ code: "unsupported" });
    expect(sent).toEqual([]);
  });
});
