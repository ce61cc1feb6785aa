// `headway/agent`: one agent, its log, and who looks at it (A1–A8).
import { afterEach, describe, expect, test, vi } from "vitest";
import { Headway, type HeadwayOptions } from "headway";
import {
  AgentSession,
  memoryStore,
  type AgentRun,
  type AgentSessionOptions,
  type AgentStore,
  type JoinOptions,
} from "headway/agent";

const open: AgentSession[] = [];
const made: Headway[] = [];
afterEach(() => {
  for (const session of open.splice(0)) session.kill();
  for (const headway of made.splice(0)) headway.free();
  vi.useRealTimers();
});

const content = (age: number) => `{"operators":[{"operatorID":"f","operatorType":"Filter","age":${age}.0}],"links":[]}`;

/** An agent that does as it is told by the test: each prompt waits for `next`. */
function agent() {
  const runs: { run: AgentRun; end(): void; fail(why: string): void }[] = [];
  const work = (run: AgentRun) =>
    new Promise<void>((resolve, reject) => {
      runs.push({ run, end: resolve, fail: (why) => reject(new Error(why)) });
    });
  return { runs, work, last: () => runs.at(-1)! };
}

interface World extends Partial<AgentSessionOptions> {
  readonly work?: (run: AgentRun) => void | Promise<void>;
}

async function session({ work, ...options }: World = {}): Promise<AgentSession> {
  const id = "a";
  const made = await AgentSession.open({
    id,
    agent: work ?? setsAge,
    content: content(0),
    now: () => 1234,
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  open.push(made);
  return made;
}

/** "30" sets the age to 30. */
async function setsAge(run: AgentRun): Promise<void> {
  await run.record({ content: "done", after: content(Number(run.prompt)) });
}

/** A socket that keeps what it is told. */
function socket(session: AgentSession, how?: JoinOptions) {
  const texts: string[] = [];
  const client = { send: (text: string) => void texts.push(text) };
  const leave = session.join(client, how);
  return {
    texts,
    leave,
    frames: () => texts.map((text) => JSON.parse(text) as Record<string, any>),
    say: (command: unknown) => session.receive(JSON.stringify(command), client),
    client,
  };
}

/** A Headway on a wire that delivers at once. */
function client(session: AgentSession, how: JoinOptions = { contents: "changed" }, options: HeadwayOptions = {}) {
  const wire = { send: (frame: string) => headway.receive(frame) };
  const headway: Headway = Headway.create({ send: (text) => void session.receive(text, wire), ...options });
  made.push(headway);
  headway.connected();
  const leave = session.join(wire, how);
  return { headway, leave };
}

const idle = (session: AgentSession) => expect.poll(() => session.overview.state).toBe("AVAILABLE");
const refused = (code: string) => expect.objectContaining({ code }) as unknown;

describe("a session", () => {
  test("runs the agent, tells all sockets, and moves HEAD for any of them (A1, A2)", async () => {
    const agentSide = await session();
    const [one, two] = [client(agentSide).headway, client(agentSide, { contents: "all" }).headway];
    await one.prompt("30");
    await idle(agentSide);
    await two.prompt("40");
    await idle(agentSide);
    for (const { getView } of [one, two]) {
      expect(getView().turns.map(({ prompt, ended, changed }) => [prompt, ended, changed])).toEqual([
        ["30", "done", true],
        ["40", "done", true],
      ]);
    }
    expect([one.content(), two.content()]).toEqual([content(40), content(40)]);

    const [first] = one.getView().turns;
    expect(await one.revert(first!.id)).toMatchObject({ headId: "step-initial", prompt: "30" });
    expect(two.getView()).toMatchObject({ headId: "step-initial", canRedo: true });
    expect([one.content(), two.content()]).toEqual([content(0), content(0)]);
    expect(await two.redo()).toMatchObject({ headId: agentSide.overview.headId });
    expect(one.content()).toBe(content(40));
    // Half a turn back, and to another branch.
    const [user] = one.getView().steps;
    expect(await one.checkout(user!.id)).toMatchObject({ headId: user!.id });
    expect(two.content()).toBe(content(0));
  });

  test("tells the words of the protocol, `type` last, contents to the letter (C1)", async () => {
    const agentSide = await session();
    const { texts, frames } = socket(agentSide);
    const turn = await agentSide.prompt("30", "feedback");
    await idle(agentSide);
    expect(frames().map(({ type }) => type)).toEqual([
      "WsServerSnapshotEvent",
      "WsServerStatusEvent",
      "WsServerStepEvent",
      "WsServerStepEvent",
      "WsServerStepEvent",
      "WsServerStatusEvent",
    ]);
    for (const text of texts) expect(Object.keys(JSON.parse(text) as object).at(-1)).toBe("type");
    const [, , user, step, ended] = frames();
    expect(user!.step).toMatchObject({
      messageId: turn,
      parentId: "step-initial",
      stepId: 0,
      role: "user",
      content: "30",
      messageSource: "feedback",
    });
    expect(step!.step).toMatchObject({ messageId: turn, parentId: user!.step.id, isBegin: true, isEnd: false });
    expect(ended!.step).toEqual({ ...step!.step, isEnd: true });
    expect(texts[3]).toContain(`"beforeWorkflowContent":${content(0)},"afterWorkflowContent":${content(30)}`);
    expect(user!.step).not.toHaveProperty("changed");
  });

  test.each([
    ["A", ["init", "state", "step", "step", "step", "state", "complete", "headChange"]],
    ["A'", ["snapshot", "status", "step", "step", "step", "status", "headChange"]],
    // Without a word for a HEAD that moved, everything is told anew.
    ["B", ["Snapshot", "Status", "Step", "Step", "Step", "Status", "Snapshot"].map((name) => `WsServer${name}Event`)],
    ["C", ["Snapshot", "Status", "Step", "Step", "Step", "Status", "HeadChange"].map((name) => `WsServer${name}Event`)],
  ] as const)("speaks dialect %s to who asks for it, and a Headway follows it (A3)", async (dialect, names) => {
    const agentSide = await session();
    const { frames } = socket(agentSide, { dialect });
    const { headway } = client(agentSide, { dialect });
    await headway.prompt("30");
    await idle(agentSide);
    await agentSide.revert(agentSide.headway.getView().turns[0]!.id);
    expect(frames().map(({ type }) => type)).toEqual(names);
    expect(frames()[0]).not.toHaveProperty("capabilities");
    expect("canRedo" in frames()[0]!).toBe(dialect !== "B");
    expect(headway.getView()).toMatchObject({ headId: "step-initial", agentState: "AVAILABLE", length: 0 });
    expect(headway.content()).toBe(content(0));
    expect(headway.can("checkout", "step-initial")).toBe("unsupported");
  });

  test("tells a content once to who has it already, and then it is the same history (A4)", async () => {
    const agentSide = await session();
    for (const age of ["30", "40", "50"]) {
      await agentSide.prompt(age);
      await idle(agentSide);
    }
    await agentSide.revert(agentSide.headway.getView().turns[1]!.id);
    const bytes = (how: JoinOptions) => socket(agentSide, how).texts[0]!.length;
    // Each of three user steps says it twice, and each of three steps of the agent says the one before, too.
    const saved = bytes({ contents: "all" }) - bytes({ contents: "changed" });
    expect(saved).toBeGreaterThan(8 * content(30).length);
    const [all, changed] = [client(agentSide, { contents: "all" }), client(agentSide)].map(({ headway }) => headway);
    const seen = (headway: Headway) => ({
      steps: headway.getView().steps,
      contents: agentSide.headway.getView().steps.map(({ id }) => headway.content(id)),
      first: headway.content("step-initial"),
      head: headway.content(),
    });
    expect(seen(changed!)).toEqual(seen(all!));
    expect(seen(all!).head).toBe(content(30));
  });
});

describe("commands", () => {
  test("that cannot be are answered with their text and code, to who asked alone (A5)", async () => {
    const { work, last } = agent();
    const agentSide = await session({ work });
    const [asker, other] = [socket(agentSide), socket(agentSide)];
    const error = async (command: object) => {
      await asker.say(command);
      const { error, code } = asker.frames().at(-1)!;
      return [error, code] as unknown;
    };
    expect(await error({ type: "WsClientStopCommand" })).toEqual(["The agent is not running", "not_running"]);
    expect(await error({ type: "WsClientRedoCommand" })).toEqual(["Nothing to redo", "nothing_to_redo"]);
    expect(await error({ type: "WsClientRevertCommand", messageId: "x" })).toEqual(["Unknown turn: x", "unknown_turn"]);
    expect(await error({ type: "WsClientCheckoutCommand", stepId: "x" })).toEqual(["Unknown step: x", "unknown_step"]);
    expect(await error({ type: "prompt", content: " " })).toEqual(["Message content is required", "empty_prompt"]);
    expect(other.texts).toHaveLength(1);

    await asker.say({ type: "message", content: "hello" });
    const turn = agentSide.headway.getView().turns[0]!.id;
    for (const [type, text] of [
      ["WsClientPromptCommand", "Cannot prompt while the agent is busy"],
      ["WsClientRevertCommand", "Cannot revert while the agent is busy"],
      ["WsClientRedoCommand", "Cannot redo while the agent is busy"],
      ["WsClientCheckoutCommand", "Cannot check out while the agent is busy"],
    ]) {
      expect(await error({ type, content: "more", messageId: turn, stepId: "step-initial" })).toEqual([text, "busy"]);
    }
    last().end();
    await idle(agentSide);
    await agentSide.revert(turn);
    expect(await error({ type: "WsClientRevertCommand", messageId: turn })).toEqual([
      "Turn is not on the current conversation path",
      "not_on_path",
    ]);
  });

  test("two at once are decided one after the other: the second meets what the first left (A1)", async () => {
    const { work } = agent();
    const agentSide = await session({ work });
    const both = await Promise.allSettled([agentSide.prompt("one"), agentSide.prompt("two")]);
    expect(both).toMatchObject([{ status: "fulfilled" }, { status: "rejected", reason: { code: "busy" } }]);
    expect(agentSide.headway.getView().turns.map(({ prompt }) => prompt)).toEqual(["one"]);
  });

  test("HEAD stays where it is when the content cannot be saved (A5)", async () => {
    const saved: (string | undefined)[] = [];
    let isFull = false;
    const save = (text: string | undefined) => {
      if (isFull) throw new Error("disk full");
      saved.push(text);
    };
    const agentSide = await session({ save });
    await agentSide.prompt("30");
    await idle(agentSide);
    const turn = agentSide.headway.getView().turns[0]!.id;
    const { say, frames } = socket(agentSide);
    isFull = true;
    await say({ type: "WsClientRevertCommand", messageId: turn });
    expect(frames().at(-1)).toMatchObject({
      error: "Failed to save the restored workflow; the operation was rolled back",
      code: "save_failed",
    });
    expect(agentSide.overview).toMatchObject({ canRedo: false, steps: 2 });
    isFull = false;
    await agentSide.revert(turn);
    await agentSide.redo();
    expect(saved).toEqual([content(0), content(30)]);
  });

  test("nothing happens that is not in the log first (A6)", async () => {
    const store = memoryStore();
    let isGone = false;
    const failing: AgentStore = {
      ...store,
      append: (...entry) => (isGone ? Promise.reject(new Error("no disk")) : store.append(...entry)),
    };
    const agentSide = await session({ store: failing });
    await agentSide.prompt("30");
    await idle(agentSide);
    const turn = agentSide.headway.getView().turns[0]!.id;
    const { texts, say, frames } = socket(agentSide);
    isGone = true;
    await expect(agentSide.revert(turn)).rejects.toEqual(refused("save_failed"));
    await expect(agentSide.prompt("40")).rejects.toEqual(refused("save_failed"));
    await expect(agentSide.clear()).rejects.toEqual(refused("save_failed"));
    expect(texts).toHaveLength(1);
    await say({ type: "prompt", content: "40" });
    expect(frames().at(-1)).toMatchObject({ code: "save_failed", error: expect.stringContaining("no disk") as string });
    isGone = false;
    await agentSide.revert(turn);
    expect(agentSide.overview.canRedo).toBe(true);
  });

  test("a history that is full takes no more prompts", async () => {
    const agentSide = await session({ limits: { steps: 3 } });
    await agentSide.prompt("30");
    await idle(agentSide);
    await agentSide.prompt("40");
    await idle(agentSide);
    await expect(agentSide.prompt("50")).rejects.toEqual(refused("history_full"));
    await agentSide.clear();
    await agentSide.prompt("60");
  });

  test("clear begins a new history, which everybody is told, and gives no name twice (H6)", async () => {
    const agentSide = await session();
    const { headway } = client(agentSide);
    await headway.prompt("30");
    await idle(agentSide);
    const before = headway.getView().steps.map(({ id }) => id);
    await agentSide.clear();
    expect(headway.getView()).toMatchObject({ headId: "step-initial", length: 0, canRedo: false });
    expect(headway.content()).toBe(content(0));
    await headway.prompt("40");
    await idle(agentSide);
    const after = headway.getView().steps.map(({ id }) => id);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    expect(headway.getView().turns.map(({ prompt }) => prompt)).toEqual(["40"]);
  });
});

describe("a run", () => {
  test("ends with what the agent threw, or with Stop, and its steps stay", async () => {
    const { work, last } = agent();
    const agentSide = await session({ work });
    const { headway } = client(agentSide);
    await headway.prompt("one");
    await last().run.record({ content: "working", after: content(1) });
    last().fail("the model is on fire");
    await idle(agentSide);
    expect(headway.getView().turns[0]).toMatchObject({ ended: "failed", steps: 3 });
    expect(headway.getView().steps.at(-1)).toMatchObject({ content: "Error: the model is on fire", isEnd: true });

    await headway.prompt("two");
    const { run, end } = last();
    await headway.stop();
    expect(run.signal.aborted).toBe(true);
    // Too late.
    await expect(run.record({ content: "more" })).rejects.toEqual(refused("not_running"));
    end();
    await idle(agentSide);
    expect(headway.getView().turns[1]).toMatchObject({ ended: "stopped", steps: 2 });
    expect(headway.content()).toBe(content(1));
  });

  test("of an agent that does not stop when told so is over without it (R9)", async () => {
    const { work } = agent();
    const agentSide = await session({ work, stopGrace: 1 });
    await agentSide.prompt("one");
    await agentSide.stop();
    await idle(agentSide);
    await agentSide.prompt("two");
  });

  test("a step that makes no sense is refused and costs the run nothing else (A6)", async () => {
    const { work, last } = agent();
    const agentSide = await session({ work });
    await agentSide.prompt("one");
    const { run, end } = last();
    await expect(run.record({ content: "x", after: "[]" })).rejects.toEqual(refused("invalid_content"));
    await expect(run.record({ sorcery: 1 } as never)).rejects.toEqual(refused("invalid_argument"));
    await expect(run.record({ extra: { big: 1n } } as never)).rejects.toEqual(refused("invalid_argument"));
    await run.record({ content: "fine" });
    end();
    await idle(agentSide);
    expect(agentSide.headway.getView().steps.map(({ content }) => content)).toEqual(["one", "fine"]);
  });

  test("its end is told as soon as the store is back", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const store = memoryStore();
    let isGone = false;
    const errors: unknown[] = [];
    const { work, last } = agent();
    const agentSide = await session({
      work,
      store: {
        ...store,
        append: (...entry) => (isGone ? Promise.reject(new Error("no disk")) : store.append(...entry)),
      },
      onError: (error) => errors.push(error),
    });
    await agentSide.prompt("one");
    isGone = true;
    last().end();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(agentSide.overview.state).toBe("GENERATING");
    expect(errors.length).toBeGreaterThan(1);
    isGone = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(agentSide.overview.state).toBe("AVAILABLE");
  });

  test("close ends it, and everybody is told", async () => {
    const { work, last } = agent();
    const agentSide = await session({ work });
    const { headway } = client(agentSide);
    await headway.prompt("one");
    last().run.signal.addEventListener("abort", () => last().end());
    await agentSide.close();
    expect(headway.getView()).toMatchObject({ agentState: "AVAILABLE", length: 2 });
    expect(headway.getView().steps[1]!.content).toBe("Error: The agent service was shut down.");
    await expect(agentSide.prompt("two")).rejects.toEqual(refused("freed"));
  });
});

describe("several sessions on one store", () => {
  const twice = async (options: World = {}) => {
    let now = 1_000;
    const store = memoryStore(() => now);
    const one = await session({ ...options, store, now: () => now });
    const two = await session({ ...options, store, now: () => now });
    return { store, one, two, pass: (ms: number) => (now += ms), now: () => now };
  };

  test("tell the same, whoever decided it (A7)", async () => {
    const { one, two } = await twice();
    const [a, b] = [socket(one), socket(two)];
    const turn = await one.prompt("30");
    await idle(one);
    await two.revert(turn);
    await one.redo();
    await two.prompt("40");
    await expect.poll(() => [one.overview.state, two.overview.state]).toEqual(["AVAILABLE", "AVAILABLE"]);
    await expect.poll(() => a.texts.length).toBe(b.texts.length);
    expect(a.texts).toEqual(b.texts);
    expect(two.headway.content()).toBe(content(40));
  });

  test("of two prompts at once one begins (A7)", async () => {
    const { work, runs } = agent();
    const { one, two } = await twice({ work });
    const both = await Promise.allSettled([one.prompt("one"), two.prompt("two")]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(both.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "busy" } });
    expect(runs).toHaveLength(1);
  });

  test("Stop reaches the run, wherever it runs (A7)", async () => {
    const { work, last } = agent();
    const { one, two } = await twice({ work });
    await one.prompt("one");
    await expect.poll(() => two.overview.state).toBe("GENERATING");
    await two.stop();
    await expect.poll(() => last().run.signal.aborted).toBe(true);
    last().end();
    await idle(two);
    expect(two.headway.getView().turns[0]!.ended).toBe("stopped");
  });

  test("a run that nobody runs any more is ended when its lease is over, not before (A8)", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { work, last } = agent();
    const { one, two, pass, store, now } = await twice({ work, leaseFor: 9_000 });
    await one.prompt("one");
    await last().run.record({ content: "half of it", after: content(7) });
    await expect.poll(() => two.overview.steps).toBe(2);
    // As long as there are signs of life, it is left alone.
    for (let beat = 0; beat < 6; beat += 1) {
      pass(3_000);
      await vi.advanceTimersByTimeAsync(3_000);
    }
    expect(two.overview.state).toBe("GENERATING");
    one.kill();
    pass(3_000);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(two.overview.state).toBe("GENERATING");
    pass(9_000);
    await vi.advanceTimersByTimeAsync(3_000);
    await idle(two);
    expect(two.headway.getView().steps.at(-1)!.content).toBe("Error: The agent service stopped in the middle of this.");
    expect(two.headway.content()).toBe(content(7));
    // Who was taken for dead, and was not, cannot add to what has gone on without it.
    const three = await session({ store, work, now });
    expect(three.overview).toEqual({ ...two.overview });
    await three.prompt("two");
  });

  test("a session opened later has the same history, and the same redo (R12)", async () => {
    const { one, store } = await twice();
    const turns = [await one.prompt("30")];
    await idle(one);
    turns.push(await one.prompt("40"));
    await idle(one);
    await one.revert(turns[1]!);
    await one.revert(turns[0]!);
    const late = await session({ store, now: () => 99 });
    expect(socket(late).texts).toEqual(socket(one).texts);
    await late.redo();
    await late.redo();
    expect(late.headway.content()).toBe(content(40));
  });

  test("a log that this version cannot read is refused, and left as it is", async () => {
    const store = memoryStore();
    await store.append("a", 1, '{"now":1,"do":"open","format":99}', true);
    await expect(session({ store })).rejects.toEqual(refused("unreadable_log"));
    await store.append("b", 1, "not even JSON", true);
    await expect(session({ store, id: "b" })).rejects.toEqual(refused("unreadable_log"));
    expect(await store.read("b", 0)).toEqual([{ at: 1, text: "not even JSON" }]);
  });

  test("a log that somebody took away is told, not written over", async () => {
    const store = memoryStore();
    let isOther = false;
    const agentSide = await session({
      store: { ...store, append: (...entry) => (isOther ? Promise.resolve(false) : store.append(...entry)) },
    });
    await agentSide.prompt("30");
    await idle(agentSide);
    isOther = true;
    await expect(agentSide.prompt("40")).rejects.toEqual(refused("save_failed"));
  });
});

describe("two tabs", () => {
  /** A tab whose wire delivers when it is told to: `says` is what it has said, `hears` what it was told. */
  function tab(agentSide: AgentSession) {
    const [said, told, notices]: [string[], string[], string[]] = [[], [], []];
    const headway = Headway.create({ send: (text) => said.push(text), onNotice: ({ code }) => notices.push(code) });
    made.push(headway);
    const socket = { send: (frame: string) => void told.push(frame) };
    headway.connected();
    agentSide.join(socket);
    const hears = () => told.splice(0).forEach((frame) => headway.receive(frame));
    hears();
    return {
      headway,
      notices,
      hears,
      says: () => Promise.all(said.splice(0).map((text) => agentSide.receive(text, socket))),
    };
  }
  const twoTabs = async () => {
    const agentSide = await session();
    for (const age of ["30", "40"]) {
      await agentSide.prompt(age);
      await idle(agentSide);
    }
    return { agentSide, one: tab(agentSide), two: tab(agentSide), turns: agentSide.headway.getView().turns };
  };

  test("a double click is one revert (R8)", async () => {
    const { one, two, turns, agentSide } = await twoTabs();
    const first = one.headway.revert(turns[1]!.id);
    await expect(one.headway.revert(turns[1]!.id)).rejects.toEqual(refused("pending"));
    expect(one.headway.can("redo")).toBe("pending");
    await one.says();
    for (const { hears } of [one, two]) hears();
    expect(await first).toMatchObject({ headId: turns[0]!.lastStep, prompt: "40" });
    expect(agentSide.overview).toMatchObject({ canRedo: true, headId: turns[0]!.lastStep });
    expect(one.headway.getView()).toEqual(two.headway.getView());
  });

  test("both revert the same turn at once: it is reverted once, and both are done (R8)", async () => {
    const { one, two, turns, agentSide } = await twoTabs();
    const both = [one, two].map(({ headway }) => headway.revert(turns[1]!.id));
    await one.says();
    await two.says();
    for (const { hears } of [one, two]) hears();
    expect(await Promise.all(both)).toMatchObject([{ headId: turns[0]!.lastStep }, { headId: turns[0]!.lastStep }]);
    // The late one is told that there was nothing left to do, when it waits for nothing any more.
    expect([one.notices, two.notices]).toEqual([[], ["server_error"]]);
    await agentSide.redo();
    expect(agentSide.overview).toMatchObject({ headId: turns[1]!.lastStep, canRedo: false });
  });

  test("they revert different turns at once: the second is refused or goes further, and both tabs agree (R8)", async () => {
    const { one, two, turns, agentSide } = await twoTabs();
    const far = one.headway.revert(turns[0]!.id);
    const near = two.headway.revert(turns[1]!.id);
    await one.says();
    await two.says();
    for (const { hears } of [one, two]) hears();
    expect(await far).toMatchObject({ headId: "step-initial" });
    await expect(near).rejects.toEqual(refused("not_on_path"));
    expect(one.headway.getView()).toEqual(two.headway.getView());
    expect(agentSide.overview).toMatchObject({ headId: "step-initial", canRedo: true });
  });

  test("a redo that crosses a prompt of the other tab is refused, and the prompt goes on (R3, R8)", async () => {
    const { one, two, turns, agentSide } = await twoTabs();
    await agentSide.revert(turns[1]!.id);
    for (const { hears } of [one, two]) hears();
    const redo = one.headway.redo();
    const prompt = two.headway.prompt("50");
    await two.says();
    await idle(agentSide);
    await one.says();
    for (const { hears } of [one, two]) hears();
    await prompt;
    await expect(redo).rejects.toEqual(refused("nothing_to_redo"));
    expect(one.headway.getView()).toEqual(two.headway.getView());
    expect(one.headway.getView()).toMatchObject({ canRedo: false, headId: agentSide.overview.headId });
    expect(one.headway.getView().turns.map(({ prompt }) => prompt)).toEqual(["30", "50"]);
  });

  test("a prompt that crosses a revert goes on from where that led (R8)", async () => {
    const { one, two, turns, agentSide } = await twoTabs();
    const revert = one.headway.revert(turns[1]!.id);
    const prompt = two.headway.prompt("50");
    await one.says();
    await two.says();
    await idle(agentSide);
    for (const { hears } of [one, two]) hears();
    await Promise.all([revert, prompt]);
    expect(one.headway.getView()).toEqual(two.headway.getView());
    expect(two.headway.getView().turns.map(({ prompt }) => prompt)).toEqual(["30", "50"]);
  });
});

test("wrong arguments are told where they are made", async () => {
  await expect(session({ id: 7 as never })).rejects.toEqual(refused("invalid_argument"));
  await expect(session({ work: 7 as never })).rejects.toEqual(refused("invalid_argument"));
  const agentSide = await session();
  expect(() => socket(agentSide, { dialect: "E" as never })).toThrow(/"dialect"/);
  expect(() => socket(agentSide, { contents: "none" as never })).toThrow(/"contents"/);
  await expect(agentSide.revert(7 as never)).rejects.toEqual(refused("invalid_argument"));
  await expect(agentSide.prompt(7 as never)).rejects.toEqual(refused("invalid_argument"));
});

test("a client whose socket throws is let go, and the others are told", async () => {
  const errors: unknown[] = [];
  const agentSide = await session({ onError: (error) => errors.push(error) });
  let isBroken = false;
  agentSide.join({
    send: () => {
      if (isBroken) throw new Error("EPIPE");
    },
  });
  const other = socket(agentSide);
  isBroken = true;
  await agentSide.prompt("30");
  await idle(agentSide);
  expect(errors).toHaveLength(1);
  expect(agentSide.overview.clients).toBe(1);
  expect(other.texts).toHaveLength(6);
});
