// One canvas in several pages: what each does by hand, what the agent and a revert do meanwhile, and whose undo is whose.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { realProblems, startBrowser, startServer, Workbench, type Server } from "./harness.ts";

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

/** Two pages on one agent, which has built three operators. */
async function two(agent: string): Promise<[Workbench, Workbench]> {
  const url = `${server.url}?agent=${agent}`;
  const [one, other] = [await live(url), await live(url)];
  await one.say("read a.csv, filter age > 30, limit to 5");
  await other.hasEnded(0);
  for (const bench of [one, other]) await bench.hasOperators("op1", "op2", "op3");
  return [one, other];
}

const field = (bench: Workbench, label: string) => bench.at("inspector").getByLabel(label, { exact: true });

async function rename(bench: Workbench, id: string, name: string): Promise<void> {
  await bench.node(id).click();
  await field(bench, "Name").fill(name);
}

/** Both pages show the same, and no edit is on its way. */
async function agree(one: Workbench, other: Workbench): Promise<void> {
  const state = (bench: Workbench) =>
    bench.page.evaluate(() => {
      // A shared map has no order.
      const sorted = (_: string, value: unknown) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
          : value;
      const { headId, canvas } = window.headway!.getView();
      const content: unknown = JSON.parse(window.headway!.content("canvas") ?? "");
      return JSON.stringify({ headId, equalsHead: canvas.equalsHead, content }, sorted);
    });
  await expect.poll(async () => (await state(one)) === (await state(other))).toBe(true);
}

describe("two pages on one canvas", () => {
  it("see what the other does by hand, and who is there", async () => {
    const [one, other] = await two("shared");
    await expect.poll(() => one.at("people").locator(".avatar").count()).toBe(2);
    await rename(one, "op2", "Grown-ups");
    await other.node("op2").getByText("Grown-ups").waitFor();
    // Who has it selected is seen, too.
    await other.node("op2").locator(".held").waitFor();
    await one.page.keyboard.press("Escape");
    await agree(one, other);
  });

  it("write one change once, however fast the agent is (P8)", async () => {
    const [one, other] = await two("shared-fast");
    for (const name of ["page", "cage", "cage2", "e"]) {
      await one.say(`change the filter to ${name} > 4`);
      await other.isState("Ready");
      for (const bench of [one, other]) await bench.node("op2").getByText(`${name} > 4`, { exact: true }).waitFor();
    }
    for (const index of [4, 3, 2, 1]) {
      await (index % 2 === 0 ? one : other).revert(index);
      for (const bench of [one, other]) await bench.hasTurns(index);
      await agree(one, other);
    }
    for (const bench of [one, other]) {
      await bench.node("op2").getByText("age > 30", { exact: true }).waitFor();
      expect(await bench.head()).toMatchObject({ equalsHead: true });
      expect(await bench.at("banner-stash").count()).toBe(0);
    }
  });

  it("a co-editor's text and caret outlive a revert of another turn (P3, P13)", async () => {
    const [one, other] = await two("shared-type");
    await one.say("sort by age");
    await other.hasOperators("op1", "op2", "op3", "op4");
    await other.node("op2").click();
    const name = field(other, "Name");
    await name.fill("Filter");
    await name.press("Home");
    await other.page.keyboard.type("Gro");
    await one.revert(1);
    await other.hasOperators("op1", "op2", "op3");
    await other.page.keyboard.type("wn ");
    expect(await name.inputValue()).toBe("Grown Filter");
    await one.node("op2").getByText("Grown Filter").waitFor();
    await agree(one, other);
  });

  it("two people type in one field", async () => {
    const [one, other] = await two("shared-field");
    await rename(one, "op2", "Filter");
    await other.node("op2").click();
    await expect.poll(() => field(other, "Name").inputValue()).toBe("Filter");
    await field(other, "Name").press("End");
    await field(one, "Name").press("Home");
    for (const [left, right] of ["Ab", "cd", "ef"]) {
      await one.page.keyboard.type(left!);
      await other.page.keyboard.type(right!);
    }
    for (const bench of [one, other]) {
      await expect.poll(() => field(bench, "Name").inputValue()).toBe("AceFilterbdf");
    }
  });
});

describe("undo (P4)", () => {
  it("takes back one's own edit: not the agent's, not the revert's, not the other's", async () => {
    const [one, other] = await two("undo");
    await rename(one, "op1", "My file");
    await rename(other, "op2", "Their filter");
    await one.node("op2").getByText("Their filter").waitFor();
    await one.say("sort by age");
    await one.revert(1);
    await one.hasOperators("op1", "op2", "op3");
    await one.page.keyboard.press("Control+z");
    await one.node("op1").getByText("My file").waitFor({ state: "detached" });
    await one.node("op2").getByText("Their filter").waitFor();
    await one.hasOperators("op1", "op2", "op3");
    await expect.poll(() => one.at("undo-edit").isDisabled()).toBe(true);
    await one.page.keyboard.press("Control+Shift+z");
    await one.node("op1").getByText("My file").waitFor();
    await agree(one, other);
  });

  it("is the text's own while somebody writes to the agent", async () => {
    const [one] = await two("undo-composer");
    await rename(one, "op1", "My file");
    await one.composer.fill("sort by");
    await one.composer.press("Control+z");
    await one.node("op1").getByText("My file").waitFor();
  });

  it("brings a deleted operator back with its links", async () => {
    const [one, other] = await two("undo-delete");
    const edges = (bench: Workbench) => bench.page.locator(".react-flow__edge").count();
    await one.node("op2").click();
    await one.page.keyboard.press("Delete");
    for (const bench of [one, other]) {
      await bench.hasOperators("op1", "op3");
      await expect.poll(() => edges(bench)).toBe(0);
    }
    await one.at("undo-edit").click();
    for (const bench of [one, other]) {
      await bench.hasOperators("op1", "op2", "op3");
      await expect.poll(() => edges(bench)).toBe(2);
    }
    await one.at("banner-differs").waitFor({ state: "detached" });
  });
});

describe("by hand", () => {
  it("a link is drawn where one may be, and taken away (C7)", async () => {
    const [one, other] = await two("link");
    await one.isAtRest();
    const edges = (bench: Workbench) => bench.page.locator(".react-flow__edge");
    await edges(one).first().click({ force: true });
    await one.page.keyboard.press("Delete");
    await expect.poll(() => edges(other).count()).toBe(1);
    const handle = (id: string, side: string) =>
      one.page.locator(`.react-flow__node[data-id="${id}"] .react-flow__handle-${side}`).first();
    const [from, to] = [await handle("op1", "right").boundingBox(), await handle("op2", "left").boundingBox()];
    if (!from || !to) throw new Error("A port is missing");
    await one.page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await one.page.mouse.down();
    await one.page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 6 });
    await one.page.mouse.up();
    for (const bench of [one, other]) await expect.poll(() => edges(bench).count()).toBe(2);
    await agree(one, other);
  });

  it("a name can be taken away and typed anew, and a number as well", async () => {
    const [one, other] = await two("typed");
    await one.node("op2").click();
    await field(one, "Name").press("Control+a");
    await one.page.keyboard.press("Delete");
    await other.node("op2").getByText("Filter", { exact: true }).waitFor();
    await one.page.keyboard.type("Adults");
    await other.node("op2").getByText("Adults", { exact: true }).waitFor();
    await field(one, "Predicates · Value").press("Control+a");
    await one.page.keyboard.press("Delete");
    await one.page.keyboard.type("-1.5");
    await other.node("op2").getByText("age > -1.5", { exact: true }).waitFor();
    expect(await field(one, "Predicates · Value").inputValue()).toBe("-1.5");
    await agree(one, other);
  });

  it("what stands against a revert is overwritten, told, and put back on request (P6, P7)", async () => {
    const [one] = await two("collide");
    await one.say("change the filter to age > 40");
    await one.node("op2").click();
    await field(one, "Predicates · Value").fill("77");
    await one.revert(1);
    await one.node("op2").getByText("age > 30", { exact: true }).waitFor();
    await one.at("banner-stash").getByText("77").waitFor();
    await one.at("put-back").click();
    await one.node("op2").getByText("age > 77", { exact: true }).waitFor();
    await one.at("banner-stash").waitFor({ state: "detached" });
    await one.at("banner-differs").getByText("One thing was edited by hand.").waitFor();
  });
});

describe("the canvas's own connection", () => {
  it("keeps the canvas for who comes back when all have gone", async () => {
    const url = `${server.url}?agent=kept`;
    const first = await live(url);
    await first.say("read a.csv, filter age > 30");
    await rename(first, "op2", "Grown-ups");
    // Until the service has it.
    const second = await live(url);
    await second.node("op2").getByText("Grown-ups").waitFor();
    for (const bench of benches.splice(0)) await bench.close();
    const again = await live(url);
    await again.node("op2").getByText("Grown-ups").waitFor();
    await again.at("banner-differs").getByText("One thing was edited by hand.").waitFor();
  });

  it("says when it is lost, keeps edits, and shares them when it is back", async () => {
    let own = await startServer();
    const url = `${own.url}?agent=apart`;
    const [one, other] = [await live(url), await live(url)];
    await one.say("read a.csv, filter age > 30");
    await other.hasOperators("op1", "op2");
    await own.crash();
    for (const bench of [one, other]) await bench.at("canvas-status").getByText("offline").waitFor();
    await rename(one, "op1", "Mine");
    await rename(other, "op2", "Theirs");
    own = await startServer({ PORT: own.port });
    for (const bench of [one, other]) {
      await bench.node("op1").getByText("Mine").waitFor();
      await bench.node("op2").getByText("Theirs").waitFor();
      await bench.at("canvas-status").waitFor({ state: "detached" });
    }
    for (const bench of [one, other]) await bench.page.goto("about:blank");
    await own.stop();
  });
});
