import { applyNodeChanges, type Edge, type Node } from "@xyflow/react";
import { describe, expect, test } from "vitest";
import { HeadwayError, type Edit, type EditList } from "headway";
import { toContent, toEdgeChanges, toNodeChanges } from "headway/react-flow";
import { applied, edge, editsBetween, flow, node, type Flow } from "./flow.js";

const position = { x: 5, y: 5 };
const [A, B, C, D] = ["a", "b", "c", "d"].map((id) => node(id, { label: id })) as [Node, Node, Node, Node];
const [ab, bc] = [edge("ab", "a", "b"), edge("bc", "b", "c")];

describe("P10: the changes between two contents", () => {
  test.each<[string, Flow, Flow, object]>([
    ["nothing", flow([A, B], [ab]), flow([A, B], [ab]), { nodes: [], edges: [] }],
    ["a node comes between two", flow([A, C]), flow([A, B, C]), { nodes: [{ type: "add", index: 1, item: B }] }],
    [
      "nodes come at both ends",
      flow([B]),
      flow([A, B, C]),
      {
        nodes: [
          { type: "add", index: 0, item: A },
          { type: "add", index: 2, item: C },
        ],
      },
    ],
    ["the first flow there is", flow([]), flow([A], []), { nodes: [{ type: "add", index: 0, item: A }] }],
    [
      "a node goes, and its edges with it",
      flow([A, B, C], [ab, bc]),
      flow([A, C]),
      {
        nodes: [{ type: "remove", id: "b" }],
        edges: [
          { type: "remove", id: "ab" },
          { type: "remove", id: "bc" },
        ],
      },
    ],
    ["a node moves", flow([A, B]), flow([A, { ...B, position }]), { nodes: [{ type: "position", id: "b", position }] }],
    [
      "half of a position changes its shape",
      flow([node("a", {}, { position: { x: 0 } as never })]),
      flow([node("a", {}, { position })]),
      {
        nodes: [{ type: "position", id: "a", position }],
      },
    ],
    [
      "a value changes deep inside",
      flow([node("a", { deep: { list: [1, { k: 1 }] }, n: 1 })]),
      flow([node("a", { deep: { list: [1, { k: 2 }] }, n: 1 })]),
      {
        nodes: [{ type: "replace", id: "a", item: node("a", { deep: { list: [1, { k: 2 }] }, n: 1 }) }],
      },
    ],
    [
      "a node moves and changes",
      flow([A]),
      flow([{ ...A, position, type: "input" }]),
      {
        nodes: [{ type: "replace", id: "a", item: { ...A, position, type: "input" } }],
      },
    ],
    [
      "a key comes, another goes",
      flow([node("a", { old: 1 })]),
      flow([node("a", { new: [] }, { parentId: "p" })]),
      {
        nodes: [{ type: "replace", id: "a", item: node("a", { new: [] }, { parentId: "p" }) }],
      },
    ],
    [
      "items come to a list and go from it",
      flow([node("a", { list: ["a", "b", "c", "d"] })]),
      flow([node("a", { list: ["0", "b", "d", "e"] })]),
      {
        nodes: [{ type: "replace", id: "a", item: node("a", { list: ["0", "b", "d", "e"] }) }],
      },
    ],
    [
      "a node stands further back",
      flow([A, B, C]),
      flow([B, C, A]),
      {
        nodes: [
          { type: "remove", id: "a" },
          { type: "add", index: 2, item: A },
        ],
      },
    ],
    [
      "one that stands elsewhere has changed",
      flow([A, B, C]),
      flow([B, C, { ...A, position }]),
      {
        nodes: [
          { type: "remove", id: "a" },
          { type: "add", index: 2, item: { ...A, position } },
        ],
      },
    ],
    [
      "some go, some come, the rest turns round",
      flow([A, B, C]),
      flow([C, D, A]),
      {
        nodes: [
          { type: "remove", id: "b" },
          { type: "remove", id: "c" },
          { type: "add", index: 0, item: C },
          { type: "add", index: 1, item: D },
        ],
      },
    ],
    [
      "an edge leads elsewhere under the same id",
      flow([A, B, C], [bc, ab]),
      flow([A, B, C], [bc, { ...ab, target: "c" }]),
      {
        edges: [{ type: "replace", id: "ab", item: { ...ab, target: "c" } }],
      },
    ],
    [
      "an edge changes",
      flow([A, B], [ab]),
      flow([A, B], [{ ...ab, label: "yes" }]),
      {
        edges: [{ type: "replace", id: "ab", item: { ...ab, label: "yes" } }],
      },
    ],
  ])("%s", (_, a, b, expected) => {
    const edits = editsBetween(a, b);
    const changes = { nodes: toNodeChanges(edits, a.nodes), edges: toEdgeChanges(edits, a.edges) };
    expect(changes).toEqual({ nodes: [], edges: [], ...expected });
    expect(applied(edits, a)).toEqual(b);
  });

  test("a node that goes and comes back under its id is that node", () => {
    const there = node("a", { label: "old", gone: 1, onClick: expect }, { selected: true });
    const edits: Edit[] = [
      { kind: "remove", collection: "nodes", id: "a", at: 0, value: node("a", { label: "old", gone: 1 }) },
      { kind: "add", collection: "nodes", id: "a", at: 1, value: node("a", { label: "new" }, { type: "input" }) },
    ];
    const after = applyNodeChanges(toNodeChanges(edits, [there, B]), [there, B]);
    expect(after).toEqual([B, node("a", { label: "new", onClick: expect }, { selected: true, type: "input" })]);
  });

  test("1,000 nodes turned round, and one of 1,000 that goes to the end", () => {
    const nodes = Array.from({ length: 1000 }, (_, at) => node(`n${at}`));
    const reversed = [...nodes].reverse();
    expect(applied(editsBetween(flow(nodes), flow(reversed)), flow(nodes))).toEqual(flow(reversed));
    const [first, ...others] = nodes;
    const edits = editsBetween(flow(nodes), flow([...others, first!]));
    expect(toNodeChanges(edits, nodes)).toHaveLength(2);
    const after = applied(edits, flow(nodes)).nodes;
    expect(after.slice(0, -1).every((one, at) => one === others[at])).toBe(true);
  });

  test("keys that mean something to JavaScript are keys", () => {
    const of = (json: string) => flow([node("a", JSON.parse(json) as Record<string, unknown>)]);
    const [a, b] = [of('{"__proto__":{"k":1},"constructor":1}'), of('{"__proto__":{"k":2},"toString":2}')];
    const [after] = applied(editsBetween(a, b), a).nodes;
    expect(JSON.stringify(after?.data)).toBe('{"__proto__":{"k":2},"toString":2}');
    expect(Object.getPrototypeOf(after?.data)).toBe(Object.prototype);
  });

  test("the key of a collection comes and goes empty; edits of other collections are passed over", () => {
    const comes = editsBetween({}, { ...flow([A]), viewport: { x: 1, y: 2, zoom: 3 }, name: "mine" });
    expect(applied(comes, flow([]))).toEqual(flow([A]));
    expect(applied(editsBetween(flow([A], []), {}), flow([A]))).toEqual(flow([]));
    const others = editsBetween({ name: "a", viewport: 1 }, { name: "b" });
    expect(others).toHaveLength(2);
    const { nodes, edges } = flow([A], [ab]);
    expect([toNodeChanges(others, nodes), toEdgeChanges(others, edges)]).toEqual([[], []]);
  });
});

describe("P11: what is the user's", () => {
  const user = { selected: true, dragging: true, resizing: true, measured: { width: 150, height: 40 } };

  test("stays on what changes, moves, and stands elsewhere", () => {
    const onChange = () => undefined;
    const mine = (one: Node): Node =>
      ({ ...one, ...user, hidden: undefined, data: { ...one.data, onChange } }) as unknown as Node;
    const there = flow([mine(A), mine(B), mine(C)]);
    const b = flow([C, { ...A, position }, { ...B, data: { label: "new" } }]);
    const after = applied(editsBetween(flow([A, B, C]), b), there);
    expect(after.nodes).toEqual(b.nodes.map(mine));
    expect(after.nodes.map(({ measured }) => measured === user.measured)).toEqual([true, true, true]);
  });

  test("stays inside of a value that is set as a whole, where that is as it was", () => {
    const at = new Date(0);
    const [same, other] = [
      { k: 1, onClick: expect },
      { k: 2, onClick: expect },
    ];
    const there = node("a", { at, list: [same, other], lists: [[same]], n: 1 });
    const from = { at: at.toJSON(), list: [{ k: 1 }, { k: 2 }], lists: [[{ k: 1 }]], n: 1 };
    const to = { ...from, list: [{ k: 1 }, { k: 3 }, { k: 2 }], n: 2 };
    const edits: Edit[] = [{ kind: "set", collection: "nodes", id: "a", path: ["data"], from, to }];
    const [after] = applied(edits, flow([there])).nodes;
    // An item that changed may be another one: what the host had on it is not put on that.
    expect(after?.data).toEqual({ at, list: [same, { k: 3 }, { k: 2 }], lists: [[same]], n: 2 });
    expect(after?.data["lists"]).toBe(there.data["lists"]);
  });

  test("stays on an edge that leads elsewhere", () => {
    const edits = editsBetween(flow([A, B, C], [ab]), flow([A, B, C], [{ ...ab, target: "c" }]));
    expect(applied(edits, flow([], [{ ...ab, selected: true }])).edges).toEqual([
      { ...ab, target: "c", selected: true },
    ]);
  });

  test("stays whatever the contents say of it, as those do that React Flow's own `toObject` made", () => {
    const saved = (one: Node, width: number): Node => ({
      ...one,
      selected: width === 1,
      measured: { width, height: 1 },
    });
    const a = flow([saved(A, 1), saved(B, 2)], [{ ...ab, selected: true }]);
    const b = flow([saved(A, 2), { ...saved(B, 1), position }, saved(C, 1)], [ab]);
    const there = flow([{ ...A, ...user }, B], [{ ...ab, selected: false }]);
    const edits = editsBetween(a, b);
    expect(toNodeChanges(edits, there.nodes).map(({ type }) => type)).toEqual(["position", "add"]);
    const after = applied(edits, there);
    expect(after).toEqual(flow([{ ...A, ...user }, { ...B, position }, C], [{ ...ab, selected: false }]));
    expect(after.nodes[0]).toBe(there.nodes[0]);
    const whole: Edit[] = [{ kind: "set", collection: "nodes", id: "a", path: [], from: a.nodes[0], to: b.nodes[0] }];
    expect(toNodeChanges(whole, there.nodes)).toEqual([]);
  });

  test("is no content", () => {
    const there = {
      nodes: [{ ...A, ...user, width: 200 }],
      edges: [{ ...ab, selected: true }],
      viewport: { x: 0, y: 0, zoom: 1 },
    };
    expect(toContent(there)).toStrictEqual({ nodes: [{ ...A, width: 200 }], edges: [ab] });
    expect(there.nodes[0]).toHaveProperty("selected");
  });
});

describe("X2: edits that do not fit", () => {
  const set = (id: string, path: (string | number)[], more: object = { from: 1 }) =>
    ({ kind: "set", collection: "nodes", id, path, to: 2, ...more }) as Edit;
  const nodes = [node("a", { list: [1], n: 1, none: undefined }), B];
  test.each<[string, Edit, string]>([
    ["a node that is not there", set("z", ["data", "n"]), '"nodes" → "z" → "data" → "n": there is no such entity'],
    [
      "a removal of what is not there",
      { kind: "remove", collection: "nodes", id: "z", value: {} },
      "there is no such entity",
    ],
    [
      "a removal from another place",
      { kind: "remove", collection: "nodes", id: "b", at: 0, value: B },
      "does not have that place",
    ],
    [
      "a move of what is not there",
      { kind: "move", collection: "nodes", id: "z", from: position, to: position },
      "there is no such entity",
    ],
    [
      "a move to nowhere",
      { kind: "move", collection: "nodes", id: "a", from: position, to: { x: NaN, y: 0 } },
      "a position is two numbers",
    ],
    ["an addition of what is there", { kind: "add", collection: "nodes", id: "a", value: A }, "is there already"],
    [
      "an addition behind the end",
      { kind: "add", collection: "nodes", id: "c", at: 3, value: C },
      "does not have that place",
    ],
    [
      "an addition under another id",
      { kind: "add", collection: "nodes", id: "c", value: D },
      "the value has another id",
    ],
    ["an addition of no object", { kind: "add", collection: "nodes", id: "c", value: "c" }, "the value has another id"],
    ["another id", set("a", ["id"]), "the value has another id"],
    ["a key that is not there", set("a", ["data", "z"]), "the path leads nowhere"],
    ["a path through a number", set("a", ["data", "n", "z"]), "the path leads nowhere"],
    ["a key of a list", set("a", ["data", "list", "0"]), "the path leads nowhere"],
    ["an index of an object", set("a", ["data", 0]), "the path leads nowhere"],
    ["an index behind the end", set("a", ["data", "list", 1]), "the path leads nowhere"],
    ["an item behind the end", set("a", ["data", "list", 2], { from: undefined }), "the path leads nowhere"],
    ["an item in front of the first", set("a", ["data", "list", -1], { from: undefined }), "the path leads nowhere"],
    ["a node made new where it is", set("a", [], { from: undefined }), "the path leads nowhere"],
    [
      "a node taken away by a path",
      { kind: "unset", collection: "nodes", id: "a", path: [], from: A },
      "the path leads nowhere",
    ],
    [
      "a key taken away that is not there",
      { kind: "unset", collection: "nodes", id: "a", path: ["z"], from: 1 },
      "the path leads nowhere",
    ],
    [
      "an order of others",
      { kind: "order", collection: "nodes", from: [], order: ["a", "c"] },
      "does not name exactly",
    ],
    ["an order of fewer", { kind: "order", collection: "nodes", from: [], order: ["a"] }, "does not name exactly"],
    [
      "an order with one twice",
      { kind: "order", collection: "nodes", from: [], order: ["a", "a"] },
      "does not name exactly",
    ],
    ["all nodes as one value", set("", [0, "data"]), "cannot be told apart"],
    [
      "a key that goes with nodes below it",
      { kind: "unset", collection: "nodes", id: "", path: [], from: [] },
      "there are entities",
    ],
    [
      "a kind from the future",
      { kind: "fold", collection: "nodes", id: "a" } as never,
      'there is no kind of edit "fold"',
    ],
  ])("%s", (_, edit, reason) => {
    const before = structuredClone(nodes);
    const fits = { kind: "move", collection: "nodes", id: "a", from: position, to: position } as Edit;
    let thrown: unknown;
    try {
      toNodeChanges([fits, edit], nodes);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(HeadwayError);
    expect(thrown).toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(/^Edit 1 does not fit at .*\. Apply edits to what the canvas showed/s) as string,
      detail: { index: 1, collection: "nodes", id: "id" in edit ? edit.id : "", path: "path" in edit ? edit.path : [] },
    });
    expect((thrown as HeadwayError).message).toContain(reason);
    expect(nodes).toEqual(before);
  });

  test("edges do not move", () => {
    const move: Edit = { kind: "move", collection: "edges", id: "ab", from: position, to: position };
    expect(() => toEdgeChanges([move], [ab])).toThrow("nothing moves here");
  });

  test.each<[string, unknown, unknown, string]>([
    ["a move's answer for its edits", { edits: [] }, nodes, '"edits" has to be a list of edits'],
    ["no nodes", [], undefined, '"nodes" has to be the nodes'],
    ["nodes of one id", [set("a", ["type"])], [A, A], 'two of the nodes have the id "a"'],
    ["a node without an id", [set("a", ["type"])], [{}], "one has no id"],
  ])("%s", (_, edits, entities, message) => {
    const call = () => toNodeChanges(edits as EditList, entities as Node[]);
    expect(call).toThrow(message);
    expect(call).toThrow(expect.objectContaining({ code: "invalid_argument" }) as Error);
  });
});
