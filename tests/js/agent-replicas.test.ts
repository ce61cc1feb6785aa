// Several services for the same agents, each a process of its own, and one that dies and comes back.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { Headway } from "headway";
import { connect } from "headway/socket";
import { startRedis, type TestRedis } from "../redis.ts";
import { startServer, type Server } from "../server.ts";
import { AgentClient, type Frame, type Step } from "./agent-client.ts";
import { CanvasPage } from "./canvas-page.ts";

const NOTICE = "Error: The agent service stopped in the middle of this.";
/** So quick that a test need not wait. */
const QUICK = { HEADWAY_AGENT_SPEED: "40", HEADWAY_LEASE_MS: "600" };
/** So slow that a run is met in the middle of it, on a busy machine, too. */
const SLOW = { ...QUICK, HEADWAY_AGENT_SPEED: "8" };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A replica that ends with the test. */
async function replica(url: string): Promise<Server> {
  const server = await startServer(SLOW, ["--redis", url]);
  closing.push(() => server.crash());
  return server;
}

async function listen({ url }: Server, agent: string): Promise<AgentClient> {
  const client = await AgentClient.open(url, agent);
  closing.push(() => client.close());
  return client;
}

/** A Headway that is connected with whatever `where` gives at the moment. */
function follow(where: () => Server, agent: string): Headway {
  const headway = Headway.create();
  const url = () => `${where().url.replace("http", "ws")}api/agents/${agent}/react`;
  const connection = connect(headway, url, { WebSocket, backoff: { min: 20, max: 100 }, tickEvery: 50 });
  closing.push(() => {
    connection.close();
    headway.free();
  });
  return headway;
}

/** What everybody has to agree on. */
function facts(headway: Headway) {
  const { connection, agentState, path, headId, canRedo, turns } = headway.getView();
  const words = headway.getView().steps.map(({ id, content }) => [id, content]);
  return {
    connection,
    agentState,
    path: path.status,
    headId,
    canRedo,
    turns: turns.length,
    words,
    content: headway.content(),
  };
}

const isReady = (headway: Headway) => {
  const { connection, agentState, canRedo } = headway.getView();
  // Before the snapshot it is not known what can be redone.
  return connection === "live" && agentState === "AVAILABLE" && canRedo !== "unknown";
};

/** All of them rest, and agree. */
async function agree(...all: [Headway, ...Headway[]]): Promise<ReturnType<typeof facts>> {
  await vi.waitFor(
    () => {
      for (const each of all) expect(isReady(each)).toBe(true);
      for (const each of all) expect(facts(each)).toEqual(facts(all[0]));
    },
    { timeout: 15_000 },
  );
  return facts(all[0]);
}

const lastWords = (headway: Headway) => headway.getView().steps.at(-1)?.content;
const inTheMiddle = (headway: Headway) =>
  vi.waitUntil(() => (headway.getView().turns.at(-1)?.steps ?? 0) > 3, { timeout: 10_000 });

const idOf = (steps: readonly Step[]): string => steps[0]?.messageId ?? "";
const isError = (frame: Frame) => frame.error !== undefined;
const isBusy = (frame: Frame) => frame.state === "GENERATING";
const isHead = (frame: Frame) => frame.type === "WsServerHeadChangeEvent";
/** What goes to everybody. */
const told = (client: AgentClient) => client.texts.filter((text) => !text.includes("WsServerErrorEvent"));

let agents = 0;
const newAgent = () => `agent-${++agents}`;

describe("two replicas", () => {
  let redis: TestRedis;
  let here: Server;
  let there: Server;
  beforeAll(async () => {
    redis = await startRedis();
    [here, there] = await Promise.all([
      startServer(QUICK, ["--redis", redis.url]),
      startServer(QUICK, ["--redis", redis.url]),
    ]);
  });
  afterAll(async () => {
    await Promise.all([here?.crash(), there?.crash()]);
    await redis?.close();
  });

  /** A client at each. */
  async function both(): Promise<[AgentClient, AgentClient]> {
    const agent = newAgent();
    const [one, two] = [await listen(here, agent), await listen(there, agent)];
    await vi.waitUntil(() => one.frames.length > 0 && two.frames.length > 0);
    return [one, two];
  }

  it("tell the same, frame by frame", async () => {
    const [one, two] = await both();
    const first = await one.turn("csv scan, then filter age > 30");
    await two.nextState("AVAILABLE");
    await two.turn("limit to 5");
    two.send("WsClientRevertCommand", { messageId: idOf(first) });
    expect(await one.nextHead()).toMatchObject({ headId: "step-initial", canRedo: true });
    await two.nextHead();
    one.send("WsClientRedoCommand");
    await two.nextHead();
    expect(await one.nextHead()).toMatchObject({ canRedo: false });
    expect(two.texts).toEqual(one.texts);
  });

  it("have one run for two prompts at the same moment, and the other asker is told", async () => {
    for (let round = 0; round < 8; round++) {
      const [one, two] = await both();
      const all = () => [...one.frames, ...two.frames];
      for (const client of [one, two]) client.send("WsClientPromptCommand", { content: "slowly add a filter" });
      await vi.waitUntil(() => all().some(isError) && one.frames.some(isBusy) && two.frames.some(isBusy));
      expect(all().find(isError)?.error).toBe("Cannot prompt while the agent is busy");
      (one.frames.some(isError) ? one : two).send("WsClientStopCommand");
      await vi.waitUntil(() => [one, two].every(({ frames }) => frames.at(-1)?.state === "AVAILABLE"));
      expect(all().filter(isError)).toHaveLength(1);
      expect(one.frames.filter(({ step }) => step?.role === "user")).toHaveLength(1);
      expect(told(two)).toEqual(told(one));
    }
  });

  it("take a prompt as soon as either has said that the agent is ready", async () => {
    const [one, two] = await both();
    for (let round = 0; round < 12; round++) {
      const [asker, other] = round % 2 ? [one, two] : [two, one];
      asker.send("WsClientPromptCommand", { content: "hello" });
      await Promise.all([asker.nextState("AVAILABLE"), other.nextState("AVAILABLE")]);
    }
    expect([...one.frames, ...two.frames].filter(isError)).toEqual([]);
    expect(two.texts).toEqual(one.texts);
  });

  it("move HEAD once for two reverts at the same moment", async () => {
    for (let round = 0; round < 8; round++) {
      const [one, two] = await both();
      const first = await one.turn("csv scan");
      await two.nextState("AVAILABLE");
      for (const client of [one, two]) client.send("WsClientRevertCommand", { messageId: idOf(first) });
      const errors = () => [...one.frames, ...two.frames].flatMap(({ error }) => error ?? []);
      await vi.waitUntil(() => errors().length > 0 && one.frames.some(isHead) && two.frames.some(isHead));
      expect(errors()).toEqual(["Turn is not on the current conversation path"]);
      expect(one.frames.filter(isHead)).toHaveLength(1);
      expect(told(two)).toEqual(told(one));
    }
  });

  it("stop a run from the one that does not run it", async () => {
    const [one, two] = await both();
    one.send("WsClientPromptCommand", { content: "slowly build a big workflow" });
    await two.next((frame) => frame.step?.role === "agent");
    two.send("WsClientStopCommand");
    await Promise.all([one.nextState("AVAILABLE"), two.nextState("AVAILABLE")]);
    expect(two.frames.at(-2)?.step?.content).toBe("Generation stopped by user.");
    expect(two.texts).toEqual(one.texts);
  });

  it("let a run go on that is longer than a lease, whatever is refused meanwhile", async () => {
    const [one, two] = await both();
    one.send("WsClientPromptCommand", { content: "slowly build a big workflow" });
    const refused = async (client: AgentClient) => {
      const isOver = () => client.frames.at(-1)?.state === "AVAILABLE";
      for (let times = 1; times <= 10 && !isOver(); times++) {
        client.send("WsClientPromptCommand", { content: "hello" });
        await vi.waitUntil(() => client.frames.filter(isError).length === times || isOver());
      }
    };
    await vi.waitUntil(() => one.frames.some(isBusy) && two.frames.some(isBusy));
    await Promise.all([refused(one), refused(two)]);
    await vi.waitUntil(() => [one, two].every(({ frames }) => frames.at(-1)?.state === "AVAILABLE"), {
      timeout: 10_000,
    });
    expect(one.frames.some(isError)).toBe(true);
    const last = two.frames.flatMap(({ step }) => step ?? []).at(-1);
    expect(last).toMatchObject({ isEnd: true, content: expect.stringMatching(/^Done/) as string });
    expect(told(two)).toEqual(told(one));
  });

  it("show one canvas, and have it when both were started again", async () => {
    const own = [await replica(redis.url), await replica(redis.url)] as const;
    const agent = newAgent();
    const show = async ({ url }: Server): Promise<CanvasPage> => {
      const page = new CanvasPage(`${url.replace("http", "ws")}api/canvases`, agent);
      closing.push(() => page.close());
      await page.opened;
      return page;
    };
    const [one, two] = [await show(own[0]), await show(own[1])];
    one.map.set("op1", 1);
    await vi.waitUntil(() => two.map.get("op1") === 1);
    two.map.set("op2", 2);
    await vi.waitUntil(() => one.map.get("op2") === 2);
    // At the same moment, and both replicas go at once.
    one.map.set("op3", 3);
    two.map.set("op4", 4);
    await Promise.all([one.told(), two.told()]);
    one.close();
    two.close();
    await Promise.all(own.map((each) => each.stop()));
    const late = await show(await replica(redis.url));
    expect(late.map.toJSON()).toEqual({ op1: 1, op2: 2, op3: 3, op4: 4 });
  });
});

describe("a replica that dies in the middle of a run", () => {
  let redis: TestRedis;
  let here: Server;
  let there: Server;
  const agent = "t";

  async function start(): Promise<void> {
    redis = await startRedis({ keeps: true });
    closing.push(() => redis.close());
    [here, there] = await Promise.all([replica(redis.url), replica(redis.url)]);
  }

  it("is left by its clients, who find everything at the other one, and the run has an end", async () => {
    await start();
    let where = here;
    const all = [follow(() => where, agent), follow(() => where, agent), follow(() => there, agent)] as const;
    const [one, two, three] = all;
    await agree(...all);
    await one.prompt("csv scan, then filter age > 30");
    await agree(...all);
    await one.prompt("limit to 5");
    const { turns: before } = await agree(...all);
    await two.prompt("slowly build a big workflow");
    await inTheMiddle(three);
    const seen = three.getView().steps.map(({ id }) => id);
    where = there;
    await here.crash();
    const after = await agree(...all);
    expect(after).toMatchObject({ turns: before + 1, canRedo: false, agentState: "AVAILABLE" });
    expect(after.words.map(([id]) => id).slice(0, seen.length)).toEqual(seen);
    expect(lastWords(one)).toBe(NOTICE);

    await one.prompt("limit to 7");
    const { headId, content } = await agree(...all);
    const turn = one.getView().turns.at(-2)!;
    await two.revert(turn.id);
    expect(await agree(...all)).toMatchObject({ canRedo: true, turns: before });
    await three.redo();
    expect(await agree(...all)).toMatchObject({ canRedo: false, headId, content });
  });

  it("and was only slow, is told that its run is over", async () => {
    await start();
    const [one, two] = [follow(() => here, agent), follow(() => there, agent)];
    await agree(one, two);
    await one.prompt("slowly build a big workflow");
    await inTheMiddle(two);
    here.freeze(true);
    await vi.waitUntil(() => isReady(two) && lastWords(two) === NOTICE, { timeout: 10_000 });
    await two.prompt("csv scan");
    here.freeze(false);
    const { turns } = await agree(one, two);
    expect(turns).toBe(2);
    expect(one.getView().steps.filter(({ content }) => content === NOTICE)).toHaveLength(1);
  });

  it("as Redis does, which comes back: the run has an end, and everything goes on", async () => {
    await start();
    const [one, two] = [follow(() => here, agent), follow(() => there, agent)];
    const page = new CanvasPage(`${here.url.replace("http", "ws")}api/canvases`, agent);
    const other = new CanvasPage(`${there.url.replace("http", "ws")}api/canvases`, agent);
    closing.push(() => (page.close(), other.close()));
    await Promise.all([page.opened, other.opened]);
    await agree(one, two);
    await one.prompt("slowly build a big workflow");
    await inTheMiddle(two);
    await redis.kill();
    page.map.set("op1", 1);
    await expect(one.stop()).rejects.toMatchObject({ code: "save_failed" });
    await redis.start();
    await agree(one, two);
    // The run may have been told off, taken for dead, or nothing of it may have fallen into the gap.
    expect(one.getView().turns.at(-1)?.ended).not.toBe("running");
    expect(lastWords(one)).toMatch(/^(?:Done: |Error: The (?:history could not be saved|agent service stopped))/);
    await two.prompt("csv scan");
    expect(await agree(one, two)).toMatchObject({ turns: 2 });
    await vi.waitUntil(() => other.map.get("op1") === 1);
  });

  it("as Redis does, which has forgotten everything: all begin anew", async () => {
    redis = await startRedis();
    closing.push(() => redis.close());
    [here, there] = await Promise.all([replica(redis.url), replica(redis.url)]);
    const [one, two] = [follow(() => here, agent), follow(() => there, agent)];
    await agree(one, two);
    await one.prompt("csv scan");
    await agree(one, two);
    await redis.kill();
    await redis.start();
    // Those who had something are told that it is gone.
    await vi.waitUntil(() => [one, two].every((each) => each.getView().turns.length === 0), { timeout: 10_000 });
    await one.prompt("csv scan");
    await agree(one, two);
    await two.prompt("limit to 5");
    expect(await agree(one, two)).toMatchObject({ turns: 2 });
  });
});

describe("a service on SQLite that is killed", () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "headway-killed-"))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("has the same history when it is back, what can be redone included (R12)", async () => {
    const file = join(folder, "x.sqlite");
    const start = () => startServer(SLOW, ["--persist", file]);
    let server = await start();
    closing.push(() => server.crash());
    const again = async () => {
      await server.crash();
      server = await start();
    };
    const headway = follow(() => server, "t");
    await agree(headway);
    await headway.prompt("csv scan, then filter age > 30");
    await agree(headway);
    await headway.prompt("limit to 5");
    const whole = await agree(headway);
    await headway.revert(headway.getView().turns[1]!.id);
    const before = await agree(headway);
    expect(before).toMatchObject({ canRedo: true, turns: 1 });
    await again();
    await vi.waitUntil(() => !isReady(headway));
    expect(await agree(headway)).toEqual(before);
    await headway.redo();
    expect(await agree(headway)).toEqual(whole);

    await headway.prompt("slowly build a big workflow");
    await inTheMiddle(headway);
    const seen = headway.getView().steps.map(({ id }) => id);
    await again();
    await vi.waitUntil(() => isReady(headway) && lastWords(headway) === NOTICE, { timeout: 10_000 });
    const { steps, turns } = headway.getView();
    expect(steps.map(({ id }) => id).slice(0, seen.length)).toEqual(seen);
    expect(turns).toHaveLength(3);
    await headway.revert(turns[2]!.id);
    expect(await agree(headway)).toMatchObject({ headId: whole.headId, content: whole.content, canRedo: true });
    await headway.redo();
    expect(await agree(headway)).toMatchObject({ headId: steps.at(-1)?.id, canRedo: false });
  });
});
