// Turns on the page: prompt, revert, redo, stop, failure, refusals.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startBrowser, startServer, Workbench, type Server } from "./harness.ts";

const BUILD = "CSV scan, then a filter age > 30, then a bar chart of count per city";

let server: Server;
/** At the pace of a person: its slow runs last until they are stopped. */
let unhurried: Server;
let browser: Browser;
let bench: Workbench;
let agent = 0;

beforeAll(async () => {
  [server, unhurried, browser] = await Promise.all([
    startServer(),
    startServer({ HEADWAY_AGENT_SPEED: "1" }),
    startBrowser(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await unhurried?.stop();
  expect(await server?.stop(), "the server ends by itself when it is asked to").toBe(0);
});

beforeEach(async () => {
  agent += 1;
  bench = await Workbench.live(browser, `${server.url}?agent=turns-${agent}`);
});

afterEach(async () => {
  expect(bench.problems).toEqual([]);
  await bench.close();
});

describe("a prompt", () => {
  it("puts operators on the canvas and tells in the chat what was done (H1)", async () => {
    // given an empty canvas that invites to begin
    await bench.at("empty").waitFor();
    // when
    await bench.say(BUILD);
    // then
    await bench.hasOperators("op1", "op2", "op3", "op4");
    await bench.node("op2").getByText("age > 30").waitFor();
    expect(await bench.at("empty").count()).toBe(0);
    const turn = bench.turn(0);
    await turn.getByText("Added CSV file · people.csv").waitFor();
    await turn.getByText("Added Filter · age > 30").waitFor();
    await turn.getByText(/^6 steps · [\d,]+ tokens · \d+\.\d s$/).waitFor();
    expect(await bench.composer.inputValue()).toBe("");
    expect(await bench.head()).toMatchObject({ equalsHead: true, canRedo: false });
  });

  it("tells what the turn did to the workflow, in sentences (C6)", async () => {
    await bench.say(BUILD);
    await bench.hasEnded(0);
    await bench.say("change the filter to age > 40");
    await bench.hasEnded(1);
    const changes = bench.at("changes-1");
    await changes.getByText("Workflow: 1 changed").click();
    await changes.getByText("age > 30 → age > 40").waitFor();
    await bench.at("changes-0").getByText("Workflow: 7 added").click();
    expect(await bench.at("changes-0").getByRole("listitem").count()).toBeGreaterThan(3);
    expect(await bench.at("changes-0").innerText()).not.toMatch(/[{}[\]]/);
  });

  it("can be one of the examples on the empty canvas", async () => {
    await bench.at("empty").getByRole("button").first().click();
    await bench.hasEnded(0);
    await bench.hasOperators("op1", "op2", "op3", "op4");
  });

  it("opens a tool call to what was asked and answered, as text", async () => {
    await bench.say("read people.csv");
    await bench.turn(0).getByText("Added CSV file · people.csv").click();
    await bench.turn(0).getByText('"operatorType": "CSVFileScan"').waitFor();
    await bench.turn(0).getByText("Added operator op1, input ports: 0, output ports: 1").waitFor();
  });

  it("with Shift+Enter has two lines, and an empty one is not sent", async () => {
    await bench.composer.pressSequentially("read a.csv");
    await bench.composer.press("Shift+Enter");
    await bench.composer.pressSequentially("limit to 3");
    await bench.composer.press("Enter");
    await bench.hasEnded(0);
    await bench.hasOperators("op1", "op2");
    await bench.composer.press("Enter");
    await bench.insist("send");
    await bench.toast.getByText("Type what the agent should do first").waitFor();
    expect(await bench.turns()).toBe(1);
  });
});

describe("revert", () => {
  it("shortens the chat, brings the canvas back and the prompt to the composer (R1, R13)", async () => {
    await bench.say(BUILD);
    const before = await bench.head();
    await bench.say("change the filter to age > 40, add a pie chart of city");
    await bench.hasOperators("op1", "op2", "op3", "op4", "op5");
    // when
    await bench.revert(1);
    // then
    await bench.hasTurns(1);
    await bench.hasOperators("op1", "op2", "op3", "op4");
    await bench.node("op2").getByText("age > 30").waitFor();
    expect(await bench.composer.inputValue()).toBe("change the filter to age > 40, add a pie chart of city");
    expect(await bench.head()).toMatchObject({ headId: before.headId, equalsHead: true, canRedo: true });
  });

  it("of the first turn leads to the empty canvas (R1)", async () => {
    await bench.say(BUILD);
    await bench.revert(0);
    await bench.hasTurns(0);
    await bench.at("empty").waitFor();
    expect(await bench.head()).toMatchObject({ headId: "step-initial", equalsHead: true, canRedo: true });
  });

  it("leaves a draft alone (R13)", async () => {
    await bench.say("read a.csv");
    await bench.composer.fill("something of my own");
    await bench.revert(0);
    await bench.hasTurns(0);
    expect(await bench.composer.inputValue()).toBe("something of my own");
  });

  it("can be done with the keyboard alone", async () => {
    await bench.say("read a.csv");
    await bench.at("revert-0").press("Enter");
    await bench.hasTurns(0);
    await bench.redo.press("Enter");
    await bench.hasTurns(1);
  });

  it("that cannot be saved is told in words and moves nothing (R3)", async () => {
    const readOnly = await Workbench.live(browser, `${server.url}?agent=readonly-${agent}`);
    await readOnly.say("read a.csv");
    await readOnly.revert(0);
    await readOnly.toast.getByText("Failed to save the restored workflow; the operation was rolled back").waitFor();
    await readOnly.hasOperators("op1");
    expect(await readOnly.turns()).toBe(1);
    expect(readOnly.problems).toEqual([]);
    await readOnly.close();
  });
});

describe("redo", () => {
  it("takes the latest revert back, says where it leads, newest first (R3, R5)", async () => {
    await bench.say("read a.csv");
    await bench.say("filter age > 30");
    await bench.say("limit to 5");
    await bench.revert(2);
    await bench.redo.getByText("limit to 5").waitFor();
    await bench.revert(1);
    await bench.hasTurns(1);
    // when
    await bench.redo.getByText("filter age > 30").waitFor();
    await bench.redo.click();
    await bench.hasTurns(2);
    await bench.hasOperators("op1", "op2");
    await bench.redo.click();
    // then
    await bench.hasTurns(3);
    await bench.hasOperators("op1", "op2", "op3");
    expect(await bench.head()).toMatchObject({ equalsHead: true, canRedo: false });
    await bench.insist("redo");
    await bench.toast.getByText("There is nothing to redo").waitFor();
  });

  it("after going back over several turns at once returns over all of them (R3)", async () => {
    await bench.say("read a.csv");
    await bench.say("filter age > 30");
    await bench.say("limit to 5");
    await bench.revert(0);
    await bench.hasTurns(0);
    await bench.redo.click();
    await bench.hasTurns(3);
    await bench.hasOperators("op1", "op2", "op3");
    expect(await bench.head()).toMatchObject({ equalsHead: true, canRedo: false });
  });

  it("takes the prompt that came back out of the composer again, but not one that was changed (R13)", async () => {
    await bench.say("read a.csv");
    await bench.revert(0);
    await bench.redo.click();
    await bench.hasTurns(1);
    await expect.poll(() => bench.composer.inputValue()).toBe("");
    await bench.revert(0);
    await bench.hasTurns(0);
    await bench.composer.fill("read a.csv and b.csv");
    await bench.redo.click();
    await bench.hasTurns(1);
    expect(await bench.composer.inputValue()).toBe("read a.csv and b.csv");
  });

  it("is gone after a new prompt, and the turn says that another branch was left (R3, H5)", async () => {
    await bench.say("read a.csv");
    await bench.say("filter age > 30");
    await bench.revert(1);
    await bench.hasTurns(1);
    await bench.say("limit to 5");
    await bench.hasOperators("op1", "op2");
    await bench.node("op2").getByText("first 5 rows").first().waitFor();
    await bench.turn(1).getByText("1 other branch").waitFor();
    expect(await bench.head()).toMatchObject({ canRedo: false });
    await bench.insist("redo");
    await bench.toast.getByText("There is nothing to redo").waitFor();
  });
});

describe("a run", () => {
  it("can be stopped in the middle; what it did stays and can be reverted (H1, R1)", async () => {
    const prompt = "slowly read a.csv, filter age > 3, sort by age, limit to 5";
    const slow = await Workbench.live(browser, `${unhurried.url}?agent=stop`);
    await slow.type(prompt);
    await slow.node("op1").waitFor();
    await slow.at("stop").click();
    await slow.hasEnded(0, "Stopped");
    await slow.isState("Ready");
    await slow.turn(0).getByText("Generation stopped by user.").waitFor();
    await slow.hasOperators("op1");
    expect(await slow.head()).toMatchObject({ equalsHead: true });
    await slow.revert(0);
    await slow.hasOperators();
    expect(await slow.composer.inputValue()).toBe(prompt);
    expect(slow.problems).toEqual([]);
    await slow.close();
  });

  it("that fails says so and leaves what it did (H1)", async () => {
    await bench.say("read a.csv, then crash on purpose", "Failed");
    await bench
      .turn(0)
      .getByText(/^Error: The model gave up/)
      .waitFor();
    await bench.hasOperators("op1");
    await bench.say("limit to 3");
    await bench.hasOperators("op1", "op2");
  });

  it("refuses revert, redo and another prompt in words while it lasts (R2)", async () => {
    const slow = await Workbench.live(browser, `${unhurried.url}?agent=busy`);
    await slow.say("read a.csv");
    await slow.say("limit to 3");
    await slow.revert(1);
    await slow.hasTurns(1);
    await slow.type("slowly add a filter age > 3");
    await slow.at("stop").waitFor();
    const why = "The agent is working: stop it, or wait until it is done";
    expect(await slow.at("revert-0").getAttribute("title")).toBe(why);
    expect(await slow.at("revert-0").getAttribute("aria-disabled")).toBe("true");
    await slow.insist("revert-0");
    await slow.toast.getByText("Revert is not possible now").waitFor();
    await slow.toast.getByText(why).first().waitFor();
    await slow.type("limit to 7");
    await slow.toast.getByText("The prompt was not sent").waitFor();
    expect(await slow.composer.inputValue()).toBe("limit to 7");
    await slow.at("stop").click();
    await slow.isState("Ready");
    expect(await slow.turns()).toBe(2);
    expect(slow.problems).toEqual([]);
    await slow.close();
  });
});

describe("what steps say", () => {
  it("is text: markup is shown, not obeyed, and only web addresses become links (X4)", async () => {
    const evil = '<img src=x onerror="window.hacked=1"><b>bold</b> [x](javascript:alert(1)) https://example.org/a?b=1.';
    await bench.say(`say ${evil}`);
    await bench.turn(0).locator(".said").getByText("<b>bold</b>").waitFor();
    expect(await bench.turn(0).locator(".said").innerText()).toBe(evil);
    expect(await bench.page.locator("article img, article b, article script").count()).toBe(0);
    expect(await bench.page.evaluate(() => "hacked" in window)).toBe(false);
    const links = bench.turn(0).locator(".said a");
    expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute("href")))).toEqual([
      "https://example.org/a?b=1",
    ]);
    expect(await links.first().getAttribute("rel")).toContain("noopener");
  });

  it("is text on the canvas too (X4)", async () => {
    await bench.say('read a.csv, rename it to "<i>x</i>", add a comment "<b>y</b>"');
    await bench.node("op1").getByText("<i>x</i>").waitFor();
    await bench.at("comment-comment1").getByText("<b>y</b>").waitFor();
  });
});
