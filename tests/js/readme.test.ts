import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { AddressInfo } from "node:net";
import WebSocket, { WebSocketServer } from "ws";
import { Headway, type Turn, type View } from "headway";
import { AgentSession } from "headway/agent";
import { connect, type Connection } from "headway/socket";
import { startService } from "../../www/server/service.ts";

test("R1: the README's example works against the reference agent service", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const example = /```js\n(.*?)```/s.exec(readme)?.[1] ?? "";
  const [first, ...body] = example.split("\n");
  expect(first).toBe('import { Headway } from "headway";');

  const service = await startService({ port: 0, pace: 0 });
  let view: View | undefined;
  let revert: ((turn: Turn) => Promise<unknown>) | undefined;
  let seen = () => undefined as unknown;
  /** Resolves as soon as a view is as wanted. */
  const until = (isSo: (view: View) => boolean) =>
    new Promise<View>((resolve) => {
      seen = () => view && isSo(view) && resolve(view);
      seen();
    });
  try {
    const socket = new WebSocket(`${service.url.replace("http", "ws")}api/agents/readme/react`);
    const names = ["Headway", "socket", "render", "onRevertClick", "setInterval"];
    let tick = () => undefined as unknown;
    const run = new Function(...names, `${body.join("\n")}\nreturn { headway, workflow: () => workflow };`);
    const made = run(
      Headway,
      socket,
      (now: View) => ((view = now), seen()),
      (click: typeof revert) => void (revert = click),
      (call: () => unknown) => void (tick = call),
    ) as { headway: Headway; workflow(): { operators: unknown[] } };

    await until((now) => now.connection === "live" && now.agentState === "AVAILABLE");
    await made.headway.prompt("build a workflow: CSV scan, then a filter age > 30");
    const built = await until((now) => now.agentState === "AVAILABLE" && now.turns[0]?.ended === "done");
    expect(made.workflow().operators.length).toBe(2);
    await revert?.(built.turns[0]!);
    expect(made.workflow().operators.length).toBe(0);
    expect(view).toMatchObject({ length: 0, canRedo: true });
    tick();
    const closed = until((now) => now.connection === "offline");
    socket.close();
    await closed;
    made.headway.free();
  } finally {
    await service.close();
  }
});

test("R14: so does the one without a server", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const [, example = ""] = /### Without a server.*?```js\n(.*?)```/s.exec(readme) ?? [];
  const before = { operators: [], operatorPositions: {}, links: [], commentBoxes: [] };
  const workflow = {
    ...before,
    operators: [{ operatorID: "f", operatorType: "Filter" }],
    operatorPositions: { f: { x: 0, y: 0 } },
  };
  let shown: unknown = before;
  const canvas = { read: () => JSON.stringify(shown), replace: (text: string) => void (shown = JSON.parse(text)) };
  const run = new Function(
    "Headway",
    "canvas",
    "toolCalls",
    "workflow",
    "reason",
    `return (async () => {${example}\nreturn headway; })()`,
  );
  const headway = (await run(Headway, canvas, [], workflow, "")) as Headway;
  expect(headway.getView()).toMatchObject({ length: 0, canRedo: true, canvas: { equalsHead: true } });
  expect(shown).toEqual(before);
  await headway.redo();
  expect(shown).toEqual(workflow);
  headway.free();
});

test("A1: so does the one of an agent service of one's own", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const [, example = ""] = /### Your own agent service.*?```js\n(.*?)```/s.exec(readme) ?? [];
  const [first, ...body] = example.split("\n");
  expect(first).toBe('import { AgentSession } from "headway/agent";');
  const workflow = (age: number) => ({ operators: [{ operatorID: "f", operatorType: "Filter", age }] });
  async function* askTheModel(prompt: string) {
    yield { text: "One moment", workflow: workflow(0) };
    yield { text: "Done", workflow: workflow(Number(prompt)) };
  }
  const sockets = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await new Promise((resolve) => sockets.on("listening", resolve));
  const headway = Headway.create();
  let connection: Connection | undefined;
  let session: AgentSession | undefined;
  try {
    const AsyncFunction = (async () => {}).constructor as FunctionConstructor;
    const names = ["AgentSession", "workflow", "askTheModel", "sockets"];
    const run = new AsyncFunction(...names, `${body.join("\n")}\nreturn session;`) as unknown as (
      ...of: unknown[]
    ) => Promise<AgentSession>;
    session = await run(AgentSession, workflow(0), askTheModel, sockets);
    const { port } = sockets.address() as AddressInfo;
    connection = connect(headway, `ws://127.0.0.1:${port}`, { WebSocket });
    await expect.poll(() => headway.can("prompt")).toBe(true);
    await headway.prompt("30");
    await expect.poll(() => headway.getView().turns[0]?.ended).toBe("done");
    expect(headway.getView().steps.map(({ content, changed }) => [content, changed])).toEqual([
      ["30", false],
      ["One moment", false],
      ["Done", true],
    ]);
    await headway.revert(headway.getView().turns[0]!.id);
    expect(JSON.parse(headway.content()!)).toEqual(workflow(0));
  } finally {
    connection?.close();
    headway.free();
    await session?.close();
    for (const client of sockets.clients) client.terminate();
    sockets.close();
  }
});
