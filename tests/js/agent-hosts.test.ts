// What the host's own code does to a session of `headway/agent`: it throws, it hangs, it changes what it handed in (A5, A6, A8, X1).
import { afterEach, describe, expect, test, vi } from "vitest";
import { AgentSession, memoryStore, type AgentRun, type AgentSessionOptions, type AgentStore } from "headway/agent";

const open: AgentSession[] = [];
const rejections: unknown[] = [];
const onRejection = (reason: unknown) => rejections.push(reason);
process.on("unhandledRejection", onRejection);
afterEach(() => {
  for (const session of open.splice(0)) session.kill();
  vi.restoreAllMocks();
  vi.useRealTimers();
  expect(rejections.splice(0)).toEqual([]);
});

const content = (age: number) => `{"operators":[{"operatorID":"f","age":${age}}]}`;

async function session(options: Partial<AgentSessionOptions> = {}): Promise<AgentSession> {
  const made = await AgentSession.open({
    id: "a",
    content: content(0),
    agent: async (run) => void (await run.record({ after: content(Number(run.prompt)) })),
    ...options,
  });
  open.push(made);
  return made;
}

const untilStopped = ({ signal }: AgentRun) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
const idle = (of: AgentSession) => expect.poll(() => of.overview.state).toBe("AVAILABLE");
const lastWords = (of: AgentSession) => of.headway.getView().steps.at(-1)?.content;
const refused = (code: string) => expect.objectContaining({ code }) as unknown;

/** All that README asks of a store. */
const smallest = ({ read, append } = memoryStore()): AgentStore => ({ read, append });

describe("the store", () => {
  test("that added an entry and said no leaves no agent that is busy for ever, with leases or without (A8)", async () => {
    const store = smallest();
    let isDoubtful = false;
    const session1 = await session({
      store: {
        ...store,
        async append(...entry) {
          const isAdded = await store.append(...entry);
          if (isDoubtful) throw new Error("the answer was lost");
          return isAdded;
        },
      },
      onError: () => {},
    });
    await session1.prompt("30");
    await idle(session1);
    isDoubtful = true;
    await expect(session1.prompt("40")).rejects.toEqual(refused("save_failed"));
    isDoubtful = false;
    // It finds the run in the log, which nobody has, and ends it.
    await session1.prompt("50").catch(() => {});
    await idle(session1);
    await session1.prompt("60");
    await idle(session1);
    const prompts = session1.headway.getView().turns.map(({ prompt, ended }) => [prompt, ended]);
    expect(prompts.slice(0, 2)).toEqual([
      ["30", "done"],
      ["40", "failed"],
    ]);
    expect(prompts.at(-1)).toEqual(["60", "done"]);
    const late = await session({ store });
    expect(late.headway.getView()).toEqual(session1.headway.getView());
  });

  test("that fails while a history is opened leaves nothing behind", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const store = memoryStore();
    const first = await session({ store, agent: untilStopped, leaseFor: 1 });
    await first.prompt("30");
    first.kill();
    const lease = vi.fn(() => Promise.reject(new Error("away")));
    const append = vi.fn(store.append);
    await expect(session({ store: { ...store, lease, append }, leaseFor: 1 })).rejects.toEqual(refused("save_failed"));
    // No beat goes on, to end the run again and again.
    expect(vi.getTimerCount()).toBe(0);
    expect(append.mock.calls).toEqual([]);
    vi.useRealTimers();
  });

  test("whose release is no promise, or throws, costs nothing", async () => {
    const errors: unknown[] = [];
    let isBroken = false;
    const release = (() => {
      if (isBroken) throw new Error("no");
    }) as never;
    const agentSide = await session({ store: { ...memoryStore(), release }, onError: (error) => errors.push(error) });
    await agentSide.prompt("30");
    await idle(agentSide);
    isBroken = true;
    await agentSide.prompt("40");
    await expect.poll(() => errors.length).toBe(1);
  });
});

describe("the agent", () => {
  test.each<[string, unknown, string]>([
    ["a text", "no model", "no model"],
    ["nothing", undefined, "undefined"],
    ["an error whose words are a number", Object.assign(new Error(), { message: 42 }), "42"],
    ["something without words", Object.create(null), "something that cannot be put in words was thrown"],
  ])("may throw %s, and the run has failed (A8)", async (_, thrown, words) => {
    const agentSide = await session({
      agent: () => {
        throw thrown;
      },
    });
    await agentSide.prompt("30");
    await idle(agentSide);
    expect(lastWords(agentSide)).toBe(`Error: ${words}`);
  });

  test("cannot change what it has recorded: what is told is what is in the log (A6)", async () => {
    const store = memoryStore();
    const agentSide = await session({
      store,
      async agent(run) {
        const step = { content: "first", extra: { a: 1 } };
        const recorded = run.record(step);
        step.content = "second";
        step.extra.a = 2;
        await recorded;
      },
    });
    await agentSide.prompt("30");
    await idle(agentSide);
    const late = await session({ store });
    expect(lastWords(agentSide)).toBe("first");
    expect(agentSide.headway.getView().steps).toEqual(late.headway.getView().steps);
  });

  test("knows what was said before", async () => {
    const known: unknown[] = [];
    const agentSide = await session({
      async agent({ steps, record }) {
        known.push(steps.map(({ role, content }) => `${role}: ${content}`));
        await record({ content: "fine" });
      },
    });
    for (const prompt of ["one", "two"]) {
      await agentSide.prompt(prompt);
      await idle(agentSide);
    }
    expect(known).toEqual([[], ["user: one", "agent: fine"]]);
  });
});

test("an onError that throws is told on the console, and changes nothing (A8)", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const store = smallest();
  let isGone = false;
  const agentSide = await session({
    store: { ...store, append: (...entry) => (isGone ? Promise.reject(new Error("gone")) : store.append(...entry)) },
    onError: () => {
      throw new Error("and this, too");
    },
    async agent() {
      isGone = true;
      await Promise.resolve();
    },
  });
  agentSide.join({
    send(frame) {
      if (frame.includes("GENERATING")) throw new Error("EPIPE");
    },
  });
  await agentSide.prompt("30");
  await expect.poll(() => said.mock.calls.length).toBeGreaterThan(1);
  isGone = false;
  await idle(agentSide);
});

test("what was saved for a move that did not happen is saved back (A5)", async () => {
  const saved: unknown[] = [];
  const store = smallest();
  let isGone = false;
  const agentSide = await session({
    store: { ...store, append: (...entry) => (isGone ? Promise.reject(new Error("gone")) : store.append(...entry)) },
    save: (text) => void saved.push(text),
  });
  const turn = await agentSide.prompt("30");
  await idle(agentSide);
  isGone = true;
  await expect(agentSide.revert(turn)).rejects.toEqual(refused("save_failed"));
  expect(saved).toEqual([content(0), content(30)]);
});

describe("close", () => {
  test("ends a run that is on its way to begin (A8)", async () => {
    const store = memoryStore();
    const slow: AgentStore = {
      ...store,
      append: (...entry) => new Promise((resolve) => setTimeout(() => resolve(store.append(...entry)), 5)),
    };
    const agentSide = await session({ store: slow, agent: untilStopped });
    const prompt = agentSide.prompt("30");
    // In line, but not in the log yet.
    await Promise.resolve();
    await Promise.resolve();
    await agentSide.close();
    await prompt.catch(() => {});
    const log = (await store.read("a", 0)).map(({ text }) => (JSON.parse(text) as { do: string }).do);
    expect(log.filter((what) => what === "begin").length).toBe(log.filter((what) => what === "end").length);
  });

  test("does not wait for a store that is away", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const store = smallest();
      let isGone = false;
      const agentSide = await session({
        store: {
          ...store,
          append: (...entry) => (isGone ? Promise.reject(new Error("gone")) : store.append(...entry)),
        },
        agent: () => void (isGone = true),
        onError: () => {},
      });
      await agentSide.prompt("30");
      // No clock goes on here, so it would wait for ever.
      await agentSide.close();
    } finally {
      vi.useRealTimers();
    }
  });
});

test("a client that asks for too much at once is told so, and everything else is decided", async () => {
  const agentSide = await session();
  const codes: unknown[] = [];
  const client = { send: (text: string) => void codes.push((JSON.parse(text) as { code?: string }).code) };
  agentSide.join(client);
  codes.length = 0;
  await Promise.all(Array.from({ length: 250 }, () => agentSide.receive('{"type":"WsClientRedoCommand"}', client)));
  expect(codes.filter((code) => code === "busy")).toHaveLength(150);
  expect(codes.filter((code) => code === "nothing_to_redo")).toHaveLength(100);
});

test.each<[string, object]>([
  ["stopGrace", { stopGrace: NaN }],
  ["stopGrace", { stopGrace: "x" }],
  ["leaseFor", { leaseFor: 0 }],
  ["leaseFor", { leaseFor: Infinity }],
  ["limits", { limits: 5 }],
  ["limits.steps", { limits: { steps: "many" } }],
  ["save", { save: 5 }],
  ["onError", { onError: 5 }],
  ["now", { now: 5 }],
  ["store.read", { store: {} }],
])("a wrong %s is told when the session is opened (X2)", async (name, options) => {
  await expect(session(options)).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringContaining(`"${name}"`) as string,
  });
});
