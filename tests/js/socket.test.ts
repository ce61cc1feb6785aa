// headway/socket against a server of the protocol that does what servers do.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { Headway, type HeadwayOptions, type View } from "headway";
import { connect, type ConnectOptions, type Connection } from "headway/socket";
import { snapshot, step } from "./fixtures.js";
import { uncaught } from "./uncaught.js";

const STEPS = [step("u1", "step-initial", "t1", [0, 0], "ask"), step("a1", "u1", "t1", [0, 1])];
const QUICK: ConnectOptions = { WebSocket, backoff: { min: 5, max: 20 }, tickEvery: 10 };

let server: WebSocketServer;
let greeting: string;
/** What every socket said, in order. */
let heard: string[];
const closes: (() => void)[] = [];

async function listen(port = 0): Promise<void> {
  server = new WebSocketServer({ port, host: "127.0.0.1" });
  await once(server, "listening");
  server.on("connection", (socket) => {
    socket.on("message", (data) => heard.push(String(data)));
    socket.send(greeting);
  });
}

const port = () => (server.address() as AddressInfo).port;

async function goAway(): Promise<void> {
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
}

beforeEach(async () => {
  greeting = snapshot(STEPS, "a1");
  heard = [];
  await listen();
});

afterEach(async () => {
  for (const close of closes.splice(0)) close();
  await goAway();
});

function client(options: ConnectOptions = {}, headwayOptions: HeadwayOptions = {}) {
  const headway = Headway.create(headwayOptions);
  const connection = connect(headway, `ws://127.0.0.1:${port()}/`, { ...QUICK, ...options });
  closes.push(() => {
    connection.close();
    headway.free();
  });
  return { headway, connection };
}

/** Resolves as soon as a view is as wanted. */
const until = (headway: Headway, isSo: (view: View) => boolean): Promise<View> =>
  vi.waitUntil(() => (isSo(headway.getView()) ? headway.getView() : undefined), { timeout: 10_000, interval: 5 });

const isLive = ({ connection, agentState }: View) => connection === "live" && agentState === "AVAILABLE";
const say = (frame: object | string) => {
  for (const socket of server.clients) socket.send(typeof frame === "string" ? frame : JSON.stringify(frame));
};

describe("a connection", () => {
  test("opens, hears the snapshot, and carries commands without the option `send` (R6)", async () => {
    const { headway } = client();
    expect(headway.can("revert", "t1")).toBe("offline");
    await until(headway, isLive);
    const moved = headway.revert("t1");
    await vi.waitUntil(() => heard.length > 0);
    expect(JSON.parse(heard[0]!)).toEqual({ type: "WsClientRevertCommand", messageId: "t1" });
    say({ headId: "step-initial", canRedo: true, type: "WsServerHeadChangeEvent" });
    expect(await moved).toMatchObject({ headId: "step-initial" });
  });

  test("comes back by itself, and what the server says then counts; commands are not kept for later (R4, R6)", async () => {
    const { headway } = client();
    await until(headway, isLive);
    const at = port();
    const sent = headway.revert("t1");
    sent.catch(() => undefined);
    await vi.waitUntil(() => heard.length === 1);
    await goAway();
    expect(await until(headway, ({ connection }) => connection === "offline")).toMatchObject({ canRedo: "unknown" });
    await expect(headway.revert("t1")).rejects.toMatchObject({ code: "offline" });
    greeting = snapshot(STEPS.slice(0, 1), "u1");
    await listen(at);
    await until(headway, (view) => isLive(view) && view.headId === "u1");
    await expect(sent).rejects.toMatchObject({ code: "lost" });
    expect(heard).toHaveLength(1);
  });

  test("gives up a command that nobody answers (R8)", async () => {
    const { headway } = client({}, { commandTimeout: 30 });
    await until(headway, isLive);
    await expect(headway.revert("t1")).rejects.toMatchObject({ code: "timed_out" });
  });

  test("is opened anew for a history that does not fit together, once (R16)", async () => {
    const { headway } = client();
    await until(headway, isLive);
    let connections = 0;
    server.on("connection", () => (connections += 1));
    say({ step: step("x1", "elsewhere", "t9", [3, 3]), type: "WsServerStepEvent" });
    await until(headway, (view) => isLive(view) && !view.diverged && connections === 1);
    // One that does not help is not tried again.
    greeting = snapshot(STEPS, "nobody");
    say({ headId: "nobody", canRedo: false, type: "WsServerHeadChangeEvent" });
    await until(headway, (view) => isLive(view) && connections === 2 && view.path.status === "unknown_head");
    say({ state: "AVAILABLE", type: "WsServerStatusEvent" });
    say({ error: "later", type: "WsServerErrorEvent" });
    await vi.waitUntil(() => server.clients.size === 1);
    expect(headway.getView().needsResync).toBe(false);
    expect(connections).toBe(2);
  });

  test("is opened anew after sleep", async () => {
    const { headway } = client({ sleep: 1_000 });
    await until(headway, isLive);
    let connections = 0;
    server.on("connection", () => (connections += 1));
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 3_600_000);
    await vi.waitUntil(() => connections === 1);
    now.mockRestore();
    await until(headway, isLive);
  });

  test("is over when it is closed, and when the Headway is freed (X3)", async () => {
    const { headway, connection } = client();
    await until(headway, isLive);
    connection.close();
    connection.close();
    connection.reconnect();
    await vi.waitUntil(() => server.clients.size === 0);
    expect(headway.getView().connection).toBe("offline");
    expect(headway.can("stop")).toBe("offline");
    const other = client();
    await until(other.headway, isLive);
    other.headway.free();
    await vi.waitUntil(() => server.clients.size === 0);
  });

  test("asks for its address anew each time", async () => {
    const headway = Headway.create();
    let asked = 0;
    const connection: Connection = connect(headway, async () => `ws://127.0.0.1:${port()}/?token=${++asked}`, QUICK);
    closes.push(() => (connection.close(), headway.free()));
    await until(headway, isLive);
    connection.reconnect();
    await vi.waitUntil(() => asked === 2);
    await until(headway, isLive);
  });

  test("a listener of the host's that throws does not end it", async () => {
    const thrown = uncaught();
    const { headway } = client();
    const stop = headway.subscribe(() => {
      throw new Error("mine");
    });
    await until(headway, isLive);
    await vi.waitUntil(() => thrown.length > 0);
    stop();
    expect(thrown[0]).toEqual(new Error("mine"));
    say({ state: "GENERATING", type: "WsServerStatusEvent" });
    await until(headway, ({ agentState }) => agentState === "GENERATING");
  });
});

test.each<[string, unknown, object]>([
  ["url", "http://127.0.0.1/", {}],
  ["url", 3, {}],
  ["min", "ws://127.0.0.1/", { backoff: { min: 0 } }],
  ["tickEvery", "ws://127.0.0.1/", { tickEvery: "1" }],
  ["WebSocket", "ws://127.0.0.1/", { WebSocket: {} }],
])("X2: a wrong %s is refused", (name, url, options) => {
  const headway = Headway.create();
  expect(() => connect(headway, url as string, { WebSocket, ...options })).toThrowError(
    expect.objectContaining({ code: "invalid_argument", message: expect.stringContaining(name) as string }) as Error,
  );
  headway.free();
});
