// Three pages on a bad network and a service that dies now and then (R6, A1–A8): when it is over, all show what the service has, and so does the canvas.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startChaos, type Chaos } from "../../www/server/chaos.ts";
import { startService, type Service } from "../../www/server/service.ts";
import { startBrowser, Workbench } from "./harness.ts";

const RECONNECTS = 500;
/** Whatever the machine, the test has an end. */
const MOST_SECONDS = 240;

let service: Service;
let chaos: Chaos;
let browser: Browser;

beforeAll(async () => {
  service = await startService({ port: 0, pace: 15, leaseFor: 500 });
  const target = Number(new URL(service.url).port);
  chaos = await startChaos({ seed: 7, port: 0, target, restart: () => service.restart(), every: 25, silence: 500 });
  browser = await startBrowser();
});

afterAll(async () => {
  await browser?.close();
  await chaos?.close();
  await service?.close();
});

/** Counts the sockets of the page, and keeps asking for something until it is told to stop. */
function restless(seed: number): void {
  const page = window as unknown as {
    asked: number;
    open: number;
    reconnects: number;
    isOver: boolean;
    over: Promise<void>;
  };
  const Native = window.WebSocket;
  page.reconnects = 0;
  window.WebSocket = class extends Native {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      super(...args);
      this.addEventListener("open", () => (page.reconnects += 1));
    }
  };
  const random = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  const prompts = ["csv scan", "limit to 5", "add a filter", "slowly add a filter", "delete the limit", "describe it"];
  page.asked = page.open = 0;
  page.isOver = false;
  page.over = (async () => {
    while (!page.isOver) {
      const { headway } = window;
      await new Promise((resolve) => setTimeout(resolve, 40 + 160 * random()));
      if (!headway) continue;
      // The network of a moving laptop: no need to wait longer each time.
      if (random() < 0.25) window.dispatchEvent(new Event("online"));
      const { turns, steps } = headway.getView();
      const any = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
      const turn = any(turns)?.id ?? "none";
      const step = any(steps)?.id ?? "step-initial";
      const many = turns.length > 12;
      const command = any([
        () => (many ? headway.revert(turns[0]!.id) : headway.prompt(any(prompts)!)),
        () => headway.revert(turn, random() < 0.5 ? "exact" : "keep"),
        () => headway.redo(),
        () => headway.checkout(step),
        () => headway.stop(),
      ])!;
      page.asked += 1;
      page.open += 1;
      await command()
        .catch(() => undefined)
        .finally(() => (page.open -= 1));
    }
  })();
}

/** What a page knows of the history, and what is on its canvas. */
const seen = ({ page }: Workbench) =>
  page.evaluate(() => {
    const headway = window.headway!;
    const { headId, agentState, canRedo, path, diverged, steps, connection, canvas } = headway.getView();
    const sorted = (_: string, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value;
    return {
      history: { headId, agentState, canRedo, path, diverged, connection, steps: steps.map(({ id }) => id) },
      content: headway.content(),
      onCanvas: JSON.stringify(JSON.parse(headway.content("canvas") ?? "null"), sorted),
      equalsHead: canvas.equalsHead,
    };
  });

it(
  `after ${RECONNECTS} reconnects`,
  async () => {
    const url = `${chaos.url}?agent=chaos`;
    const benches = await Promise.all(
      [1, 2, 3].map(async (seed) => {
        // What breaks is told in the console; that it is told in words is another test's.
        const bench = await Workbench.open(browser, "about:blank");
        await bench.page.addInitScript(restless, seed);
        await bench.page.goto(url);
        return bench;
      }),
    );
    const counted = (name: "asked" | "open" | "reconnects") =>
      Promise.all(
        benches.map(({ page }) => page.evaluate((key) => (window as unknown as Record<string, number>)[key]!, name)),
      );
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    await expect
      .poll(async () => sum(await counted("reconnects")), { timeout: MOST_SECONDS * 1_000, interval: 500 })
      .toBeGreaterThanOrEqual(RECONNECTS);
    chaos.calm();
    const commands = sum(await counted("asked"));

    for (const { page } of benches) {
      await page.evaluate(() => ((window as unknown as { isOver: boolean }).isOver = true));
      await page.evaluate(() => (window as unknown as { over: Promise<void> }).over);
    }
    // Every command has had its answer, or was told that there will be none.
    expect(await counted("open")).toEqual([0, 0, 0]);
    for (const bench of benches) {
      await bench.isLive();
      await bench.isState("Ready");
    }
    // A page that came and went is told the same.
    const newcomer = await Workbench.live(browser, url);
    await newcomer.isState("Ready");
    const { history, content } = await seen(newcomer);
    expect(history).toMatchObject({ path: { status: "ok" }, diverged: false, connection: "live" });
    for (const bench of benches) {
      await expect.poll(async () => (await seen(bench)).history, { timeout: 10_000 }).toEqual(history);
      expect((await seen(bench)).content).toBe(content);
    }
    const { steps } = await newcomer.page.evaluate(() => window.headway!.stats());
    console.log(`${JSON.stringify(chaos.done)}, ${commands} commands, ${steps} steps`);
    expect(steps, "a history that was worth it").toBeGreaterThan(20);
    expect(Math.min(...Object.values(chaos.done)), "each kind of trouble").toBeGreaterThan(5);
    // One canvas, in all of them, and at HEAD as soon as somebody says so.
    await newcomer.page.evaluate(() => window.headway!.syncCanvas());
    for (const bench of [newcomer, ...benches]) {
      await expect
        .poll(async () => (await seen(bench)).onCanvas, { timeout: 10_000 })
        .toBe((await seen(newcomer)).onCanvas);
    }
    expect((await seen(newcomer)).equalsHead).toBe(true);
    // And it goes on.
    const turns = await newcomer.turns();
    await benches[0]!.type("csv scan");
    await newcomer.hasTurns(turns + 1);
    await newcomer.hasEnded(turns);
    for (const bench of [newcomer, ...benches]) {
      // The browser says of each socket that it broke; nothing else may have gone wrong.
      expect(bench.problems.filter((problem) => !/^WebSocket connection to /.test(problem))).toEqual([]);
      await bench.close();
    }
  },
  (MOST_SECONDS + 60) * 1_000,
);
