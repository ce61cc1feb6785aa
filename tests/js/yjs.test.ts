/** A live `Y.Doc` as the canvas, with yjs itself on the other side. Rule ids are those of SPEC.md. */
import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { HeadwayError, type Headway } from "headway";
import { ORIGIN, bindYjs } from "headway/yjs";
import { blank, canvasOf } from "./scene.js";
import {
  box,
  byId,
  contentOf,
  everything,
  exchange,
  goTo,
  heard,
  knowing,
  link,
  list,
  live,
  onCanvas,
  operator,
  position,
  properties,
  rootsOf,
  shown,
  text,
  undoable,
  versioned,
  workflow,
} from "./canvas-doc.js";
import { idle, uncaught } from "./uncaught.js";

/** Two operators; the turn changed a text of one. */
const AGES = [
  workflow({ scan: { file: "a.csv" }, filter: { predicate: "age > 30" } }),
  workflow({ scan: { file: "a.csv" }, filter: { predicate: "age > 40" } }),
];

describe("a replay (P1, P2, P3)", () => {
  test("is one transaction with our origin; binding is none (P1, P14)", async () => {
    const { headway } = knowing(AGES);
    const doc = new Y.Doc();
    const updates = heard(doc);
    bindYjs(headway, doc);
    expect(updates).toEqual([]);
    expect(headway.getView().canvas).toMatchObject({ bound: true, equalsHead: false });

    expect(await headway.syncCanvas()).toMatchObject({ headId: "v1", canvasWritten: true });

    expect(updates.map(({ origin }) => origin)).toEqual([ORIGIN]);
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
    expect(headway.getView().canvas.equalsHead).toBe(true);
  });

  test("of what is there already is no transaction at all (P2)", async () => {
    const { headway, doc } = live(AGES);
    const seen: string[] = [];
    for (const name of ["beforeTransaction", "afterTransaction", "update", "updateV2"] as const) {
      doc.on(name as "update", () => void seen.push(name));
    }

    goTo(headway, 1);
    expect((await headway.syncCanvas()).canvasWritten).toBe(false);

    expect(seen).toEqual([]);
  });

  test("changes a text by the smallest splice and keeps all identities (P3)", () => {
    const { headway, doc } = live(AGES);
    const [predicate, filter, scan] = [
      text(doc, "filter", "predicate"),
      operator(doc, "filter"),
      operator(doc, "scan"),
    ];
    const deltas: unknown[] = [];
    predicate.observe((event) => deltas.push(event.delta));

    goTo(headway, 0);

    expect(deltas).toEqual([[{ retain: 6 }, { insert: "3" }, { delete: 1 }]]);
    expect(text(doc, "filter", "predicate")).toBe(predicate);
    expect([operator(doc, "filter"), operator(doc, "scan")]).toEqual([filter, scan]);
  });

  test("does not cut a character in two (P3)", () => {
    const { headway, doc } = live([workflow({ a: { says: "x😀y" } }), workflow({ a: { says: "x😁y" } })]);
    expect(text(doc, "a", "says").toString()).toBe("x😁y");
    goTo(headway, 0);
    expect(text(doc, "a", "says").toString()).toBe("x😀y");
  });

  test("changes nested lists item by item; the other items keep identity and a co-editor's words (P3)", () => {
    const columns = (...names: string[]) => workflow({ a: { columns: names.map((name) => ({ name, as: "" })) } });
    const { headway, doc } = live([columns("id", "b", "c"), columns("id", "new", "c")]);
    const there = list(doc, "a", "columns").toArray() as Y.Map<Y.Text>[];
    (there[2]!.get("as") as Y.Text).insert(0, "sea");

    goTo(headway, 0);

    const now = list(doc, "a", "columns").toArray() as Y.Map<Y.Text>[];
    expect(now.map((column) => column.get("name")!.toString())).toEqual(["id", "b", "c"]);
    expect(now[0]).toBe(there[0]);
    expect(now[2]).toBe(there[2]);
  });

  test("takes an item out of the middle of a list and puts it back, nothing else moves (P3)", () => {
    const columns = (...names: string[]) => workflow({ a: { columns: names } });
    const { headway, doc } = live([columns("a", "b", "c", "d"), columns("a", "c", "d")]);
    const [a, c, d] = list(doc, "a", "columns").toArray();
    goTo(headway, 0);
    const now = list(doc, "a", "columns").toArray();
    expect(now.map(String)).toEqual(["a", "b", "c", "d"]);
    expect([now[0], now[2], now[3]]).toEqual([a, c, d]);
    expect(now[2]).toBe(c);
  });

  test("writes an operator and its position together, in one update (P1)", () => {
    const { headway, doc } = live([workflow({ a: {} }), workflow({ a: {}, b: { limit: 3 } })]);
    const updates = heard(doc);
    const seen: boolean[] = [];
    doc.getMap("operatorIDMap").observe(() => seen.push(position(doc, "b") !== undefined));

    goTo(headway, 0);
    expect([operator(doc, "b"), position(doc, "b")]).toEqual([undefined, undefined]);
    goTo(headway, 1);

    expect(properties(doc, "b").get("limit")).toBe(3);
    expect(seen).toEqual([false, true]);
    expect(updates).toHaveLength(2);
  });

  test("moves an operator without touching it (P3)", () => {
    const at = (x: number) => workflow({ a: { limit: 1 } }, { operatorPositions: { a: { x, y: 5 } } });
    const { headway, doc } = live([at(0), at(7)]);
    const operators: unknown[] = [];
    doc.getMap("operatorIDMap").observeDeep((events) => operators.push(events));
    goTo(headway, 0);
    expect(position(doc, "a")).toEqual({ x: 0, y: 5 });
    expect(operators).toEqual([]);
  });

  test("comment boxes come, get a comment, move and go; their positions lie with the others (P3)", () => {
    const versions = [
      [],
      [box("c", 1, "one")],
      [box("c", 1, "one", "two")],
      [box("c", 8, "one", "two")],
      [box("c", 8, "one", "two"), box("d", 2)],
      [],
    ].map((commentBoxes) => workflow({ a: {} }, { commentBoxes }));
    const { headway, doc } = live(versions);
    for (const [at, version] of [...versions.entries(), ...[...versions.entries()].reverse()]) {
      goTo(headway, at);
      expect(contentOf(doc)).toEqual(byId(version));
      expect(byId(onCanvas(headway))).toEqual(byId(version));
    }
    goTo(headway, 1);
    const kept = doc.getMap("commentBoxMap").get("c");
    expect(position(doc, "c")).toEqual({ x: 1, y: 0 });
    goTo(headway, 3);
    expect(position(doc, "c")).toEqual({ x: 8, y: 0 });
    expect(doc.getMap("commentBoxMap").get("c")).toBe(kept);
  });

  test("contentMeta is optional: settings that nobody put into the document are no difference (P2)", () => {
    const settings = (size: number) => workflow({ a: {} }, { settings: { size } });
    const { headway, doc } = live([workflow({ a: {} }), settings(1)]);
    doc.getMap("contentMeta").delete("settings");
    expect(headway.getView().canvas.equalsHead).toBe(true);
    const updates = heard(doc);
    goTo(headway, 1);
    expect(updates).toEqual([]);
  });

  test("settings are written when they differ (P3)", () => {
    const settings = (size: number) => workflow({ a: {} }, { settings: { size } });
    const { headway, doc } = live([settings(1), settings(2)]);
    for (const [version, size] of [
      [0, 1],
      [1, 2],
    ] as const) {
      goTo(headway, version);
      expect(doc.getMap("contentMeta").get("settings")).toEqual({ size });
    }
  });

  test("settings that somebody takes out of the document are an edit, and come back (P12)", () => {
    const { headway, doc } = live([workflow({ a: {} }, { settings: { size: 1 } })]);
    doc.getMap("contentMeta").set("settings", { size: 3 });
    expect(headway.getView().canvas.equalsHead).toBe(false);
    doc.getMap("contentMeta").delete("settings");
    expect(headway.getView().canvas.equalsHead).toBe(false);
    goTo(headway, 0);
    expect(doc.getMap("contentMeta").get("settings")).toEqual({ size: 1 });
    expect(headway.getView().canvas.equalsHead).toBe(true);
  });

  test("an operator that was deleted by hand and that the target still has comes back (P12)", () => {
    const linked = { links: [link("l", "scan", "filter")] };
    const versions = ["age > 30", "age > 40"].map((predicate) =>
      workflow({ scan: { file: "a.csv" }, filter: { predicate } }, linked),
    );
    const { headway, doc } = live(versions);
    doc.transact(() => {
      doc.getMap("operatorIDMap").delete("filter");
      doc.getMap("elementPositionMap").delete("filter");
      doc.getMap("operatorLinkMap").delete("l");
    });
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(versions[0]!));
  });

  test("debugActions and what else lies in the document are not ours (P11)", () => {
    const { headway, doc } = live(AGES);
    doc.getMap("debugActions").set("filter", { breakpoint: 1 });
    doc.getText("chat").insert(0, "hello");
    const seen: unknown[] = [];
    doc.getMap("debugActions").observe((event) => seen.push(event));
    goTo(headway, 0);
    expect(doc.getMap("debugActions").toJSON()).toEqual({ filter: { breakpoint: 1 } });
    expect(doc.getText("chat").toString()).toBe("hello");
    expect(seen).toEqual([]);
  });

  test("a revert in which everything changes is one transaction, too (P1)", () => {
    const { headway, doc } = live([workflow({ x: { n: 1 } }), workflow({ y: { n: [1, { m: "t" }] }, z: {} })]);
    const updates = heard(doc);
    goTo(headway, 0);
    expect(updates).toHaveLength(1);
    expect(contentOf(doc)).toEqual(byId(workflow({ x: { n: 1 } })));
  });
});

describe("the undo stack of the person in front of it (P4)", () => {
  /** What a person wrote before the turn is in the turn's contents, too. */
  const AFTER_EDIT = [
    workflow({ x: { limit: 1 }, y: { limit: 5 } }),
    workflow({ x: { limit: 2 }, y: { limit: 5 } }),
    workflow({ x: { limit: 2 }, y: { limit: 6 } }),
  ];

  /** The person set x to 2, then the agent y to 6. */
  function edited() {
    const all = undoable(AFTER_EDIT);
    goTo(all.headway, 0);
    properties(all.doc, "x").set("limit", 2);
    goTo(all.headway, 2);
    return all;
  }

  test("the person edits x, a revert touches only y: one undo restores x and nothing else", () => {
    const { headway, doc, undoManager } = edited();
    expect(undoManager.undoStack).toHaveLength(1);
    goTo(headway, 1);
    expect(shown(doc)).toEqual({ x: { limit: 2 }, y: { limit: 5 } });
    expect([undoManager.undoStack.length, undoManager.redoStack.length]).toEqual([1, 0]);

    undoManager.undo();

    expect(shown(doc)).toEqual({ x: { limit: 1 }, y: { limit: 5 } });
    undoManager.redo();
    expect(shown(doc)).toEqual({ x: { limit: 2 }, y: { limit: 5 } });
  });

  test("a replay keeps the redo stack", () => {
    const { headway, doc, undoManager } = edited();
    undoManager.undo();
    goTo(headway, 0);
    expect(undoManager.redoStack).toHaveLength(1);
    undoManager.redo();
    expect(shown(doc)).toEqual({ x: { limit: 2 }, y: { limit: 5 } });
  });

  test("two edits around a replay stay two items, however close they are", () => {
    const { headway, doc, undoManager } = undoable(AFTER_EDIT);
    properties(doc, "x").set("note", "one");
    goTo(headway, 1);
    properties(doc, "x").set("note", "two");
    properties(doc, "x").set("more", "two");
    expect(undoManager.undoStack).toHaveLength(2);
    undoManager.undo();
    expect(shown(doc)["x"]).toEqual({ limit: 2 });
  });

  test("a replay that writes nothing does not end an item that is being captured (P2)", () => {
    const { headway, doc, undoManager } = undoable([workflow({ x: { limit: 1 } }), workflow({ x: { limit: 2 } })]);
    properties(doc, "x").set("limit", 1);
    goTo(headway, 0);
    properties(doc, "x").set("limit", 3);
    expect(undoManager.undoStack).toHaveLength(1);
  });

  /** The person edits x, then y, in two items; the agent takes y away. */
  function deleted() {
    const all = undoable([workflow({ x: { limit: 1 } }), workflow({ x: { limit: 1 }, y: { limit: 5 } })]);
    properties(all.doc, "x").set("limit", 2);
    all.undoManager.stopCapturing();
    properties(all.doc, "y").set("limit", 7);
    return all;
  }

  test("an item whose target the replay deleted takes one press and undoes nothing older", () => {
    const { headway, doc, undoManager } = deleted();
    // What is left has the person's x.
    headway.receive(versioned([workflow({ x: { limit: 2 } })]));
    void headway.syncCanvas();
    expect(shown(doc)).toEqual({ x: { limit: 2 } });

    expect(undoManager.undo()).toBe(null);
    expect(shown(doc)).toEqual({ x: { limit: 2 } });
    expect(undoManager.undoStack).toHaveLength(1);

    expect(undoManager.undo()).not.toBe(null);
    expect(shown(doc)).toEqual({ x: { limit: 1 } });
    expect(undoManager.undoStack).toHaveLength(0);
  });

  test("and so does redo", () => {
    const { headway, doc, undoManager } = deleted();
    undoManager.undo();
    undoManager.undo();
    expect(shown(doc)).toEqual({ x: { limit: 1 }, y: { limit: 5 } });
    // On top lies x, then y; the agent takes x away.
    headway.receive(versioned([workflow({ y: { limit: 5 } })]));
    void headway.syncCanvas();

    expect(undoManager.redo()).toBe(null);
    expect(shown(doc)).toEqual({ y: { limit: 5 } });
    expect(undoManager.redoStack).toHaveLength(1);
    undoManager.redo();
    expect(shown(doc)).toEqual({ y: { limit: 7 } });
  });

  test("an item whose field the replay overwrote takes one press and undoes nothing older", () => {
    const { headway, doc, undoManager } = undoable([
      workflow({ x: { limit: 1, note: 1 } }),
      workflow({ x: { limit: 9, note: 2 } }),
    ]);
    goTo(headway, 0);
    properties(doc, "x").set("note", 2);
    undoManager.stopCapturing();
    properties(doc, "x").set("limit", 5);
    goTo(headway, 1);
    expect(shown(doc)).toEqual({ x: { limit: 9, note: 2 } });

    expect(undoManager.undo()).toBe(null);
    expect(shown(doc)).toEqual({ x: { limit: 9, note: 2 } });
    undoManager.undo();
    expect(shown(doc)).toEqual({ x: { limit: 9, note: 1 } });
  });

  test("an operator that the person deleted and a replay put back stays; nothing older is undone", () => {
    const { headway, doc, undoManager } = undoable([workflow({ x: { limit: 1 }, y: { limit: 5 } })]);
    properties(doc, "x").set("note", 1);
    undoManager.stopCapturing();
    doc.getMap("operatorIDMap").delete("y");
    headway.receive(versioned([workflow({ x: { limit: 1, note: 1 }, y: { limit: 5 } })]));
    void headway.syncCanvas();
    const back = operator(doc, "y");
    expect(undoManager.undo()).toBe(null);
    expect(operator(doc, "y")).toBe(back);
    expect(shown(doc)).toEqual({ x: { limit: 1, note: 1 }, y: { limit: 5 } });
    undoManager.undo();
    expect(shown(doc)).toEqual({ x: { limit: 1 }, y: { limit: 5 } });
  });

  test("redo after a replay does not put a stale value in", () => {
    const { headway, doc, undoManager } = undoable([workflow({ x: { limit: 1 } }), workflow({ x: { limit: 9 } })]);
    goTo(headway, 0);
    properties(doc, "x").set("limit", 5);
    undoManager.undo();
    goTo(headway, 1);
    undoManager.redo();
    expect(shown(doc)).toEqual({ x: { limit: 9 } });
  });

  test("an operator of the person's that a replay takes away and another puts back is another one for undo", () => {
    const { headway, doc, undoManager } = undoable([
      workflow({ x: { limit: 1 } }),
      workflow({ x: { limit: 2 }, y: {} }),
    ]);
    properties(doc, "x").set("limit", 3);
    undoManager.stopCapturing();
    properties(doc, "y").set("limit", 4);
    goTo(headway, 0);
    goTo(headway, 1);
    expect(undoManager.undo()).toBe(null);
    expect(shown(doc)).toEqual({ x: { limit: 2 }, y: {} });
  });

  test("live items are undone and redone as ever, step by step", () => {
    const { headway, doc, undoManager } = undoable([
      workflow({ x: { limit: 0 }, y: { limit: 5 } }),
      workflow({ x: { limit: 3 }, y: { limit: 6 } }),
    ]);
    goTo(headway, 0);
    for (const limit of [1, 2, 3]) {
      properties(doc, "x").set("limit", limit);
      undoManager.stopCapturing();
    }
    const popped: string[] = [];
    undoManager.on("stack-item-popped", ({ type }) => popped.push(type));
    goTo(headway, 1);
    const limits = () => (shown(doc)["x"] as { limit: number }).limit;
    const trail = [2, 1, 0].map(() => (undoManager.undo(), limits()));
    expect(trail).toEqual([2, 1, 0]);
    expect([1, 2, 3].map(() => (undoManager.redo(), limits()))).toEqual([1, 2, 3]);
    expect(popped).toEqual(["undo", "undo", "undo", "redo", "redo", "redo"]);
    expect(shown(doc)["y"]).toEqual({ limit: 6 });
  });

  test("text that a person typed is undone around what the agent spliced in", () => {
    const { headway, doc, undoManager } = undoable([
      workflow({ a: { says: "hello world" } }),
      workflow({ a: { says: "hello world" } }),
    ]);
    text(doc, "a", "says").insert(11, "!");
    headway.receive(versioned([workflow({ a: { says: "hello there world!" } })]));
    void headway.syncCanvas();
    undoManager.undo();
    expect(text(doc, "a", "says").toString()).toBe("hello there world");
  });

  test("without a replay an undo manager does what yjs does", () => {
    const { doc, undoManager } = undoable([workflow({ x: { limit: 1 }, y: { limit: 1 } })]);
    properties(doc, "x").set("limit", 2);
    undoManager.stopCapturing();
    properties(doc, "y").set("limit", 2);
    // Somebody else takes y away: yjs goes on to the older item in the same press.
    doc.transact(() => doc.getMap("operatorIDMap").delete("y"), "network");
    undoManager.undo();
    expect(shown(doc)).toEqual({ x: { limit: 1 } });
  });
});

describe("somebody's transaction is open (P8)", () => {
  test("a replay asked for in the middle waits for its end and has an origin of its own (P1, P4)", () => {
    const { headway, doc, undoManager } = undoable(AGES);
    const updates = heard(doc);
    doc.transact(() => {
      properties(doc, "scan").set("note", 1);
      goTo(headway, 0);
      expect(text(doc, "filter", "predicate").toString()).toBe("age > 40");
      properties(doc, "scan").set("other", 2);
    }, null);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
    expect(updates.map(({ origin }) => origin)).toEqual([null, ORIGIN]);
    expect(undoManager.undoStack).toHaveLength(1);
  });

  test("a command's answer waits with it", async () => {
    const { headway, doc } = live(AGES);
    text(doc, "filter", "predicate").insert(0, "not ");
    const answers: boolean[] = [];
    let answer: Promise<void> | undefined;
    doc.transact(() => {
      answer = headway.syncCanvas().then(({ canvasWritten }) => void answers.push(canvasWritten));
    });
    await answer;
    expect(answers).toEqual([true]);
    expect(text(doc, "filter", "predicate").toString()).toBe("age > 40");
  });

  test.each(["observe", "observeDeep"] as const)("asked for in a listener of %s it waits, too", (how) => {
    const { headway, doc } = live(AGES);
    const updates = heard(doc);
    const root = doc.getMap("operatorIDMap");
    const once = () => {
      root[`un${how}` as "unobserve"](once);
      goTo(headway, 0);
    };
    root[how](once);
    doc.getMap("operatorIDMap").set("z", new Y.Map());
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
    expect(updates.map(({ origin }) => origin)).toEqual([null, ORIGIN]);
  });

  test("asked for by a listener of our own replay it comes after it", () => {
    const { headway, doc } = live(AGES);
    const updates = heard(doc);
    doc.once("update", () => goTo(headway, 1));
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
    expect(updates.map(({ origin }) => origin)).toEqual([ORIGIN, ORIGIN]);
  });

  test("what changed in the same transaction after it was asked for is compared, too (P12)", () => {
    const { headway, doc } = live(AGES);
    doc.transact(() => {
      goTo(headway, 0);
      doc.getMap("operatorIDMap").delete("scan");
    });
    expect(shown(doc)).toHaveProperty("scan");
  });

  test("several wishes in one transaction come to the last (P1)", () => {
    const { headway, doc } = live([workflow({ a: { n: 1 } }), workflow({ a: { n: 2 } }), workflow({ a: { n: 3 } })]);
    const updates = heard(doc);
    doc.transact(() => {
      goTo(headway, 0);
      goTo(headway, 2);
      goTo(headway, 1);
    });
    expect(shown(doc)).toEqual({ a: { n: 2 } });
    expect(updates).toHaveLength(1);
  });

  test("unbound in the middle, nothing is written and the answer comes", async () => {
    const { headway, doc, unbind } = live(AGES);
    text(doc, "filter", "predicate").insert(0, "not ");
    let moved: Promise<{ canvasWritten: boolean }> | undefined;
    doc.transact(() => {
      moved = headway.syncCanvas();
      unbind();
    });
    expect((await moved)!.canvasWritten).toBe(false);
    expect(text(doc, "filter", "predicate").toString()).toBe("not age > 40");
  });

  test("bound in the middle, nothing of the transaction is lost", () => {
    const { headway } = knowing(AGES);
    const doc = new Y.Doc();
    doc.transact(() => {
      doc.getMap("operatorIDMap").set("a", new Y.Map([["operatorType", "A"]]));
      bindYjs(headway, doc);
      doc.getMap("operatorIDMap").set("b", new Y.Map([["operatorType", "B"]]));
    });
    expect(byId(onCanvas(headway))).toMatchObject({
      operators: { a: { operatorType: "A" }, b: { operatorType: "B" } },
    });
  });

  test("the canvas can be read in the middle: it is what is there (P12)", () => {
    const { headway, doc } = live(AGES);
    doc.transact(() => {
      text(doc, "filter", "predicate").insert(0, "not ");
      expect(onCanvas(headway).operators[1]!.operatorProperties["predicate"]).toBe("not age > 40");
    });
    expect(onCanvas(headway).operators[1]!.operatorProperties["predicate"]).toBe("not age > 40");
  });
});

describe("with others on the document (P3, P8, P12)", () => {
  /** A document of somebody else's that has what is in this one. */
  function replicaOf(doc: Y.Doc) {
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(doc));
    return other;
  }

  /** Two people with a Headway each look at the same canvas, and both are told of the same head change before they hear of each other. */
  function replayedByBoth(versions: readonly unknown[], version = 0) {
    const one = live(versions);
    const two = knowing(versions);
    const doc = replicaOf(one.doc);
    bindYjs(two.headway, doc);
    goTo(one.headway, version);
    goTo(two.headway, version);
    exchange(one.doc, doc);
    expect(everything(doc)).toEqual(everything(one.doc));
    expect(byId(onCanvas(one.headway))).toEqual(contentOf(doc));
    expect(byId(onCanvas(two.headway))).toEqual(contentOf(doc));
    return { one, two, doc };
  }

  test("the same fields, operators, links, boxes and positions written twice are there once (P8)", () => {
    const versions = [
      workflow(
        { a: { n: 1, on: true }, b: { deep: { m: 1 }, says: "new" } },
        { links: [link("l", "a", "b")], commentBoxes: [box("c", 1, "one")], settings: { size: 1 } },
      ),
      workflow({ a: { n: 2, on: false } }, { settings: { size: 2 } }),
    ];
    const { doc, one } = replayedByBoth(versions);
    expect(contentOf(doc)).toEqual(byId(versions[0]!));
    expect(one.headway.getView().canvas.equalsHead).toBe(true);
  });

  test("operators that both take away are gone once (P8)", () => {
    const versions = [workflow({ a: { n: 1 } }), workflow({ a: { n: 1 }, b: { n: 1 } })];
    expect(contentOf(replayedByBoth(versions).doc)).toEqual(byId(versions[0]!));
  });

  test("what both splice into a text is there once, and both say that it is HEAD's (P8)", () => {
    const { one, two, doc } = replayedByBoth(AGES);
    expect(text(doc, "filter", "predicate").toString()).toBe("age > 30");
    for (const { headway } of [one, two]) expect(headway.getView().canvas.equalsHead).toBe(true);
  });

  test("an item that both put into a list is there once (P8)", () => {
    const columns = (...names: string[]) => workflow({ a: { columns: names } });
    const { doc } = replayedByBoth([columns("a", "b"), columns("a")]);
    expect(list(doc, "a", "columns").toArray().map(String)).toEqual(["a", "b"]);
  });

  test("one who hears of the other's replay first writes nothing (P2, P8)", () => {
    const one = live(AGES);
    const doc = replicaOf(one.doc);
    const two = knowing(AGES);
    bindYjs(two.headway, doc);
    goTo(one.headway, 0);
    exchange(one.doc, doc);
    const updates = heard(doc);
    goTo(two.headway, 0);
    expect(updates).toEqual([]);
    expect(text(doc, "filter", "predicate").toString()).toBe("age > 30");
  });

  test("a co-editor types in a text while a revert changes another property of the operator (P3)", () => {
    const rows = (limit: number) => workflow({ a: { says: "hello", limit } });
    const { headway, doc } = live([rows(1), rows(2)]);
    const other = replicaOf(doc);
    text(other, "a", "says").insert(5, " world");
    goTo(headway, 0);
    exchange(doc, other);
    for (const one of [doc, other]) expect(shown(one)).toEqual({ a: { says: "hello world", limit: 1 } });
  });

  test("a co-editor types in the text that a revert changes: both are there (P3)", () => {
    const { headway, doc } = live(AGES);
    const other = replicaOf(doc);
    const cursor = Y.createRelativePositionFromTypeIndex(text(other, "filter", "predicate"), 3);
    text(other, "filter", "predicate").insert(0, "not ");
    goTo(headway, 0);
    exchange(doc, other);
    for (const one of [doc, other]) expect(text(one, "filter", "predicate").toString()).toBe("not age > 30");
    expect(Y.createAbsolutePositionFromRelativePosition(cursor, other)?.index).toBe(7);
  });

  test("a co-editor's cursor in an untouched text stays where it is (P3, P11)", () => {
    const { headway, doc } = live(AGES);
    const cursor = Y.createRelativePositionFromTypeIndex(text(doc, "scan", "file"), 2);
    goTo(headway, 0);
    expect(Y.createAbsolutePositionFromRelativePosition(cursor, doc)).toMatchObject({ index: 2 });
  });

  test("updates that come in another order than they were made are waited for (P12)", () => {
    const { headway, doc } = live(AGES);
    const other = replicaOf(doc);
    const updates: Uint8Array[] = [];
    other.on("update", (update: Uint8Array) => updates.push(update));
    for (const word of ["a", "b", "c"]) text(other, "scan", "file").insert(0, word);
    for (const update of updates.reverse()) Y.applyUpdate(doc, update, "network");
    expect(text(doc, "scan", "file").toString()).toBe("cbaa.csv");
    expect(byId(onCanvas(headway))).toEqual(contentOf(doc));
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
  });

  test("two Headways on one document see what the other writes (P12)", () => {
    const one = live(AGES);
    const two = knowing(AGES);
    bindYjs(two.headway, one.doc);
    goTo(one.headway, 0);
    expect(byId(onCanvas(two.headway))).toEqual(byId(AGES[0]!));
    expect(two.headway.getView().canvas.equalsHead).toBe(false);
    goTo(two.headway, 1);
    expect(byId(onCanvas(one.headway))).toEqual(byId(AGES[1]!));
    goTo(one.headway, 0);
    expect(contentOf(one.doc)).toEqual(byId(AGES[0]!));
  });

  test("both asked in the middle of one transaction wait, come one after the other, and each sees what is there (P1, P12)", () => {
    const one = live(AGES);
    const two = knowing([workflow({ scan: { file: "b.csv" }, filter: { predicate: "age > 30" } })]);
    bindYjs(two.headway, one.doc);
    const updates = heard(one.doc);
    one.doc.transact(() => {
      goTo(one.headway, 0);
      goTo(two.headway, 0);
    });
    expect(updates.map(({ origin }) => origin)).toEqual([ORIGIN, ORIGIN]);
    expect(shown(one.doc)).toEqual({ scan: { file: "b.csv" }, filter: { predicate: "age > 30" } });
    for (const { headway } of [one, two]) expect(byId(onCanvas(headway))).toEqual(contentOf(one.doc));
    expect(one.headway.getView().canvas.equalsHead).toBe(false);
    expect(two.headway.getView().canvas.equalsHead).toBe(true);
  });

  test("and one of them leaves the other's undo manager alone as well (P4)", () => {
    const { headway, doc, undoManager } = undoable([
      workflow({ x: { limit: 1 } }),
      workflow({ x: { limit: 1 }, y: { limit: 5 } }),
    ]);
    properties(doc, "x").set("limit", 2);
    undoManager.stopCapturing();
    properties(doc, "y").set("limit", 7);
    const two = knowing([workflow({ x: { limit: 2 } })]);
    bindYjs(two.headway, doc);
    void two.headway.syncCanvas();
    properties(doc, "x").set("more", 1);
    expect(undoManager.undoStack).toHaveLength(3);
    undoManager.undo();
    expect(undoManager.undo()).toBe(null);
    expect(shown(doc)).toEqual({ x: { limit: 2 } });
    expect(headway.getView().canvas.equalsHead).toBe(false);
  });
});

describe("manual edits and the view (P12, P14)", () => {
  test("an edit makes equalsHead false, taking it back makes it true again", () => {
    const { headway, doc, undoManager } = undoable(AGES);
    const told: boolean[] = [];
    headway.subscribe(() => told.push(headway.getView().canvas.equalsHead));
    text(doc, "filter", "predicate").insert(0, "not ");
    expect(headway.getView().canvas.equalsHead).toBe(false);
    undoManager.undo();
    expect(headway.getView().canvas.equalsHead).toBe(true);
    expect(told).toEqual([false, true]);
  });

  test("so does an edit of a position, a link, a box, the settings", () => {
    const whole = workflow({ a: {}, b: {} }, { links: [link("l", "a", "b")], settings: { size: 1 } });
    const { headway, doc, undoManager } = undoable([{ ...whole, commentBoxes: [box("c", 1, "one")] }]);
    doc.getMap("contentMeta").set("settings", { size: 1 });
    undoManager.clear();
    const edits: [string, () => void][] = [
      ["position", () => doc.getMap("elementPositionMap").set("a", { x: 77, y: 0 })],
      ["box moved", () => doc.getMap("elementPositionMap").set("c", { x: 77, y: 0 })],
      ["link", () => doc.getMap("operatorLinkMap").delete("l")],
      ["box", () => doc.getMap("commentBoxMap").delete("c")],
      ["comment", () => doc.getMap<Y.Map<Y.Array<unknown>>>("commentBoxMap").get("c")!.get("comments")!.delete(0)],
      ["settings", () => doc.getMap("contentMeta").set("settings", { size: 3 })],
      ["operator", () => operator(doc, "a").set("isDisabled", true)],
    ];
    for (const [name, edit] of edits) {
      edit();
      expect([name, headway.getView().canvas.equalsHead]).toEqual([name, false]);
      undoManager.undo();
      expect([name, headway.getView().canvas.equalsHead]).toEqual([name, true]);
    }
  });

  // The order of a list does not lie in a document, but what comes back comes back at the end of what is kept as shown.
  test("an operator that is taken away and put back is no difference, wherever it is in the list (P2)", () => {
    const { headway, doc, undoManager } = undoable(AGES);
    doc.getMap("operatorIDMap").delete("scan");
    expect(headway.getView().canvas.equalsHead).toBe(false);
    undoManager.undo();
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
    expect(headway.getView().canvas.equalsHead).toBe(true);
  });

  test("and such a canvas, which nobody has edited for good, follows after a reconnect (P14)", () => {
    const { headway, doc, undoManager } = undoable(AGES);
    doc.getMap("operatorIDMap").delete("scan");
    expect(headway.getView().canvas.equalsHead).toBe(false);
    undoManager.undo();
    headway.disconnected();
    headway.connected();
    headway.receive(versioned(AGES, 0));
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
  });

  test("a key that is nobody's is no difference: debugActions, awareness (P11)", () => {
    const { headway, doc } = live(AGES);
    const view = headway.getView();
    doc.getMap("debugActions").set("a", 1);
    expect(headway.getView().canvas).toEqual(view.canvas);
  });

  test("a reconnect takes a canvas that nobody edited along (P14)", () => {
    const { headway, doc } = live(AGES);
    headway.disconnected();
    headway.connected();
    headway.receive(versioned(AGES, 0));
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
    expect(headway.getView().canvas.equalsHead).toBe(true);
  });

  test("an edited canvas is left alone, with a notice, until it is asked for (P14)", async () => {
    const { headway, doc, notices } = live(AGES);
    headway.disconnected();
    text(doc, "scan", "file").insert(0, "my-");
    headway.connected();
    headway.receive(versioned(AGES, 0));
    expect(shown(doc)).toEqual({ scan: { file: "my-a.csv" }, filter: { predicate: "age > 40" } });
    expect(headway.getView().canvas.equalsHead).toBe(false);
    expect(notices.map(({ code }) => code)).toEqual(["canvas_differs"]);
    await headway.syncCanvas();
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
  });

  test("a peer's edit that came while we were offline is seen (P12)", () => {
    const { headway, doc } = live(AGES);
    headway.disconnected();
    const other = new Y.Doc();
    exchange(doc, other);
    text(other, "scan", "file").insert(0, "my-");
    exchange(doc, other);
    expect(headway.getView().canvas.equalsHead).toBe(false);
    headway.connected();
    headway.receive(versioned(AGES, 1));
    expect(text(doc, "scan", "file").toString()).toBe("my-a.csv");
  });

  test("a first connect overwrites no document by itself (P14)", () => {
    const { headway, notices } = blank();
    const doc = new Y.Doc();
    doc.getMap("operatorIDMap").set("mine", new Y.Map([["operatorType", "A"]]));
    bindYjs(headway, doc);
    const updates = heard(doc);
    headway.receive(versioned(AGES));
    expect(updates).toEqual([]);
    expect(notices.map(({ code }) => code)).toEqual(["canvas_differs"]);
  });

  test("diff and preview are between documents and steps", () => {
    const { headway, doc } = live(AGES);
    text(doc, "filter", "predicate").insert(0, "not ");
    expect(headway.diff("v1", "canvas")).toMatchObject([{ kind: "set", from: "age > 40", to: "not age > 40" }]);
    expect(headway.preview("v0")).toMatchObject([{ kind: "set", from: "not age > 40", to: "age > 30" }]);
  });
});

describe("binding", () => {
  /** How many listen to each event of a document. */
  const listeners = (doc: Y.Doc) =>
    Object.fromEntries(
      [...(doc as unknown as { _observers: Map<string, Set<unknown>> })._observers].map(([name, all]) => [
        name,
        all.size,
      ]),
    );

  test("unbinding leaves no listener and the undo manager as it was (P4)", () => {
    const doc = new Y.Doc();
    const undoManager = new Y.UndoManager(rootsOf(doc));
    const [before, keys] = [listeners(doc), Reflect.ownKeys(undoManager)];
    const { headway, unbind } = live(AGES, { doc, undoManager });
    goTo(headway, 0);
    expect(listeners(doc)).not.toEqual(before);
    unbind();
    expect(listeners(doc)).toEqual(before);
    expect(Reflect.ownKeys(undoManager)).toEqual(keys);
    expect(undoManager.undo).toBe(Y.UndoManager.prototype.undo);
    expect(headway.getView().canvas.bound).toBe(false);
    unbind();
    text(doc, "scan", "file").insert(0, "my-");
    expect(() => headway.content("canvas")).toThrow(HeadwayError);
  });

  test("an undo method that somebody put there before is there again afterwards", () => {
    const doc = new Y.Doc();
    const undoManager = new Y.UndoManager(rootsOf(doc));
    let presses = 0;
    const own = () => {
      presses += 1;
      return Y.UndoManager.prototype.undo.call(undoManager);
    };
    undoManager.undo = own;
    const { unbind } = live(AGES, { doc, undoManager });
    properties(doc, "scan").set("n", 1);
    undoManager.undo();
    expect(presses).toBe(1);
    unbind();
    expect(undoManager.undo).toBe(own);
  });

  test("two bindings with one undo manager, unbound in either order, leave it as it was (P4)", () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      const doc = new Y.Doc();
      const undoManager = new Y.UndoManager(rootsOf(doc));
      const keys = Reflect.ownKeys(undoManager);
      const bindings = [live(AGES, { doc, undoManager }), live(AGES, { doc, undoManager })] as const;
      properties(doc, "scan").set("n", 1);
      goTo(bindings[0].headway, 0);
      goTo(bindings[1].headway, 0);
      for (const at of order) bindings[at].unbind();
      expect(Reflect.ownKeys(undoManager)).toEqual(keys);
    }
  });

  test("an item that is popped with two bindings is popped alone (P4)", () => {
    const doc = new Y.Doc();
    const undoManager = new Y.UndoManager(rootsOf(doc), { captureTimeout: 0 });
    const versions = [workflow({ x: { limit: 2 } }), workflow({ x: { limit: 1 }, y: { limit: 1 } })];
    const one = live(versions, { doc, undoManager });
    live(versions, { doc, undoManager });
    properties(doc, "x").set("limit", 2);
    properties(doc, "y").set("limit", 2);
    goTo(one.headway, 0);
    expect(undoManager.undo()).toBe(null);
    expect(shown(doc)).toEqual({ x: { limit: 2 } });
    undoManager.undo();
    expect(shown(doc)).toEqual({ x: { limit: 1 } });
  });

  test("the same document can be bound again; what happened in between is there (P12)", () => {
    const { headway, doc, unbind } = live(AGES);
    unbind();
    text(doc, "scan", "file").insert(0, "my-");
    bindYjs(headway, doc);
    expect(headway.getView().canvas.equalsHead).toBe(false);
    expect(byId(onCanvas(headway))).toEqual(contentOf(doc));
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
    text(doc, "scan", "file").insert(0, "my-");
    expect(byId(onCanvas(headway))).toEqual(contentOf(doc));
  });

  test("bound to another document in place of the first, the first is left alone and unheard (P12)", () => {
    const { headway, doc, unbind } = live(AGES);
    const before = listeners(doc);
    const second = new Y.Doc();
    bindYjs(headway, second);
    expect(before).not.toEqual(listeners(new Y.Doc()));
    expect(listeners(doc)).toEqual(listeners(new Y.Doc()));
    text(doc, "scan", "file").insert(0, "my-");
    expect(onCanvas(headway).operators).toEqual([]);
    goTo(headway, 0);
    expect(contentOf(second)).toEqual(byId(AGES[0]!));
    expect(text(doc, "scan", "file").toString()).toBe("my-a.csv");
    unbind();
    expect(headway.getView().canvas.bound).toBe(true);
  });

  test("a plain canvas in place of a document, and the other way round", () => {
    const { headway, doc } = live(AGES);
    const { canvas } = canvasOf(headway, AGES[1]);
    expect(listeners(doc)).toEqual(listeners(new Y.Doc()));
    goTo(headway, 0);
    expect(JSON.parse(canvas.text)).toEqual(AGES[0]);
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
    bindYjs(headway, doc);
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
    expect(canvas.writes).toBe(1);
  });

  test("a replay that waits for one document goes to the one that is bound when its turn comes", () => {
    const { headway, doc } = live(AGES);
    const second = new Y.Doc();
    doc.transact(() => {
      goTo(headway, 0);
      bindYjs(headway, second);
    });
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
    second.transact(() => goTo(headway, 0));
    expect(contentOf(second)).toEqual(byId(AGES[0]!));
  });

  test("a destroyed document is unbound", () => {
    const { headway, doc, undoManager } = undoable(AGES);
    doc.destroy();
    expect(headway.getView().canvas.bound).toBe(false);
    expect(Object.hasOwn(undoManager, "undo")).toBe(false);
    goTo(headway, 0);
    expect(text(doc, "filter", "predicate").toString()).toBe("age > 40");
  });

  test("freed while it is bound, the document works on without it (X3)", () => {
    const doc = new Y.Doc();
    const undoManager = new Y.UndoManager(rootsOf(doc));
    const before = listeners(doc);
    const { headway, unbind } = live(AGES, { doc, undoManager });
    headway.free();
    expect(listeners(doc)).toEqual(before);
    expect(Object.hasOwn(undoManager, "undo")).toBe(false);
    text(doc, "scan", "file").insert(0, "my-");
    text(doc, "scan", "file").insert(0, "oh-");
    expect(text(doc, "scan", "file").toString()).toBe("oh-my-a.csv");
    unbind();
    expect(() => bindYjs(headway, doc)).toThrow(expect.objectContaining({ code: "freed" }));
    expect(listeners(doc)).toEqual(before);
  });

  test("freed by a listener of the document in the middle of a replay", () => {
    const { headway, doc } = live(AGES);
    doc.once("update", () => headway.free());
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
    text(doc, "scan", "file").insert(0, "my-");
    expect(text(doc, "scan", "file").toString()).toBe("my-a.csv");
  });

  test("unbound by a listener of the document that comes before ours", () => {
    const { headway } = knowing(AGES);
    const doc = new Y.Doc();
    let unbind = () => {};
    doc.on("update", () => unbind());
    unbind = bindYjs(headway, doc);
    expect(() => doc.getMap("operatorIDMap").set("a", new Y.Map())).not.toThrow();
    expect(headway.getView().canvas.bound).toBe(false);
  });

  test("an update that the replica cannot take in makes another one of all that is there, and breaks nothing of the document's", () => {
    const { headway, doc } = live(AGES);
    const { applyUpdate } = headway.document;
    headway.document.applyUpdate = () => {
      headway.document.applyUpdate = applyUpdate;
      throw new HeadwayError("broken_document", "half of it");
    };
    text(doc, "scan", "file").insert(0, "my-");
    expect(byId(onCanvas(headway))).toEqual(contentOf(doc));
    text(doc, "scan", "file").insert(0, "oh-");
    expect(byId(onCanvas(headway))).toEqual(contentOf(doc));
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
  });

  test("and when there is no way to take it in, the canvas is unbound, which is told", async () => {
    const thrown = uncaught();
    const { headway, doc } = live(AGES);
    const fault = new HeadwayError("corrupt_update", "for good");
    headway.document.applyUpdate = headway.document.open = () => {
      throw fault;
    };
    text(doc, "scan", "file").insert(0, "my-");
    expect(headway.getView().canvas.bound).toBe(false);
    expect(listeners(doc)).toEqual(listeners(new Y.Doc()));
    await idle();
    expect(thrown).toEqual([fault]);
  });

  test("the host's own yjs is used", () => {
    const { headway } = knowing(AGES);
    const calls: string[] = [];
    const counted = {
      applyUpdate: ((...args) => (calls.push("applyUpdate"), Y.applyUpdate(...args))) as typeof Y.applyUpdate,
      encodeStateAsUpdate: ((...args) => (
        calls.push("encode"),
        Y.encodeStateAsUpdate(...args)
      )) as typeof Y.encodeStateAsUpdate,
      encodeStateVector: Y.encodeStateVector,
    };
    bindYjs(headway, new Y.Doc(), { Y: counted });
    void headway.syncCanvas();
    expect(calls).toEqual(["encode", "applyUpdate"]);
  });

  test("who relays the updates himself hears what the engine writes, and a diff has all of it", () => {
    const { headway, doc } = live(AGES);
    const updates: Uint8Array[] = [];
    const off = headway.document.onUpdate((update) => updates.push(update));
    const mirror = new Y.Doc();
    Y.applyUpdate(mirror, headway.document.encodeDiff());
    expect(everything(mirror)).toEqual(everything(doc));
    goTo(headway, 0);
    off();
    goTo(headway, 1);
    expect(updates).toHaveLength(1);
    Y.applyUpdate(mirror, updates[0]!);
    expect(text(mirror, "filter", "predicate").toString()).toBe("age > 30");
    Y.applyUpdate(mirror, headway.document.encodeDiff(Y.encodeStateVector(mirror)));
    expect(everything(mirror)).toEqual(everything(doc));
    expect(headway.document.stateVector()).toEqual(Y.encodeStateVector(doc));
  });
});

describe("faults of others (X1, P5)", () => {
  test("a listener that throws at our replay is reported; the canvas is what it should be", async () => {
    const thrown = uncaught();
    const { headway, doc } = live(AGES);
    const observe = () => {
      throw new Error("at the replay");
    };
    doc.getMap("operatorIDMap").observeDeep(observe);
    goTo(headway, 0);
    await idle();
    expect(thrown).toEqual([expect.objectContaining({ message: "at the replay" })]);
    doc.getMap("operatorIDMap").unobserveDeep(observe);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
    expect(headway.getView().canvas.equalsHead).toBe(true);
    goTo(headway, 1);
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
  });

  test("a listener that throws at a person's edit hides nothing of it from us", () => {
    const { headway, doc } = live(AGES);
    doc.getMap("operatorIDMap").observeDeep(() => {
      throw new Error("at the edit");
    });
    expect(() => text(doc, "scan", "file").insert(0, "my-")).toThrow("at the edit");
    expect(byId(onCanvas(headway))).toEqual(contentOf(doc));
    expect(headway.getView().canvas.equalsHead).toBe(false);
  });

  test("a listener of `update` that throws ends all events of a document, for good; we still read it and write it", async () => {
    const { headway } = knowing(AGES);
    const doc = new Y.Doc();
    let isThrowing = false;
    doc.on("update", () => {
      if (isThrowing) throw new Error("before ours");
    });
    bindYjs(headway, doc);
    await headway.syncCanvas();
    isThrowing = true;
    expect(() => text(doc, "scan", "file").insert(0, "my-")).toThrow("before ours");
    isThrowing = false;
    text(doc, "scan", "file").insert(0, "oh-");
    expect(byId(onCanvas(headway))).toEqual(contentOf(doc));

    expect((await headway.syncCanvas()).canvasWritten).toBe(true);
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
    goTo(headway, 0);
    await idle();
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
  });

  test("one that throws after ours, as well", async () => {
    const { headway, doc } = live(AGES);
    doc.on("update", () => {
      throw new Error("after ours");
    });
    expect(() => text(doc, "scan", "file").insert(0, "my-")).toThrow("after ours");
    expect((await headway.syncCanvas()).canvasWritten).toBe(true);
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
  });

  test("one of `beforeTransaction` leaves a transaction open for ever; nothing hangs", async () => {
    const { headway, doc } = live(AGES);
    text(doc, "scan", "file").insert(0, "my-");
    doc.once("beforeTransaction", () => {
      throw new Error("before");
    });
    expect(() => text(doc, "scan", "file").insert(0, "oh-")).toThrow("before");
    expect((await headway.syncCanvas()).canvasWritten).toBe(true);
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
  });

  test("bytes that are no update are refused with corrupt_update; the replica is as it was", () => {
    const { headway, doc } = live(AGES);
    const vector = headway.document.stateVector();
    const other = new Y.Doc();
    exchange(doc, other);
    text(other, "scan", "file").insert(0, "my-");
    const update = Y.encodeStateAsUpdate(other, vector);
    const broken = [
      new Uint8Array(),
      new Uint8Array([1]),
      new Uint8Array(64).fill(0xff),
      new TextEncoder().encode("not an update at all"),
      ...Array.from({ length: update.length - 1 }, (_, length) => update.slice(0, length)),
    ];
    for (const bytes of broken) {
      expect(() => headway.document.applyUpdate(bytes), String(bytes)).toThrow(
        expect.objectContaining({ code: "corrupt_update" }),
      );
    }
    expect(headway.document.stateVector()).toEqual(vector);
    expect(byId(onCanvas(headway))).toEqual(byId(AGES[1]!));
    headway.document.applyUpdate(update);
    expect(onCanvas(headway).operators[0]!.operatorProperties["file"]).toBe("my-a.csv");
  });

  test.each([
    ["a number", 7],
    ["a text", "AAA="],
    ["nothing", undefined],
  ])("%s is no update", (_, value) => {
    const { headway } = live(AGES);
    expect(() => headway.document.applyUpdate(value as never)).toThrow(HeadwayError);
    expect(byId(onCanvas(headway))).toEqual(byId(AGES[1]!));
  });

  test("a document that is none that yjs could have made is refused, and what was bound stays", () => {
    const { headway, doc } = live(AGES);
    const host = { clientId: 1, isBusy: () => false, whenIdle: (run: () => void) => run(), write: () => {} };
    const open = (more: object) => () => headway.document.open({ ...host, state: new Uint8Array([0, 0]), ...more });
    expect(open({ state: new Uint8Array([9]) })).toThrow(expect.objectContaining({ code: "corrupt_update" }));
    for (const clientId of [-1, 2 ** 53, 0.5, NaN]) {
      expect(open({ clientId }), String(clientId)).toThrow(expect.objectContaining({ code: "invalid_argument" }));
    }
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
  });

  test("shapes that no content has are read as far as they can be, and a replay puts them right", () => {
    const { headway, doc } = live(AGES);
    const operators = doc.getMap<unknown>("operatorIDMap");
    doc.transact(() => {
      operators.set("plain", { operatorType: "Plain", operatorProperties: { limit: 3 } });
      operators.set("word", "just a text");
      operators.set("shared word", new Y.Text("shared"));
      operators.set("list", Y.Array.from([1, 2]));
      operators.set("xml", new Y.XmlFragment());
      operators.set("file", new Uint8Array([1, 2, 3]));
      operators.set("null", null);
      operators.set("without place", new Y.Map([["operatorType", "Any"]]));
      operators.set("another id", new Y.Map([["operatorID", "liar"]]));
      properties(doc, "scan").set("limit", new Y.Text("3"));
      properties(doc, "scan").set("xml", new Y.XmlElement("b"));
      properties(doc, "scan").set("file", new Uint8Array([1]));
      properties(doc, "scan").set("doc", new Y.Doc());
      properties(doc, "filter").set("predicate", 12n);
      doc.getMap("elementPositionMap").set("scan", "somewhere");
      doc.getMap("elementPositionMap").set("filter", new Y.Map([["x", 1]]));
      doc.getMap("operatorLinkMap").set("l", 7);
      doc.getMap("commentBoxMap").set("c", [1]);
      doc.getMap("commentBoxMap").set("d", new Y.Text("box"));
      doc.getMap("contentMeta").set("settings", new Y.Text("none"));
    });
    const { operators: read, operatorPositions } = byId(onCanvas(headway)) as never as Record<
      string,
      Record<string, unknown>
    >;
    expect(read!["plain"]).toEqual({ operatorID: "plain", operatorType: "Plain", operatorProperties: { limit: 3 } });
    expect(read!["without place"]).toEqual({ operatorID: "without place", operatorType: "Any" });
    expect(read!["another id"]).toEqual({ operatorID: "another id" });
    expect(read!["scan"]).toMatchObject({ operatorProperties: { limit: "3", xml: null, file: null, doc: null } });
    expect(operatorPositions).toMatchObject({ scan: "somewhere", filter: { x: 1 } });
    expect(headway.getView().canvas.equalsHead).toBe(false);

    goTo(headway, 0);

    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
    expect(headway.getView().canvas.equalsHead).toBe(true);
    expect(properties(doc, "filter").get("predicate")).toBeInstanceOf(Y.Text);
  });

  test("the same found in a document that is bound", () => {
    const doc = new Y.Doc();
    doc.getMap("operatorIDMap").set("plain", { operatorType: "Plain" });
    doc.getMap("operatorIDMap").set("xml", new Y.XmlFragment());
    doc.getMap("elementPositionMap").set("plain", null);
    const { headway } = knowing(AGES);
    expect(() => bindYjs(headway, doc)).not.toThrow();
    expect(
      onCanvas(headway)
        .operators.map(({ operatorID }) => operatorID)
        .sort(),
    ).toEqual(["plain", "xml"]);
    goTo(headway, 1);
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
  });

  test("a field that is plain where it should be shared is changed as what it is (P3)", () => {
    const { headway, doc } = live([
      workflow({ a: { deep: { n: 1, m: 1 } } }),
      workflow({ a: { deep: { n: 2, m: 1 } } }),
    ]);
    properties(doc, "a").set("deep", { n: 2, m: 1 });
    expect(headway.getView().canvas.equalsHead).toBe(true);
    goTo(headway, 0);
    expect(properties(doc, "a").get("deep")).toEqual({ n: 1, m: 1 });
  });

  test("a text with formats and pictures in it becomes the text that it should be", () => {
    const { headway, doc } = live(AGES);
    const predicate = text(doc, "filter", "predicate");
    predicate.format(0, 3, { bold: true });
    predicate.insertEmbed(3, { picture: 1 });
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
  });

  test("a root of another type is left alone", () => {
    const doc = new Y.Doc();
    doc.getArray("operatorIDMap").insert(0, [1, 2]);
    doc.getText("elementPositionMap").insert(0, "😀 hello");
    const { headway } = knowing(AGES);
    bindYjs(headway, doc);
    expect(onCanvas(headway).operators).toEqual([]);
    expect(() => goTo(headway, 0)).not.toThrow();
    expect(onCanvas(headway).operators).toHaveLength(2);
  });

  test("a content that cannot be put into a document is refused whole, and the document is as it was (P5)", () => {
    const nested = (levels: number): unknown => (levels === 0 ? "x" : [nested(levels - 1)]);
    const deep = workflow({ scan: { file: "other.csv" }, filter: { predicate: nested(100) } });
    const { headway, doc, notices } = live([AGES[0], deep, AGES[1]]);
    const updates = heard(doc);
    goTo(headway, 1);
    expect(updates).toEqual([]);
    expect(contentOf(doc)).toEqual(byId(AGES[1]!));
    expect(notices.map(({ code }) => code)).toEqual(["canvas_failed"]);
    expect(headway.getView().canvas.equalsHead).toBe(false);
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
  });

  test("a comment box without a name goes with its position (P5)", () => {
    const { headway, doc } = live(AGES);
    doc.getMap("commentBoxMap").set("", new Y.Map());
    doc.getMap("elementPositionMap").set("", { x: 1, y: 1 });
    goTo(headway, 0);
    expect(contentOf(doc)).toEqual(byId(AGES[0]!));
  });

  test.each([
    ["nothing", null],
    ["a text", "here"],
    ["half of a position", { x: 1 }],
    ["a shared type", "map"],
  ])("a box whose position is %s gets one (P5, P12)", (_, value) => {
    const boxed = workflow({ a: {} }, { commentBoxes: [box("c", 1, "one")] });
    const { headway, doc } = live([boxed]);
    doc.getMap("elementPositionMap").set("c", value === "map" ? new Y.Map([["x", 9]]) : value);
    goTo(headway, 0);
    expect(position(doc, "c")).toEqual({ x: 1, y: 0 });
  });

  test("a box whose position somebody took out of the map of positions still has its own", () => {
    const boxed = workflow({ a: {} }, { commentBoxes: [box("c", 1, "one")] });
    const { headway, doc } = live([boxed]);
    doc.getMap("elementPositionMap").delete("c");
    expect(headway.getView().canvas.equalsHead).toBe(true);
    expect(onCanvas(headway).commentBoxes).toEqual(boxed.commentBoxes);
  });

  test("an operator whose position is none gets one (P12)", () => {
    const { headway, doc } = live(AGES);
    for (const value of [null, "here", { x: 1 }, new Y.Map([["x", 9]]), undefined]) {
      doc.getMap("elementPositionMap").set("scan", value);
      goTo(headway, 1);
      expect(position(doc, "scan")).toEqual({ x: 0, y: 0 });
      doc.getMap("elementPositionMap").delete("scan");
      goTo(headway, 1);
      expect(position(doc, "scan")).toEqual({ x: 0, y: 0 });
    }
  });

  test("what has a shape that no content has is reported", () => {
    const { headway, doc, notices } = live(AGES);
    doc.getMap("operatorIDMap").set("xml", new Y.XmlElement("b"));
    onCanvas(headway);
    goTo(headway, 0);
    expect(notices.map(({ code }) => code)).toContain("canvas_foreign");
  });

  test.each([
    [
      "numbers as nobody would spell them",
      '{"n":[1.0,-0,1e21,123456789012345678901,0.1,1E-9,9007199254740993,5e-324]}',
    ],
    ["numbers that are too large for JavaScript", '{"n":[1e400,-1e400]}'],
    ["half of a character", '{"says":"\\ud800 x","\\udc00":1}'],
    ["NUL and other controls", '{"says":"\\u0000\\u0001\\u2028","\\u0000":"\\u0000"}'],
    ["a key twice", '{"a":1,"a":2}'],
    ["empty things", '{"":"","a":[],"o":{},"n":null,"t":""}'],
    ["a list in a list", '{"a":[[],[[1],["x",null]],{}]}'],
  ])("%s: what is put on a document is there, and is not put there again (P2)", (_, json) => {
    const { headway } = blank();
    const content = `{"operators":[{"operatorID":"a","operatorType":"A","operatorProperties":${json}}],"operatorPositions":{"a":{"x":0.5,"y":-0}},"links":[],"commentBoxes":[]}`;
    const step = (id: string, parent: string, content: string) =>
      `{"id":"${id}","parentId":"${parent}","messageId":"${id}","role":"agent","content":"","afterWorkflowContent":${content}}`;
    const other = JSON.stringify(workflow({ a: { other: 1 } }));
    headway.receive(
      `{"steps":[${step("v0", "step-initial", content)},${step("v1", "v0", other)}],"headId":"v0","state":"AVAILABLE","type":"WsServerSnapshotEvent"}`,
    );
    const doc = new Y.Doc();
    bindYjs(headway, doc);
    void headway.syncCanvas();
    expect(headway.getView().canvas.equalsHead).toBe(true);
    const updates = heard(doc);
    goTo(headway, 0);
    const again = new Y.Doc();
    exchange(doc, again);
    bindYjs(headway, again);
    expect(headway.getView().canvas.equalsHead).toBe(true);
    goTo(headway, 0);
    expect(updates).toEqual([]);
    goTo(headway, 1);
    expect(contentOf(again)).toEqual(byId(JSON.parse(other)));
    goTo(headway, 0);
    expect(everything(again)).toEqual(everything(doc));
  });

  test("names that mean something to JavaScript are names like others", () => {
    const parsed = JSON.parse('{"__proto__": 1, "constructor": "c", "": 2, "a.b": 3, "😀": 4}') as Record<
      string,
      unknown
    >;
    const versions = [workflow({ a: parsed }), workflow({ a: {} })];
    const { headway, doc } = live(versions);
    goTo(headway, 0);
    expect([...properties(doc, "a").keys()].sort()).toEqual(["", "__proto__", "a.b", "constructor", "😀"].sort());
    const updates = heard(doc);
    goTo(headway, 0);
    expect(updates).toEqual([]);
  });
});

describe("growth (P9)", () => {
  const fields = (n: number) => workflow({ a: { n }, b: { n }, c: { n }, d: { says: "stays" } });
  const grown = (doc: Y.Doc, work: () => void) => {
    const before = Y.encodeStateAsUpdate(doc).length;
    work();
    return Y.encodeStateAsUpdate(doc).length - before;
  };

  test("1,000 replays of versions that differ in 3 fields add what 3,000 field writes add, and one client", () => {
    const { headway, doc } = live([fields(1), fields(2)]);
    const clients = doc.store.clients.size;
    const peer = new Y.Doc();
    // As long as most that yjs draws.
    peer.clientID = 2 ** 32 - 1;
    exchange(doc, peer);
    const byHand = grown(peer, () => {
      for (let round = 0; round < 1000; round++) {
        peer.transact(() => ["a", "b", "c"].forEach((id) => properties(peer, id).set("n", 1 + (round % 2))));
      }
    });
    const byReplays = grown(doc, () => {
      for (let round = 0; round < 1000; round++) goTo(headway, round % 2);
    });
    // Once, not for each: which of the first writings were whose.
    expect(byReplays).toBeLessThanOrEqual(byHand + 64);
    expect(doc.store.clients.size).toBe(clients);
  });

  test("equal versions add nothing, however often they are replayed (P2)", () => {
    const { headway, doc } = live([fields(1), fields(1)]);
    expect(grown(doc, () => [...Array(1000).keys()].forEach((round) => goTo(headway, round % 2)))).toBe(0);
  });

  test.each([
    ["the view", (headway: Headway) => headway.getView()],
    ["the canvas", (headway: Headway) => headway.content("canvas")],
  ])("edits that are looked at by %s leave no contents behind (C3)", (_, look) => {
    const { headway, doc } = live(AGES);
    for (let edit = 0; edit < 500; edit++) {
      text(doc, "scan", "file").insert(0, "x");
      look(headway);
    }
    expect(headway.stats().snapshots).toBeLessThan(100);
  });

  test("a session of 200 edits, replays and bindings keeps nothing of them (C3)", () => {
    const { headway, doc } = live(AGES);
    const before = headway.stats().snapshots;
    for (let round = 0; round < 200; round++) {
      text(doc, "scan", "file").insert(0, "x");
      goTo(headway, round % 2);
      if (round % 10 === 0) bindYjs(headway, doc);
    }
    expect(headway.stats().snapshots).toBeLessThan(before + 100);
  });
});
