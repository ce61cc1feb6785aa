// The reference agent service, as a client on the wire sees it: frames, their order, refusals, redo.
import { describe, expect, it } from "vitest";
import { startService } from "../../www/server/service.ts";
import { AgentClient } from "./agent-client.ts";
import { agentWorld } from "./agent-world.ts";

const { open } = agentWorld();

const idOf = (steps: { messageId: string }[]): string => steps[0]?.messageId ?? "";

describe("a run", () => {
  it("starts with an empty snapshot whose keys are those of the protocol, `type` last", async () => {
    const client = await open();
    const snapshot = await client.next(() => true);
    expect(snapshot).toEqual({
      state: "AVAILABLE",
      steps: [],
      headId: "step-initial",
      canRedo: false,
      // At the root no step says what is on the canvas, so the snapshot does.
      workflowContent: expect.objectContaining({ operators: [], links: [] }) as unknown,
      capabilities: ["revert", "redo", "checkout"],
      type: "WsServerSnapshotEvent",
    });
    await client.turn("csv scan");
    expect(await (await open()).next(() => true)).not.toHaveProperty("workflowContent");
  });

  it("tells status, the user's step, agent steps, the last one again with isEnd, status", async () => {
    const client = await open();
    const steps = await client.turn("csv scan, then filter age > 30");
    const told = client.frames.slice(1).map((frame) => frame.state ?? frame.step?.role);
    expect(told).toEqual(["GENERATING", "user", "agent", "agent", "agent", "agent", "AVAILABLE"]);
    expect(steps.map((step) => step.stepId)).toEqual([0, 1, 2, 3, 3]);
    expect(steps.map((step) => [step.isBegin, step.isEnd])).toEqual([
      [true, true],
      [true, false],
      [false, false],
      [false, false],
      [false, true],
    ]);
    expect({ ...steps[3], isEnd: true }).toEqual(steps[4]);
  });

  it("ends every frame with `type`", async () => {
    const client = await open();
    const [user] = await client.turn("csv scan");
    client.send("WsClientRevertCommand", { messageId: user?.messageId });
    await client.nextHead();
    client.send("WsClientNonsense");
    await client.nextError();
    for (const text of client.texts) expect(Object.keys(JSON.parse(text) as object).at(-1)).toBe("type");
  });

  it("chains steps by parent, and contents from before to after", async () => {
    const client = await open();
    const steps = await client.turn("csv scan, then filter age > 30");
    const more = await client.turn("limit to 3");
    const path = [...steps.slice(0, -1), ...more.slice(0, -1)];
    path.forEach((step, index) => {
      const parent = path[index - 1];
      expect(step.parentId).toBe(parent?.id ?? "step-initial");
      if (parent) expect(step.beforeWorkflowContent).toEqual(parent.afterWorkflowContent);
    });
    expect(steps[0]?.beforeWorkflowContent).toEqual(steps[0]?.afterWorkflowContent);
    expect(path.at(-1)?.afterWorkflowContent?.operators.map((one) => one.operatorType)).toEqual([
      "CSVFileScan",
      "Filter",
      "Limit",
    ]);
  });

  it("gives ids of the known shape and never the same one twice", async () => {
    const client = await open("a-b");
    const first = await client.turn("csv scan");
    client.send("WsClientRevertCommand", { messageId: idOf(first) });
    await client.nextHead();
    const second = await client.turn("csv scan");
    const ids = [...first.slice(0, -1), ...second.slice(0, -1)].map((step) => step.id);
    for (const id of ids) expect(id).toMatch(/^step-\d+-\d{13}$/);
    expect(new Set(ids).size).toBe(ids.length);
    expect(idOf(first)).toMatch(/^msg-a-b-1-\d{13}$/);
    expect(idOf(second)).toMatch(/^msg-a-b-2-\d{13}$/);
  });

  it("answers each tool call by its id", async () => {
    const client = await open();
    for (const step of await client.turn("csv scan, filter age > 3, clear the canvas")) {
      expect(step.toolResults?.map((result) => result.toolCallId)).toEqual(
        step.toolCalls?.map((call) => call.toolCallId),
      );
    }
  });

  it("that fails ends with an error notice, and leaves what was done", async () => {
    const client = await open();
    const steps = await client.turn("csv scan, then crash on purpose");
    const notice = steps.at(-1);
    expect(notice?.content).toMatch(/^Error: /);
    expect([notice?.isBegin, notice?.isEnd]).toEqual([false, true]);
    expect(notice?.afterWorkflowContent?.operators).toHaveLength(1);
  });
});

describe("stop", () => {
  it("in a pause ends the run at once, however long the pause", async () => {
    const slow = await startService({ port: 0, pace: 3_600_000 });
    const client = await AgentClient.open(slow.url);
    client.send("WsClientPromptCommand", { content: "csv scan" });
    await client.nextStep();
    client.send("WsClientStopCommand");
    const notice = await client.nextStep();
    expect(notice.step).toMatchObject({ stepId: 1, content: "Generation stopped by user.", isEnd: true });
    await client.nextState("AVAILABLE");
    client.close();
    await slow.close();
  });

  it("while nothing runs is refused and changes no state", async () => {
    const client = await open();
    client.send("WsClientStopCommand");
    expect(await client.nextError()).toBe("The agent is not running");
    expect((await (await open()).next(() => true)).state).toBe("AVAILABLE");
  });
});

describe("revert and redo", () => {
  it("go back and forth newest first, telling content and canRedo (R1, R3)", async () => {
    const client = await open();
    const one = await client.turn("csv scan");
    const two = await client.turn("filter age > 30");
    const three = await client.turn("limit to 5");
    client.send("WsClientRevertCommand", { messageId: idOf(three) });
    expect(await client.nextHead()).toMatchObject({ headId: two.at(-1)?.id, canRedo: true });
    client.send("WsClientRevertCommand", { messageId: idOf(two) });
    const back = await client.nextHead();
    expect(back).toMatchObject({ headId: one.at(-1)?.id, canRedo: true });
    expect(back.workflowContent).toEqual(one.at(-1)?.afterWorkflowContent);
    client.send("WsClientRedoCommand");
    expect(await client.nextHead()).toMatchObject({ headId: two.at(-1)?.id, canRedo: true });
    client.send("WsClientRedoCommand");
    const forth = await client.nextHead();
    expect(forth).toMatchObject({ headId: three.at(-1)?.id, canRedo: false });
    expect(forth.workflowContent).toEqual(three.at(-1)?.afterWorkflowContent);
    client.send("WsClientRedoCommand");
    expect(await client.nextError()).toBe("Nothing to redo");
  });

  it("over several turns at once: one redo returns over all of them (R3)", async () => {
    const client = await open();
    const one = await client.turn("csv scan");
    await client.turn("filter age > 30");
    const three = await client.turn("limit to 5");
    client.send("WsClientRevertCommand", { messageId: idOf(one) });
    const back = await client.nextHead();
    expect(back).toMatchObject({ headId: "step-initial", canRedo: true });
    expect(back.workflowContent?.operators).toEqual([]);
    client.send("WsClientRedoCommand");
    expect(await client.nextHead()).toMatchObject({ headId: three.at(-1)?.id, canRedo: false });
  });

  it("a new prompt empties redo, and the abandoned branch stays in the snapshot (R3)", async () => {
    const client = await open();
    const one = await client.turn("csv scan");
    client.send("WsClientRevertCommand", { messageId: idOf(one) });
    await client.nextHead();
    const other = await client.turn("read b.csv");
    client.send("WsClientRedoCommand");
    expect(await client.nextError()).toBe("Nothing to redo");
    client.send("WsClientRevertCommand", { messageId: idOf(one) });
    expect(await client.nextError()).toBe("Turn is not on the current conversation path");
    const snapshot = await (await open()).next(() => true);
    expect(snapshot).toMatchObject({ headId: other.at(-1)?.id, canRedo: false });
    expect(snapshot.steps).toHaveLength(one.length - 1 + other.length - 1);
    expect(snapshot.steps?.filter((step) => step.isEnd && step.role === "agent")).toHaveLength(2);
  });

  it("whose save fails move nothing and tell the asker alone", async () => {
    const client = await open("readonly");
    const other = await open("readonly");
    const one = await client.turn("csv scan");
    client.send("WsClientRevertCommand", { messageId: idOf(one) });
    expect(await client.nextError()).toBe("Failed to save the restored workflow; the operation was rolled back");
    await other.nextState("AVAILABLE");
    await other.turn("describe the workflow");
    expect(other.frames.some((frame) => frame.error !== undefined || frame.type === "WsServerHeadChangeEvent")).toBe(
      false,
    );
    expect(other.frames.at(-2)?.step?.content).toContain("one operator");
  });
});

describe("several sockets", () => {
  it("hear the same frames in the same order, errors only the one that asked", async () => {
    const asker = await open();
    const other = await open();
    const one = await asker.turn("csv scan, then filter age > 30");
    asker.send("WsClientRedoCommand");
    await asker.nextError();
    asker.send("WsClientRevertCommand", { messageId: idOf(one) });
    await asker.nextHead();
    await other.nextHead();
    expect(other.texts).toEqual(asker.texts.filter((text) => !text.includes("WsServerErrorEvent")));
    // Redo belongs to the agent, not to the socket that reverted.
    other.send("WsClientRedoCommand");
    expect(await asker.nextHead()).toMatchObject({ headId: one.at(-1)?.id, canRedo: false });
  });

  it("of other agents hear nothing", async () => {
    const one = await open("one");
    const two = await open("two");
    await one.turn("csv scan");
    await two.turn("hello");
    expect(two.frames.flatMap((frame) => frame.step?.toolCalls ?? [])).toEqual([]);
  });
});

describe("in the middle of a run", () => {
  // Slow enough to be in the middle of it, whatever else the machine does.
  const { open } = agentWorld(20);

  it("stop: STOPPING, a stop notice, AVAILABLE", async () => {
    const client = await open();
    client.send("WsClientPromptCommand", { content: "slowly build a big workflow" });
    await client.next((frame) => frame.step?.role === "agent");
    client.send("WsClientStopCommand");
    await client.nextState("STOPPING");
    await client.nextState("AVAILABLE");
    const after = client.frames.slice(client.frames.findIndex((frame) => frame.state === "STOPPING"));
    expect(after).toHaveLength(3);
    expect(after[1]?.step?.content).toBe("Generation stopped by user.");
    expect(after[1]?.step).not.toHaveProperty("toolCalls");
  });

  it("a new socket gets what was told so far, and the rest", async () => {
    const asker = await open();
    asker.send("WsClientPromptCommand", { content: "slowly add a filter" });
    await asker.next((frame) => frame.step?.role === "agent");
    const late = await open();
    const snapshot = await late.next(() => true);
    expect(snapshot.state).toBe("GENERATING");
    expect(snapshot.headId).toBe(snapshot.steps?.at(-1)?.id);
    await late.nextState("AVAILABLE");
  });

  it("revert, redo and a second prompt are refused", async () => {
    const client = await open();
    const one = await client.turn("csv scan");
    client.send("WsClientPromptCommand", { content: "slowly add a filter" });
    client.send("WsClientRevertCommand", { messageId: idOf(one) });
    expect(await client.nextError()).toBe("Cannot revert while the agent is busy");
    client.send("WsClientRedoCommand");
    expect(await client.nextError()).toBe("Cannot redo while the agent is busy");
    client.send("WsClientPromptCommand", { content: "limit to 5" });
    expect(await client.nextError()).toBe("Cannot prompt while the agent is busy");
  });
});
