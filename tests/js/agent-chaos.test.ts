// A bad network and a host that starts again, on purpose: what it does to bytes, and that clients agree with the service once it is over.
import { once } from "node:events";
import { connect as connectTo, createServer, type AddressInfo, type Server as TcpServer } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { Headway, HeadwayError } from "headway";
import { connect } from "headway/socket";
import { startChaos, type Chaos, type ChaosOptions } from "../../www/server/chaos.ts";
import { seeded } from "../../www/server/random.ts";
import { startService } from "../../www/server/service.ts";
import { AgentClient, type Step } from "./agent-client.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Longer than any test: nothing happens but what happens to bytes. */
const NEVER = 2 ** 30;

async function chaosBefore(target: number, options: Partial<ChaosOptions> = {}): Promise<Chaos> {
  const chaos = await startChaos({ seed: 7, port: 0, target, restart: async () => {}, every: NEVER, ...options });
  closing.push(() => chaos.close());
  return chaos;
}

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

/** Says back what it hears. */
async function echo(): Promise<number> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
  server.on("connection", (socket) => {
    socket.on("error", () => {});
    socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  closing.push(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, "listening");
  return portOf(server);
}

async function talkTo({ url }: Chaos): Promise<{ socket: WebSocket; heard: string[] }> {
  const socket = new WebSocket(url.replace("http", "ws"), { perMessageDeflate: false });
  const heard: string[] = [];
  socket.on("error", () => {});
  socket.on("message", (data) => heard.push(String(data)));
  closing.push(() => socket.terminate());
  await once(socket, "open");
  return { socket, heard };
}

describe("what comes through", () => {
  it("comes in order and once, a big frame too", async () => {
    const { socket, heard } = await talkTo(await chaosBefore(await echo()));
    const said = Array.from({ length: 40 }, (_, at) => (at === 20 ? "0123456789".repeat(200_000) : `${at}`));
    for (const text of said) socket.send(text);
    await vi.waitUntil(() => heard.length >= said.length, { timeout: 15_000 });
    socket.send("last");
    await vi.waitUntil(() => heard.at(-1) === "last");
    expect(heard.map((text) => text.length)).toEqual([...said, "last"].map((text) => text.length));
    expect(heard.every((text, at) => text === [...said, "last"][at])).toBe(true);
  });

  it.each([
    ["a page", "GET / HTTP/1.1\r\n\r\n"],
    ["a WebSocket", "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"],
  ])("is all that %s was sent before the other side hung up", async (_, asked) => {
    const SIZE = 3_000_000;
    const server: TcpServer = createServer({ allowHalfOpen: true }, (socket) => {
      socket.once("data", () => socket.end(Buffer.alloc(SIZE, "x")));
      socket.on("end", () => socket.end()).on("error", () => {});
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    closing.push(() => void server.close());
    const chaos = await chaosBefore(portOf(server));
    const client = connectTo(Number(new URL(chaos.url).port), "127.0.0.1");
    let got = 0;
    client.on("data", (bytes) => (got += bytes.length)).write(asked);
    await once(client, "close");
    expect(got).toBe(SIZE);
  });
});

describe("what happens", () => {
  it("happens no more once it is calm", async () => {
    const restarts = vi.fn(async () => {});
    const chaos = await chaosBefore(await echo(), { every: 1, restart: restarts });
    const { done } = chaos;
    while (done.cut === 0 || done.silenced === 0 || done.restarted === 0) {
      const { socket } = await talkTo(chaos).catch(() => ({ socket: undefined }));
      await vi.waitUntil(() => socket?.readyState !== WebSocket.OPEN || done.silenced > 0, { interval: 1 });
    }
    const [, { socket, heard }] = [chaos.calm(), await talkTo(chaos)];
    const before = { ...done };
    for (let times = 1; times <= 300; times++) {
      socket.send(`${times}`);
      await vi.waitUntil(() => heard.length === times, { interval: 0 });
    }
    expect(done).toEqual(before);
    expect(restarts).toHaveBeenCalledTimes(before.restarted);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it("ends with it: nobody is connected any more, and nobody listens", async () => {
    const chaos = await startChaos({ seed: 1, port: 0, target: await echo(), restart: async () => {} });
    const { socket } = await talkTo(chaos);
    await Promise.all([once(socket, "close"), chaos.close()]);
    await expect(talkTo(chaos)).rejects.toThrow("ECONNREFUSED");
  });
});

/** Where a person may ask for anything at any moment. */
async function actAtRandom(
  headway: Headway,
  random: () => number,
  over: Promise<unknown>,
): Promise<Promise<unknown>[]> {
  const asked: Promise<unknown>[] = [];
  const one = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const PROMPTS = [
    "csv scan",
    "add a filter age > 30",
    "limit to 5",
    "slowly build a big workflow",
    "delete everything",
  ];
  let isOver = false;
  void over.then(() => (isOver = true));
  while (!isOver) {
    const { turns, steps } = headway.getView();
    const [turn, step] = [one(turns), one(steps)];
    const wishes = [
      headway.can("prompt") === true && (() => headway.prompt(one(PROMPTS) ?? "hello")),
      headway.can("stop") === true && random() < 0.2 && (() => headway.stop()),
      turn && headway.can("revert", turn.id) === true && (() => headway.revert(turn.id)),
      headway.can("redo") === true && (() => headway.redo()),
      step && headway.can("checkout", step.id) === true && (() => headway.checkout(step.id)),
    ].filter((wish) => typeof wish === "function");
    const asking = one(wishes)?.();
    if (asking) asked.push(asking);
    // Whatever comes first: an answer, or something else that changes what can be asked.
    let stop = () => {};
    const changed = new Promise<void>((resolve) => (stop = headway.subscribe(resolve)));
    await Promise.race([changed, over, ...(asking ? [asking.catch(() => {})] : [])]);
    stop();
  }
  return asked;
}

/** From the root to HEAD. */
function pathOf(steps: readonly Step[], headId: string | undefined): Step[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const path: Step[] = [];
  for (let step = byId.get(headId ?? ""); step; step = byId.get(step.parentId)) path.unshift(step);
  return path;
}

it(
  "three clients agree with the service once it is calm, and every promise has settled (R4, R6, R8)",
  { timeout: 40_000 },
  async () => {
    const seed = 20_260_611;
    const CUTS = 60;
    const LONGEST = 20_000;
    const service = await startService({ port: 0, pace: 3, leaseFor: 300 });
    closing.push(() => service.close());
    const target = Number(new URL(service.url).port);
    const chaos = await chaosBefore(target, { seed, every: 15, restart: () => service.restart() });
    const address = `${chaos.url.replace("http", "ws")}api/agents/t/react?contents=changed`;
    const headways = [1, 2, 3].map(() => {
      const headway = Headway.create({ commandTimeout: 5_000 });
      const connection = connect(headway, address, { WebSocket, backoff: { min: 5, max: 40 }, tickEvery: 50 });
      closing.push(() => {
        connection.close();
        headway.free();
      });
      return headway;
    });

    const until = performance.now() + LONGEST;
    const over = vi.waitUntil(() => chaos.done.cut >= CUTS || performance.now() > until, { timeout: 2 * LONGEST });
    const asked = (
      await Promise.all(headways.map((headway, at) => actAtRandom(headway, seeded(seed + at), over)))
    ).flat();
    chaos.calm();
    expect(chaos.done.cut, "connections that broke").toBeGreaterThan(CUTS / 4);

    const answers = await Promise.allSettled(asked);
    expect(answers.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
    for (const answer of answers) if (answer.status === "rejected") expect(answer.reason).toBeInstanceOf(HeadwayError);

    const direct = await AgentClient.open(service.url);
    closing.push(() => direct.close());
    await vi.waitUntil(() => direct.frames.some(({ state }) => state === "AVAILABLE"), { timeout: 10_000 });
    const { steps = [], headId, canRedo, workflowContent } = await latest(service.url);
    const path = pathOf(steps, headId);
    const content = path.at(-1)?.afterWorkflowContent ?? workflowContent;
    for (const headway of headways) {
      const facts = () => {
        const view = headway.getView();
        return {
          connection: view.connection,
          state: view.agentState,
          path: [view.path.status, ...view.steps.map(({ id }) => id)],
          headId: view.headId,
          canRedo: view.canRedo,
          content: JSON.parse(headway.content() ?? "null") as unknown,
        };
      };
      await vi.waitFor(
        () =>
          expect(facts()).toEqual({
            connection: "live",
            state: "AVAILABLE",
            path: ["ok", ...path.map(({ id }) => id)],
            headId,
            canRedo,
            content,
          }),
        { timeout: 10_000 },
      );
    }
  },
);

/** What the service says to who comes now. */
async function latest(url: string) {
  const client = await AgentClient.open(url);
  const snapshot = await client.next(() => true);
  client.close();
  return snapshot;
}
