/** A real server and a real browser for the tests, and the workbench as a person sees it. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from "playwright-core";
import type { Headway } from "headway";
import { args, executablePath } from "../chromium.ts";

export { startServer, type Server } from "../server.ts";

/** A wire between page and agent service that can be cut, or made to swallow what the page says. */
export interface Wire {
  /** For HEADWAY_AGENT_URL. */
  readonly url: string;
  swallow(on: boolean): void;
  cut(): void;
  close(): void;
}

export async function wireTo(port: string): Promise<Wire> {
  const ends = new Set<Socket>();
  let isSwallowing = false;
  const keep = (socket: Socket): Socket => {
    ends.add(socket);
    return socket.on("close", () => ends.delete(socket)).on("error", () => socket.destroy());
  };
  const wire = createServer((near) => {
    const far = keep(connect(Number(port), "127.0.0.1"));
    keep(near).on("data", (data) => isSwallowing || far.write(data));
    far.on("data", (data) => near.write(data));
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => wire.listen(0, "127.0.0.1", resolve));
  const cut = (): void => ends.forEach((end) => end.destroy());
  return {
    url: `ws://127.0.0.1:${(wire.address() as AddressInfo).port}`,
    swallow: (on) => void (isSwallowing = on),
    cut,
    close() {
      cut();
      wire.close();
    },
  };
}

export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}

/** What went wrong on a page, but for the browser's own remark that nobody listens while a server is down. */
export function realProblems({ problems }: Workbench): string[] {
  const remark = /^WebSocket connection to .* failed: .*(?:ERR_CONNECTION_REFUSED|closed before)/;
  return problems.filter((problem) => !remark.test(problem));
}

declare global {
  interface Window {
    headway?: Headway;
  }
}

/** The page, with the words of a person for what can be seen and done on it. */
export class Workbench {
  /** Everything that went wrong on the page: console errors, exceptions, violations of the policy. */
  readonly problems: string[] = [];

  private constructor(readonly page: Page) {
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.problems.push(message.text());
    });
    page.on("pageerror", (error) => this.problems.push(error.message));
  }

  static async open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Workbench> {
    // Without motion there is nothing to wait for but the thing itself.
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
      ...options,
    });
    const workbench = new Workbench(await context.newPage());
    await workbench.page.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    await workbench.page.goto(url);
    return workbench;
  }

  /** Open and hearing the agent. */
  static async live(browser: Browser, url: string): Promise<Workbench> {
    const workbench = await Workbench.open(browser, url);
    await workbench.isLive();
    return workbench;
  }

  at = (testId: string): Locator => this.page.getByTestId(testId);
  node = (id: string): Locator => this.at(`node-${id}`);
  turn = (index: number): Locator => this.at(`turn-${index}`);
  get composer(): Locator {
    return this.at("composer");
  }
  get toast(): Locator {
    return this.at("toast");
  }
  /** The agent's. */
  get redo(): Locator {
    return this.at("redo");
  }

  isLive = (): Promise<void> => this.at("connection").getByText("Live").waitFor();
  isState = (state: string): Promise<void> => this.at("agent-state").getByText(state).waitFor();
  hasEnded = (index: number, how = "Done"): Promise<void> => this.at(`ended-${index}`).getByText(how).waitFor();

  /** Types a prompt and sends it, without waiting for what comes of it. */
  async type(prompt: string): Promise<void> {
    await this.composer.fill(prompt);
    await this.composer.press("Enter");
  }

  /** A whole turn, to its end and to an agent that is ready again. */
  async say(prompt: string, ended = "Done"): Promise<void> {
    const index = await this.turns();
    await this.type(prompt);
    await this.hasEnded(index, ended);
    await this.isState("Ready");
  }

  turns = (): Promise<number> => this.page.locator("article.turn").count();

  async hasTurns(count: number): Promise<void> {
    await this.page.waitForFunction((n) => document.querySelectorAll("article.turn").length === n, count);
  }

  revert = (index: number): Promise<void> => this.at(`revert-${index}`).click();

  /** Presses a button that says it will not do it, as a person can. */
  insist = (testId: string): Promise<void> => this.at(testId).press("Enter");

  /** What is on the canvas: the ids of the operators, in no order. */
  async operators(): Promise<string[]> {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('[data-testid^="node-"]')].map((node) => node.getAttribute("data-testid") ?? ""),
    );
  }

  async hasOperators(...ids: string[]): Promise<void> {
    await this.page.waitForFunction((expected) => {
      const shown = [...document.querySelectorAll('[data-testid^="node-"]')].map((node) =>
        (node.getAttribute("data-testid") ?? "").slice("node-".length),
      );
      return shown.sort().join() === [...expected].sort().join();
    }, ids);
  }

  /** Until the view has come to rest: the same picture for some frames. */
  async isAtRest(): Promise<void> {
    await this.page.waitForFunction(() => {
      const viewport = document.querySelector<HTMLElement>(".react-flow__viewport");
      const now = viewport?.style.transform ?? "";
      const seen = (window as { seen?: string[] }).seen ?? [];
      (window as { seen?: string[] }).seen = [...seen.slice(-30), now];
      return seen.length > 30 && seen.every((one) => one === now);
    });
  }

  /** HEAD's content by the engine, and whether the canvas equals it. */
  async head(): Promise<{ headId: string; content: string | undefined; equalsHead: boolean; canRedo: unknown }> {
    return this.page.evaluate(() => {
      const headway = window.headway;
      if (!headway) throw new Error("There is no headway on the window");
      const { headId, canvas, canRedo } = headway.getView();
      return { headId, content: headway.content(), equalsHead: canvas.equalsHead, canRedo };
    });
  }

  close = (): Promise<void> => this.page.context().close();
}
