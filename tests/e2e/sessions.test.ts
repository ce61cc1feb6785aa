// More than one page, more than one server, and connections that break.
import type { Browser } from "playwright-core";
import { WebSocketServer } from "ws";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AgentClient } from "../js/agent-client.ts";
import { realProblems, startBrowser, startServer, wireTo, Workbench, type Server } from "./harness.ts";

let server: Server;
let browser: Browser;
const benches: Workbench[] = [];

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), startBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

afterEach(async () => {
  for (const bench of benches.splice(0)) {
    expect(realProblems(bench)).toEqual([]);
    await bench.close();
  }
});

async function live(url: string): Promise<Workbench> {
  const bench = await Workbench.live(browser, url);
  benches.push(bench);
  return bench;
}

async function open(url: string): Promise<Workbench> {
  const bench = await Workbench.open(browser, url);
  benches.push(bench);
  return bench;
}

describe("a reload", () => {
  it("shows the same path and canvas, and redo is still there (R4, R6, P14)", async () => {
    const bench = await live(`${server.url}?agent=reload`);
    await bench.say("read a.csv, filter age > 30");
    await bench.say("limit to 5");
    await bench.revert(1);
    await bench.hasTurns(1);
    const before = await bench.head();
    await bench.page.reload();
    await bench.hasTurns(1);
    await bench.hasOperators("op1", "op2");
    expect(await bench.head()).toEqual(before);
    expect(await bench.at("notices").count()).toBe(0);
    await bench.redo.click();
    await bench.hasTurns(2);
    await bench.hasOperators("op1", "op2", "op3");
  });

  it("in the middle of a run joins it", async () => {
    const own = await startServer({ HEADWAY_AGENT_SPEED: "6" });
    const bench = await live(`${own.url}?agent=reload-run`);
    await bench.type("slowly read a.csv, filter age > 3, sort by age, limit to 5");
    await bench.node("op1").waitFor();
    await bench.page.reload();
    await bench.isState("Working");
    await bench.hasEnded(0);
    await bench.hasOperators("op1", "op2", "op3", "op4");
    expect(await bench.head()).toMatchObject({ equalsHead: true });
    await bench.page.goto("about:blank");
    await own.stop();
  });
});

describe("two pages", () => {
  it("see each other's turns and reverts, and share redo (R3, R6)", async () => {
    const [one, two] = await Promise.all([live(`${server.url}?agent=two`), live(`${server.url}?agent=two`)]);
    await one.say("read a.csv, filter age > 30");
    await two.hasEnded(0);
    await two.hasOperators("op1", "op2");
    // when one of them reverts
    await one.revert(0);
    // then the other one follows, is offered redo, and gets no prompt into its composer
    await two.hasTurns(0);
    await two.at("empty").waitFor();
    expect(await two.composer.inputValue()).toBe("");
    await two.redo.getByText("read a.csv").waitFor();
    await two.redo.click();
    await one.hasTurns(1);
    await one.hasOperators("op1", "op2");
    // and a prompt in one ends redo in both
    await one.revert(0);
    await two.hasTurns(0);
    await one.say("read b.csv");
    await two.hasOperators("op1");
    await expect.poll(async () => (await two.head()).canRedo).toBe(false);
    expect((await two.head()).headId).toBe((await one.head()).headId);
  });
});

describe("a server that goes away", () => {
  it("and comes back empty: the page says it reconnects, refuses in words, then shows the server's truth (R4, R6)", async () => {
    let own = await startServer();
    const bench = await live(`${own.url}?agent=phoenix`);
    await bench.say("read a.csv, filter age > 30");
    await bench.say("limit to 5");
    await bench.revert(1);
    await bench.hasTurns(1);
    // when
    await own.crash();
    // then what is known stays on show, and nothing is promised
    await bench.at("connection").getByText("Reconnecting…").waitFor();
    expect((await bench.head()).canRedo).toBe("unknown");
    expect(await bench.turns()).toBe(1);
    await bench.hasOperators("op1", "op2");
    await bench.insist("revert-0");
    await bench.toast.getByText("Not connected to the agent service").waitFor();
    await bench.type("limit to 7");
    await bench.toast.getByText("The prompt was not sent").waitFor();
    // when
    own = await startServer({ PORT: own.port });
    // then
    await bench.isLive();
    await bench.hasTurns(0);
    await bench.hasOperators();
    expect((await bench.head()).canRedo).toBe(false);
    expect(await bench.composer.inputValue()).toBe("limit to 7");
    await bench.say("read c.csv");
    await bench.hasOperators("op1");
    await own.stop();
  });

  it("for a moment: the same history comes back, and an unanswered command is told to be lost (R6, R8)", async () => {
    const wire = await wireTo(server.port);
    const page = await startServer({ HEADWAY_AGENT_URL: wire.url });
    const bench = await live(`${page.url}?agent=blink`);
    await bench.say("read a.csv, filter age > 30");
    await bench.say("limit to 5");
    const before = await bench.head();
    // given a revert that nobody hears
    wire.swallow(true);
    await bench.revert(1);
    await bench.insist("redo");
    await bench.toast.getByText("Still waiting for the answer to the last command").waitFor();
    // when
    wire.swallow(false);
    wire.cut();
    // then
    await bench.toast.getByText("The turn was not reverted").waitFor();
    await bench.isLive();
    await expect.poll(() => bench.head()).toEqual(before);
    expect(await bench.turns()).toBe(2);
    await bench.revert(1);
    await bench.hasTurns(1);
    await bench.hasOperators("op1", "op2");
    wire.close();
    await page.stop();
  });
});

describe("an agent", () => {
  it("that does not exist is named, with a way out", async () => {
    const bench = await open(`${server.url}?agent=missing`);
    await bench.at("banner-gone").getByText("There is no agent “missing” on this service.").waitFor();
    await bench.isState("Unavailable");
    await bench.at("banner-gone").getByRole("link").click();
    await bench.isLive();
    await bench.page.getByText("demo", { exact: true }).waitFor();
  });

  it("of another service is reached through HEADWAY_AGENT_URL", async () => {
    const page = await startServer({ HEADWAY_AGENT_URL: server.url.replace("http", "ws") });
    const far = await live(`${page.url}?agent=far`);
    await far.say("read a.csv");
    const near = await live(`${server.url}?agent=far`);
    await near.hasOperators("op1");
    expect((await fetch(`${page.url}api/agents`)).ok && (await (await fetch(`${page.url}api/agents`)).json())).toEqual(
      [],
    );
    await page.stop();
  });
});

describe("a long conversation", () => {
  it("shows the newest turns and the earlier ones when asked", async () => {
    const client = await AgentClient.open(server.url, "long");
    for (let turn = 0; turn < 45; turn += 1) await client.turn(`say this is turn ${turn}`);
    client.close();
    const bench = await live(`${server.url}?agent=long`);
    await bench.hasTurns(40);
    await bench.turn(44).getByText("this is turn 44", { exact: true }).waitFor();
    await bench.page.getByRole("button", { name: "Show 5 earlier turns" }).click();
    await bench.hasTurns(45);
  });
});

describe("another kind of service", () => {
  const snapshot = { state: "AVAILABLE", steps: [], headId: "step-initial" };
  const step = (id: string, parentId: string) => ({
    id,
    parentId,
    messageId: "m1",
    stepId: 0,
    timestamp: 1,
    role: "user",
    content: "hello",
    isBegin: true,
    isEnd: true,
  });

  type Say = (frame: object) => void;
  async function against(frame: object, look: (bench: Workbench, say: Say) => Promise<void>): Promise<void> {
    const fake = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    const text = (said: object): string => JSON.stringify({ ...said, type: "WsServerSnapshotEvent" });
    fake.on("connection", (socket) => socket.send(text(frame)));
    await new Promise((resolve) => fake.once("listening", resolve));
    const { port } = fake.address() as { port: number };
    const page = await startServer({ HEADWAY_AGENT_URL: `ws://127.0.0.1:${port}` });
    const bench = await live(page.url);
    await look(bench, (said) => fake.clients.forEach((socket) => socket.send(text(said))));
    await bench.page.goto("about:blank");
    for (const socket of fake.clients) socket.terminate();
    fake.close();
    await page.stop();
  }

  it("without revert: the button says so in words (R2)", async () => {
    await against({ ...snapshot, steps: [step("s1", "step-initial")], headId: "s1" }, async (bench) => {
      await bench.hasTurns(1);
      await bench.insist("revert-0");
      await bench.toast.getByText("This agent service cannot do that").waitFor();
    });
  });

  it("with a HEAD that nobody knows: no blank chat, and a word about it (T5)", async () => {
    const steps = [step("s1", "step-initial")];
    await against({ ...snapshot, steps, headId: "s9", canRedo: false }, async (bench) => {
      await bench.at("banner-path").getByText("The service points at a step that it has not sent.").waitFor();
      await bench.hasTurns(1);
    });
  });

  it("that knows no content: the canvas is left alone, and the page says so (R7)", async () => {
    const steps = [step("s1", "step-initial")];
    await against({ ...snapshot, steps, headId: "s1", canRedo: false }, async (bench) => {
      await bench.at("banner-unknown").getByText("No content is known").waitFor();
    });
  });

  it("that has forgotten everything: what is on the canvas is left, and said to be left (R7)", async () => {
    const operator = { operatorID: "op1", operatorType: "Limit", operatorProperties: { limit: 3 } };
    const content = { operators: [operator], operatorPositions: { op1: { x: 0, y: 0 } }, links: [], commentBoxes: [] };
    const steps = [{ ...step("s1", "step-initial"), beforeWorkflowContent: content, afterWorkflowContent: content }];
    await against({ ...snapshot, steps, headId: "s1", canRedo: false }, async (bench, say) => {
      await bench.hasOperators("op1");
      say({ ...snapshot, canRedo: false });
      await bench.hasTurns(0);
      await bench.at("banner-unknown").waitFor();
      await bench.hasOperators("op1");
    });
  });
});
