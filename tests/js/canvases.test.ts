// The shared canvases of the service, as pages and strangers on the wire see them.
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { startService, type Service } from "../../www/server/service.ts";
import { CanvasPage } from "./canvas-page.ts";

let service: Service;
const open: CanvasPage[] = [];

beforeEach(async () => {
  service = await startService({ port: 0, pace: 0 });
});

afterEach(async () => {
  for (const page of open.splice(0)) page.close();
  await service.close();
});

const address = () => `${service.url.replace("http", "ws")}api/canvases`;

async function show(name = "demo"): Promise<CanvasPage> {
  const page = new CanvasPage(address(), name);
  open.push(page);
  await page.opened;
  return page;
}

describe("a shared canvas", () => {
  it("is one for all that show the same agent, and another one for another agent", async () => {
    const [one, two, other] = [await show(), await show(), await show("other")];
    one.map.set("op1", 1);
    await vi.waitUntil(() => two.map.get("op1") === 1);
    two.map.set("op2", 2);
    await vi.waitUntil(() => one.map.get("op2") === 2);
    await other.told();
    expect(other.map.size).toBe(0);
  });

  it("is there for who comes when all have gone", async () => {
    const one = await show();
    one.map.set("op1", 1);
    await one.told();
    one.close();
    // Somebody else's canvas is opened and closed meanwhile.
    (await show("other")).close();
    const two = await show();
    expect(two.map.get("op1")).toBe(1);
  });

  it.each(["", "../secret", "a b", "x".repeat(65), "\u0000"])("is not opened under the name %j", async (name) => {
    await expect(show(name)).rejects.toThrow();
  });
});

describe("a stranger (X1)", () => {
  it("from another site is not let in", async () => {
    const socket = new WebSocket(address(), { headers: { Origin: "https://elsewhere.example" } });
    const [error] = (await once(socket, "error")) as [Error];
    expect(error.message).toContain("403");
  });

  it.each([
    ["nothing", []],
    ["a name without its end", [200, 1]],
    ["a name and no message", [4, 100, 101, 109, 111]],
    ["a message of no kind", [4, 100, 101, 109, 111, 99]],
    ["an update before it has been let in", [4, 100, 101, 109, 111, 0, 2, 1, 0]],
    ["noise", Array.from({ length: 400 }, (_, at) => (at * 73) % 256)],
  ])("that sends %s costs nobody else anything", async (_, bytes) => {
    const told = vi.spyOn(console, "error").mockReturnValue();
    const page = await show();
    const stranger = new WebSocket(address());
    await once(stranger, "open");
    stranger.send(Uint8Array.from(bytes));
    stranger.send("text");
    // The service answers others behind that.
    page.map.set("op1", 1);
    await page.told();
    expect((await show()).map.get("op1")).toBe(1);
    stranger.terminate();
    told.mockRestore();
  });

  it.each([
    ["by a name that means something to JavaScript", "__proto__", 1],
    ["by another name than it was let in for", "demo", 2],
    ["a lot before it is let in", "demo", 3],
  ])("that speaks %s is let go", async (_, name, how) => {
    const told = vi.spyOn(console, "error").mockReturnValue();
    const page = await show();
    const stranger = new WebSocket(address());
    await once(stranger, "open");
    const named = (name: string, rest: number[]) =>
      Uint8Array.from([name.length, ...[...name].map((letter) => letter.charCodeAt(0)), ...rest]);
    if (how === 2) {
      stranger.send(named("demo", [2, 0, 0]));
      await once(stranger, "message");
    }
    if (how === 3) for (let times = 0; times < 3; times++) stranger.send(named(name, Array<number>(500_000).fill(0)));
    else stranger.send(named(how === 2 ? "other" : name, [0, 0, 0]));
    await once(stranger, "close");
    page.map.set("op1", 1);
    await page.told();
    expect((await show()).map.get("op1")).toBe(1);
    told.mockRestore();
  });

  it.each(["//", "///..//..", "http://", "*", "/%", "/?#/%00"])(
    "that asks for %s is answered, and nobody else hears of it",
    async (path) => {
      const page = await show();
      const answer = await new Promise<string>((resolve, reject) => {
        const { port } = new URL(service.url);
        const socket = connect(Number(port), "127.0.0.1", () =>
          socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`),
        );
        socket.once("data", (data) => (resolve(String(data)), socket.destroy())).once("error", reject);
      });
      expect(answer).toMatch(/^HTTP\/1\.1 [245]\d\d /);
      page.map.set("op1", 1);
      await page.told();
    },
  );

  it("that is let in and then sends a broken update costs nobody else anything", async () => {
    const told = vi.spyOn(console, "error").mockReturnValue();
    const page = await show();
    const stranger = new WebSocket(address());
    await once(stranger, "open");
    const name = [4, 100, 101, 109, 111];
    stranger.send(Uint8Array.from([...name, 2, 0, 0]));
    await once(stranger, "message");
    for (const update of [[1], [1, 1, 1], [255, 255, 255, 255, 15], [1, 1, 5, 0, 4, 1, 1, 97, 200]]) {
      stranger.send(Uint8Array.from([...name, 0, 2, update.length, ...update]));
    }
    page.map.set("op1", 1);
    await page.told();
    expect((await show()).map.toJSON()).toEqual({ op1: 1 });
    stranger.terminate();
    told.mockRestore();
  });
});
