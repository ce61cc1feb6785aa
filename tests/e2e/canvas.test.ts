// The canvas: what a person does on it by hand, and how it looks in other windows.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, startServer, Workbench, type Server } from "./harness.ts";

let server: Server;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), startBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function drag(bench: Workbench, id: string, dx: number, dy: number): Promise<void> {
  const box = await bench.node(id).boundingBox();
  if (!box) throw new Error(`${id} is not on the canvas`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await bench.page.mouse.move(x, y);
  await bench.page.mouse.down();
  await bench.page.mouse.move(x + dx / 2, y + dy / 2, { steps: 4 });
  await bench.page.mouse.move(x + dx, y + dy, { steps: 4 });
  await bench.page.mouse.up();
}

/** Where an operator stands, in the canvas's own measure. */
const place = (bench: Workbench, id: string): Promise<string> =>
  bench.page.locator(`.react-flow__node[data-id="${id}"]`).evaluate((node) => (node as HTMLElement).style.transform);

describe("moving by hand", () => {
  it("is kept, told, and taken back on request (P14)", async () => {
    const bench = await Workbench.live(browser, `${server.url}?agent=hand`);
    await bench.say("read a.csv, filter age > 30, limit to 5");
    await bench.isAtRest();
    const before = await place(bench, "op2");
    // when
    await drag(bench, "op2", 40, 160);
    // then
    await bench.at("banner-differs").getByText("One thing was edited by hand.").waitFor();
    expect(await place(bench, "op2")).not.toBe(before);
    // when
    await bench.at("sync-canvas").click();
    // then
    await expect.poll(() => place(bench, "op2")).toBe(before);
    await bench.at("banner-differs").waitFor({ state: "detached" });
    expect(bench.problems).toEqual([]);
    await bench.close();
  });

  it("outlives a revert that does not touch it, and is gone on request (P6, P12)", async () => {
    const bench = await Workbench.live(browser, `${server.url}?agent=hand-revert`);
    await bench.say("read a.csv, filter age > 30");
    await bench.isAtRest();
    const before = await place(bench, "op1");
    await bench.say("limit to 5");
    await drag(bench, "op1", 30, 150);
    const moved = await place(bench, "op1");
    await bench.revert(1);
    await bench.hasOperators("op1", "op2");
    expect(await place(bench, "op1")).toBe(moved);
    await bench.at("sync-canvas").click();
    await expect.poll(() => place(bench, "op1")).toBe(before);
    // What was overwritten is kept, and can be had back.
    await bench.at("put-back").click();
    await expect.poll(() => place(bench, "op1")).toBe(moved);
    await bench.at("banner-stash").waitFor({ state: "detached" });
    expect(bench.problems).toEqual([]);
    await bench.close();
  });

  it("is not undone by a turn that only talks, nor by one that changes something else (P13)", async () => {
    const bench = await Workbench.live(browser, `${server.url}?agent=hand-talk`);
    await bench.say("read a.csv, filter age > 30");
    await bench.isAtRest();
    await drag(bench, "op1", 30, 150);
    await bench.at("banner-differs").waitFor();
    const moved = await place(bench, "op1");
    await bench.say("describe the workflow");
    expect(await place(bench, "op1")).toBe(moved);
    await bench.say("limit to 5");
    await bench.hasEnded(2);
    expect(await place(bench, "op1")).toBe(moved);
    expect(bench.problems).toEqual([]);
    await bench.close();
  });
});

describe("windows", () => {
  it.each([
    ["wide and dark", { viewport: { width: 1440, height: 900 }, colorScheme: "dark" as const }],
    ["900 px", { viewport: { width: 900, height: 700 } }],
    ["narrow, the chat below", { viewport: { width: 480, height: 900 } }],
  ])("%s: everything is in reach and nothing sticks out", async (name, options) => {
    const bench = await Workbench.open(browser, `${server.url}?agent=window-${name.length}`, options);
    await bench.isLive();
    await bench.say("read a.csv, filter age > 30, bar chart of count per city");
    await bench.hasOperators("op1", "op2", "op3", "op4");
    const { width, height } = options.viewport;
    expect(await bench.page.evaluate(() => [document.body.scrollWidth, document.body.scrollHeight])).toEqual([
      width,
      height,
    ]);
    for (const part of [bench.composer, bench.at("send"), bench.redo, bench.at("revert-0"), bench.at("agent-state")]) {
      const box = await part.boundingBox();
      expect(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height).toBe(true);
    }
    expect(bench.problems).toEqual([]);
    await bench.close();
  });
});
