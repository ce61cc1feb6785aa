// The reference agent service and input that makes no sense, or comes from where it should not; and its facts over HTTP.
import { describe, expect, it } from "vitest";
import { startService } from "../../www/server/service.ts";
import { agentWorld } from "./agent-world.ts";

const { open, url } = agentWorld();

describe("bad input", () => {
  const cases: [sent: string, error: string, code: string][] = [
    ["{", "Invalid message format", "malformed_command"],
    ["", "Invalid message format", "malformed_command"],
    ["42", "Unknown message type: undefined", "unsupported"],
    ["[]", "Unknown message type: undefined", "unsupported"],
    ['{"type":"WsClientDance"}', "Unknown message type: WsClientDance", "unsupported"],
    ['{"type":{"a":1}}', 'Unknown message type: {"a":1}', "unsupported"],
    ['{"type":"WsClientPromptCommand"}', "Message content is required", "empty_prompt"],
    ['{"type":"WsClientPromptCommand","content":"  "}', "Message content is required", "empty_prompt"],
    ['{"type":"WsClientPromptCommand","content":7}', "Message content is required", "empty_prompt"],
    ['{"type":"WsClientRevertCommand"}', "messageId is required to revert", "unknown_turn"],
    ['{"type":"WsClientRevertCommand","messageId":42}', "messageId is required to revert", "unknown_turn"],
    ['{"type":"WsClientRevertCommand","messageId":"__proto__"}', "Unknown turn: __proto__", "unknown_turn"],
    ['{"type":"WsClientCheckoutCommand"}', "stepId is required to check out", "unknown_step"],
    ['{"type":"WsClientCheckoutCommand","stepId":"nowhere"}', "Unknown step: nowhere", "unknown_step"],
  ];
  it.each(cases)("%s is answered, and the socket goes on", async (sent, error, code) => {
    const client = await open();
    client.sendText(sent);
    expect(await client.next((frame) => frame.error !== undefined)).toEqual({
      error,
      code,
      type: "WsServerErrorEvent",
    });
    expect(await client.turn("hello")).toHaveLength(3);
  });

  it("`null` is answered without a type, as in the wild", async () => {
    const client = await open();
    client.sendText("null");
    expect(await client.next((frame) => frame.error !== undefined)).toEqual({
      error: "Invalid message format",
      code: "malformed_command",
    });
  });

  it("binary frames are answered; a frame over a megabyte costs its own socket only", async () => {
    const client = await open();
    client.sendBytes(new Uint8Array([1, 2, 3]));
    expect(await client.nextError()).toBe("Invalid message format");
    client.sendText("x".repeat(1_100_000));
    expect(await client.closed).toBe(1009);
    expect(await (await open()).turn("hello")).toHaveLength(3);
  });

  it("an agent that does not exist says so and closes normally", async () => {
    for (const id of ["missing", "no%20spaces", "a%2Fb", "%ff", "x".repeat(65)]) {
      const client = await open(id);
      expect(await client.next(() => true)).toEqual({
        error: "Agent not found",
        code: "agent_not_found",
        type: "WsServerErrorEvent",
      });
      expect(await client.closed).toBe(1000);
    }
  });

  it("pages from elsewhere get no socket and no page", async () => {
    await expect(open("t", { Origin: "https://elsewhere.example" })).rejects.toThrow("403");
    await expect(open("t", { Host: "elsewhere.example" })).rejects.toThrow("403");
    await expect(open("t", { Origin: "http://localhost:1234" })).resolves.toBeDefined();
  });

  it("paths that lead out of the page's folder are not found", async () => {
    for (const path of [
      "..%2f..%2fpackage.json",
      "%2e%2e/server/main.ts",
      "assets/..%2f..%2f..%2fpackage.json",
      "%00",
    ]) {
      expect((await fetch(url() + path)).status).toBe(404);
    }
    expect((await fetch(url(), { method: "POST" })).status).toBe(405);
  });
});

describe("facts over HTTP", () => {
  it("tell health, agents and the page's configuration, under a strict policy", async () => {
    const client = await open("t");
    await client.turn("csv scan");
    const get = async (path: string) => (await fetch(url() + path)).json() as Promise<unknown>;
    expect(await get("api/health")).toEqual({ status: "ok", agents: 1 });
    expect(await get("api/agents/t")).toMatchObject({ id: "t", state: "AVAILABLE", steps: 3, canRedo: false });
    expect(await get("api/agents")).toHaveLength(1);
    expect(await get("config.json")).toEqual({ agentUrl: null });
    const policy = (await fetch(url())).headers.get("Content-Security-Policy");
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(policy).not.toContain("unsafe-inline");
  });

  it("let the page connect to another agent service when one is configured", async () => {
    const other = await startService({ port: 0, pace: 0, agentUrl: "ws://127.0.0.1:4999/there" });
    const response = await fetch(other.url + "config.json");
    expect(await response.json()).toEqual({ agentUrl: "ws://127.0.0.1:4999/there" });
    expect(response.headers.get("Content-Security-Policy")).toContain("connect-src 'self' ws://127.0.0.1:4999;");
    await other.close();
  });
});
