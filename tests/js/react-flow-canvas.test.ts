/** React Flow as the canvas of a session, as an app has it: the entry, its types, and the README's example. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { applyEdgeChanges, applyNodeChanges, type BuiltInNode, type Edge, type Node } from "@xyflow/react";
import { buildSync } from "esbuild";
import { describe, expect, expectTypeOf, test } from "vitest";
import { Headway } from "headway";
import { toContent, toEdgeChanges, toNodeChanges } from "headway/react-flow";
import { versioned } from "./canvas-doc.js";
import { headChange } from "./fixtures.js";
import { applied, boundStore, edge, flow, node, storeOf } from "./flow.js";
import { blank } from "./scene.js";

const position = { x: 5, y: 5 };
const [A, B, C] = ["a", "b", "c"].map((id) => node(id, { label: id })) as [Node, Node, Node];
const [ab, bc] = [edge("ab", "a", "b"), edge("bc", "b", "c")];

describe("a flow as the canvas (P10, P11)", () => {
  const VERSIONS = [flow([A, B], [ab]), flow([{ ...B, position }, A, C], [bc])];

  function live() {
    const all = blank({ schema: "react-flow" });
    all.headway.receive(versioned(VERSIONS));
    const store = boundStore(all.headway);
    void all.headway.syncCanvas();
    all.notices.length = 0;
    return { ...all, store };
  }

  test("a revert moves the nodes back, and what is selected stays so; a redo moves them again", async () => {
    const { headway, store, notices } = live();
    expect(store.getState()).toEqual(VERSIONS[1]);
    store.setState(({ nodes }) => ({
      nodes: applyNodeChanges(
        [
          { type: "select", id: "b", selected: true },
          { type: "dimensions", id: "b", dimensions: { width: 150, height: 40 } },
        ],
        [...nodes],
      ),
    }));
    const reverted = headway.revert("t1", "refuse");
    headway.receive(headChange("v0"));
    expect(await reverted).toMatchObject({ canvasWritten: true, conflicts: [] });
    const mine = { selected: true, measured: { width: 150, height: 40 } };
    expect(store.getState()).toEqual(flow([A, { ...B, ...mine }], [ab]));
    const redone = headway.redo();
    headway.receive(headChange("v1", false));
    expect((await redone).stash).toBeUndefined();
    expect(store.getState()).toEqual(flow([{ ...B, position, ...mine }, A, C], [bc]));
    expect(notices).toEqual([]);
    expect(headway.getView().canvas.equalsHead).toBe(true);
  });

  test("what was dragged by hand is kept, or kept aside", async () => {
    const { headway, store } = live();
    const drag = { x: 9, y: 9 };
    store.setState(({ nodes }) => ({
      nodes: applyNodeChanges([{ type: "position", id: "a", position: drag }], [...nodes]),
    }));
    const reverted = headway.revert("t1", "keep");
    headway.receive(headChange("v0"));
    expect((await reverted).stash).toBeUndefined();
    expect(store.getState()).toEqual(flow([{ ...A, position: drag }, B], [ab]));
  });

  test("a flow that does not take the edits is left as it is, and a notice says why", () => {
    const { headway, notices } = blank({ schema: "react-flow" });
    headway.receive(versioned(VERSIONS));
    const store = storeOf(flow([]));
    headway.bindCanvas({
      read: () => JSON.stringify(VERSIONS[0]),
      apply: (edits) => store.setState((state) => applied(edits, state)),
    });
    void headway.syncCanvas().catch(() => undefined);
    expect(notices.slice(-1)).toMatchObject([
      { code: "canvas_failed", message: expect.stringContaining("does not fit") as string },
    ]);
    expect(store.getState()).toEqual(flow([]));
  });

  test("the README's example works", async () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
    const section = /### On React Flow\n(.*?)\n##/s.exec(readme)?.[1] ?? "";
    const example = /```js\n(.*?)```/s.exec(section)?.[1] ?? "";
    const [imports, body] = [example.match(/^import .*\n/gm) ?? [], example.replace(/^import .*\n/gm, "")];
    expect(imports.join("")).toContain('from "headway/react-flow"');
    const store = storeOf(flow([{ ...A, selected: true }]));
    const scope = {
      Headway,
      applyEdgeChanges,
      applyNodeChanges,
      toContent,
      toEdgeChanges,
      toNodeChanges,
      store,
      send: () => undefined,
    };
    const run = new Function(...Object.keys(scope), `${body}\nreturn headway;`);
    const headway = run(...Object.values(scope)) as Headway;
    headway.connected();
    headway.receive(versioned(VERSIONS));
    await headway.syncCanvas();
    expect(store.getState()).toEqual(flow([{ ...B, position }, { ...A, selected: true }, C], [bc]));
    expect(headway.getView().canvas.equalsHead).toBe(true);
    headway.free();
  });
});

describe("the entry", () => {
  test("takes the host's own types and gives what React Flow takes", () => {
    type Counter = Node<{ count: number }, "counter">;
    type Mine = Counter | BuiltInNode;
    const [nodes, edges]: [Mine[], Edge<{ weight: number }>[]] = [[], []];
    expectTypeOf(applyNodeChanges(toNodeChanges([], nodes), nodes)).toEqualTypeOf<Mine[]>();
    expectTypeOf(applyEdgeChanges(toEdgeChanges([], edges), edges)).toEqualTypeOf<Edge<{ weight: number }>[]>();
    const content = toContent({ nodes, edges });
    type One = (typeof content.nodes)[number];
    expectTypeOf<One>().not.toHaveProperty("selected");
    expectTypeOf<One["data"]>().toEqualTypeOf<Mine["data"]>();
  });

  test("has no engine in it, and needs no React Flow", async () => {
    const entry = createRequire(import.meta.url).resolve("headway/react-flow");
    const { metafile } = buildSync({ entryPoints: [entry], bundle: true, write: false, format: "esm", metafile: true });
    const files = Object.keys(metafile.inputs);
    expect(files.filter((file) => /generated|loader|node_modules\/(?!headway)/.test(file))).toEqual([]);
    const script = 'import("headway/react-flow").then((all) => console.log(Object.keys(all).join()))';
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: new URL(".", import.meta.url),
    });
    expect(stdout.trim()).toBe("toContent,toEdgeChanges,toNodeChanges");
  });
});
