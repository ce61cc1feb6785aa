// Several sessions of one agent on one store, as several processes have them: who runs the agent, and what is done about a store that fails.
import { afterEach, describe, expect, it, vi } from "vitest";
import { AgentSession, memoryStore, type AgentRun, type AgentSessionOptions, type AgentStore } from "headway/agent";
import type { Frame } from "./agent-client.ts";

const NOTICE = "Error: The agent service stopped in the middle of this.";
const LEASE = 60_000;

const sessions: AgentSession[] = [];
afterEach(() => {
  for (const session of sessions.splice(0)) session.kill();
});

async function open(store: AgentStore, options: Partial<AgentSessionOptions> = {}): Promise<AgentSession> {
  const session = await AgentSession.open({ id: "t", store, agent: untilStopped, leaseFor: LEASE, ...options });
  sessions.push(session);
  return session;
}

/** An agent that does nothing, for ever. */
const untilStopped = ({ signal }: AgentRun) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

/** What a client of it is told. */
function framesOf(session: AgentSession): Frame[] {
  const frames: Frame[] = [];
  session.join({ send: (text) => frames.push(JSON.parse(text) as Frame) });
  return frames;
}

const lastWords = (session: AgentSession) => session.headway.getView().steps.at(-1)?.content;

describe("a run", () => {
  it("is not taken for dead because another prompt was refused", async () => {
    const store = memoryStore();
    const here = await open(store);
    await here.prompt("first");
    await expect(here.prompt("second")).rejects.toMatchObject({ code: "busy" });
    const there = await open(store);
    await expect(there.prompt("third")).rejects.toMatchObject({ code: "busy" });
    expect((await open(store)).overview).toMatchObject({ state: "GENERATING", steps: 1 });
  });

  it("does not lose its lease to the end of the one before", async () => {
    const store = memoryStore();
    let isFirst = true;
    const agent = (run: AgentRun) => (isFirst ? void (isFirst = false) : untilStopped(run));
    const here = await open(store, { agent });
    const frames = framesOf(here);
    await here.prompt("first");
    await vi.waitUntil(() => frames.at(-1)?.state === "AVAILABLE", { interval: 0 });
    await here.prompt("second");
    expect((await open(store)).overview).toMatchObject({ state: "GENERATING" });
  });

  it("may begin elsewhere as soon as the one before is told to be over", async () => {
    const store = memoryStore();
    const [here, there] = [await open(store, { agent: () => {} }), await open(store, { agent: () => {} })];
    const all = [here, there];
    for (let round = 0; round < 6; round++) {
      const ended = all.map((each) => {
        const frames = framesOf(each);
        return vi.waitUntil(() => frames.at(-1)?.state === "AVAILABLE" && frames.length > 1, { interval: 0 });
      });
      await all[round % 2]!.prompt("hello");
      await Promise.all(ended);
    }
    expect(here.overview.steps).toBe(there.overview.steps);
  });

  it("has an end when nobody gives a sign of life any more, and whoever still runs it is told", async () => {
    let now = 1_000;
    const store = memoryStore(() => now);
    const told = vi.fn<(run: AgentRun) => void>();
    const here = await open(store, { agent: (run) => (told(run), untilStopped(run)) });
    await here.prompt("first");
    now += LEASE - 1;
    expect((await open(store)).overview.state).toBe("GENERATING");
    now += 1;
    const there = await open(store);
    expect(there.overview.state).toBe("AVAILABLE");
    expect(lastWords(there)).toBe(NOTICE);
    await vi.waitUntil(() => here.overview.state === "AVAILABLE");
    const [[run]] = told.mock.calls as [[AgentRun]];
    expect(run.signal.aborted).toBe(true);
    await expect(run.record({ content: "too late" })).rejects.toMatchObject({ code: "not_running" });
    expect(lastWords(here)).toBe(NOTICE);
    await there.prompt("second");
    await vi.waitUntil(() => here.overview.state === "GENERATING");
  });

  it("is not begun by a session that closes", async () => {
    const store = memoryStore();
    const here = await open(store);
    await here.prompt("first");
    const closed = here.close();
    await expect(here.prompt("second")).rejects.toMatchObject({ code: expect.stringMatching(/busy|freed/) as string });
    await closed;
    const there = await open(store);
    expect(there.overview.state).toBe("AVAILABLE");
    expect(lastWords(there)).toBe("Error: The agent service was shut down.");
  });
});

describe("a store", () => {
  /** One that does as told. */
  function moody() {
    let inner = memoryStore();
    let isAway = false;
    const followers = new Set<() => void>();
    const ask = <T>(answer: () => Promise<T>) => (isAway ? Promise.reject(new Error("nobody there")) : answer());
    const store: AgentStore = {
      read: (...args) => ask(() => inner.read(...args)),
      append: (...args) => ask(() => inner.append(...args)),
      agents: () => ask(() => inner.agents!()),
      lease: (...args) => ask(() => inner.lease!(...args)),
      release: (...args) => ask(() => inner.release!(...args)),
      follow(_, onNews) {
        followers.add(onNews);
        return () => void followers.delete(onNews);
      },
    };
    const news = () => followers.forEach((onNews) => onNews());
    return { store, news, away: (is: boolean) => void (isAway = is), forget: () => void (inner = memoryStore()) };
  }

  it("that cannot be read when there is news is read later", async () => {
    const { store, news, away } = moody();
    const onError = vi.fn();
    const [here, there] = [await open(store, { onError }), await open(store, { onError })];
    await here.prompt("first");
    away(true);
    news();
    await vi.waitUntil(() => onError.mock.calls.length > 0);
    away(false);
    // Nobody says it again.
    await vi.waitUntil(() => there.overview.state === "GENERATING");
  });

  it("that is away refuses a prompt, a move and a new history with `save_failed`, and everything stays as it is", async () => {
    const { store, away } = moody();
    const here = await open(store, { agent: () => {}, onError: () => {} });
    const frames = framesOf(here);
    const turn = await here.prompt("first");
    await vi.waitUntil(() => frames.at(-1)?.state === "AVAILABLE");
    const before = here.overview;
    away(true);
    for (const ask of [() => here.prompt("second"), () => here.revert(turn), () => here.clear()]) {
      await expect(ask()).rejects.toMatchObject({ code: "save_failed" });
    }
    expect(here.overview).toEqual(before);
    away(false);
    await here.revert(turn);
    expect(here.overview).toMatchObject({ headId: "step-initial", canRedo: true });
  });

  it("that comes back in the middle of a run lets it have its end", async () => {
    const { store, away } = moody();
    const here = await open(store, { onError: () => {} });
    await here.prompt("first");
    await here.stop();
    away(true);
    await expect(here.clear()).rejects.toMatchObject({ code: "busy" });
    away(false);
    await vi.waitUntil(() => here.overview.state === "AVAILABLE");
    expect(lastWords(here)).toBe("Generation stopped by user.");
  });

  it.each([
    ["no log", 0],
    ["a shorter log", 1],
    ["one just as long", 2],
    ["a longer log", 3],
  ])("that has forgotten everything, and has %s now, is believed", async (_, turns) => {
    const { store, news, forget } = moody();
    const here = await open(store, { agent: () => {} });
    const there = await open(store, { agent: () => {} });
    const ended = async (session: AgentSession, prompt: string) => {
      const frames = framesOf(session);
      await session.prompt(prompt);
      await vi.waitUntil(() => frames.at(-1)?.state === "AVAILABLE");
    };
    await ended(here, "a");
    await ended(here, "b");
    news();
    await vi.waitUntil(() => there.headway.getView().turns.length === 2);
    forget();
    for (let turn = 1; turn <= turns; turn++) await ended(here, `after ${turn}`);
    const frames = framesOf(there);
    news();
    await vi.waitUntil(() => there.headway.getView().turns.length === turns && frames.length > 1);
    expect(frames[1]).toMatchObject({ steps: [], headId: "step-initial", canRedo: false });
    expect(there.headway.getView().turns.map(({ title }) => title)).toEqual(
      Array.from({ length: turns }, (_, at) => `after ${at + 1}`),
    );
    await ended(there, "and on");
    news();
    await vi.waitUntil(() => here.headway.getView().turns.length === turns + 1);
    expect(here.overview).toMatchObject({ headId: there.overview.headId });
  });
});
