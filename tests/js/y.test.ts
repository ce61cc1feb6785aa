/** `headway/y`: a document of @y/y 14, whose shared types are all one, also with yjs 13 at the other end. Rule ids are those of SPEC.md. */
import * as Y from "@y/y";
import * as Y13 from "yjs";
import { describe, expect, test } from "vitest";
import { ORIGIN, bindYjs } from "headway/y";
import * as yjs from "headway/yjs";
import {
  box,
  byId,
  contentOf,
  goTo,
  knowing,
  link,
  live,
  onCanvas,
  shown,
  versioned,
  workflow,
  type Content,
} from "./canvas-doc.js";

const VERSIONS = [
  workflow(
    {
      scan: { file: "a.csv", cols: ["x", "y"], rows: [{ name: "r", n: 1 }], deep: { m: { k: 1 } }, none: null },
      filter: { predicate: "age > 30" },
    },
    { links: [link("l", "scan", "filter")], commentBoxes: [box("c", 1, "one")], settings: { size: 1 } },
  ),
  workflow(
    {
      scan: { file: "b.csv", cols: ["x", "new", "y"], rows: [{ name: "s", n: 2 }], deep: { m: { k: 2, l: [1] } } },
      filter: { predicate: "age > 40" },
    },
    { commentBoxes: [box("c", 5, "one", "two")], settings: { size: 2 } },
  ),
] as const;

/** A value as somebody puts it there who has only 14. */
function unified(value: unknown): unknown {
  const type = new Y.Type();
  if (typeof value === "string") type.insert(0, value as never);
  else if (Array.isArray(value)) type.insert(0, value.map(unified) as never);
  else if (typeof value === "object" && value !== null)
    for (const [key, one] of Object.entries(value)) type.setAttr(key as never, unified(one) as never);
  else return value;
  return type;
}

/** A content in Texera's layout, in a document of 14 that nobody else has written. */
function madeBy14({ operators, operatorPositions, links, commentBoxes, settings }: Content): Y.Doc {
  const doc = new Y.Doc();
  const put = (root: string, key: string, value: unknown) => doc.get(root).setAttr(key as never, value as never);
  doc.transact(() => {
    for (const one of operators) put("operatorIDMap", one.operatorID, unified(one));
    for (const [id, position] of Object.entries(operatorPositions)) put("elementPositionMap", id, position);
    for (const one of links as { linkID: string }[]) put("operatorLinkMap", one.linkID, one);
    for (const one of commentBoxes as ReturnType<typeof box>[]) {
      const made = unified({ commentBoxID: one.commentBoxID, commentBoxPosition: one.commentBoxPosition }) as Y.Type;
      const comments = new Y.Type();
      comments.insert(0, one.comments as never);
      made.setAttr("comments" as never, comments as never);
      put("commentBoxMap", one.commentBoxID, made);
      put("elementPositionMap", one.commentBoxID, one.commentBoxPosition);
    }
    put("contentMeta", "settings", settings);
  });
  return doc;
}

const within = (doc: Y.Doc, operator: string, ...path: (string | number)[]): Y.Type =>
  [operator, "operatorProperties", ...path].reduce<Y.Type>(
    (at, step) => (typeof step === "number" ? at.get(step) : at.getAttr(step as never)) as Y.Type,
    doc.get("operatorIDMap"),
  );

describe("a document that 14 made", () => {
  test("is read by what is in its types, and is no news to anybody (P2, P14)", () => {
    const { headway, notices } = knowing([VERSIONS[0]]);
    const doc = madeBy14(VERSIONS[0]);
    notices.length = 0;
    bindYjs(headway, doc);
    expect(byId(onCanvas(headway))).toEqual(byId(VERSIONS[0]));
    expect(headway.getView().canvas.equalsHead).toBe(true);
    expect(notices).toEqual([]);
  });

  test("becomes any version in one transaction with our origin, and keeps its types (P1, P3)", () => {
    const { headway } = knowing([VERSIONS[1], VERSIONS[0]]);
    const doc = madeBy14(VERSIONS[0]);
    bindYjs(headway, doc);
    const updates: unknown[] = [];
    doc.on("update", (_, origin) => updates.push(origin));
    const types = [["file"], ["cols"], ["rows"], ["rows", 0], ["rows", 0, "name"], ["deep", "m"]] as const;
    const before = types.map((path) => within(doc, "scan", ...path));
    const item = within(doc, "scan", "cols", 1);

    goTo(headway, 0);

    expect(updates).toEqual([ORIGIN]);
    expect(byId(onCanvas(headway))).toEqual(byId(VERSIONS[1]));
    expect(types.map((path) => within(doc, "scan", ...path))).toEqual(before);
    expect(within(doc, "scan", "cols", 2)).toBe(item);
    expect(within(doc, "scan", "file").toString()).toBe("b.csv");
    goTo(headway, 1);
    expect(updates).toEqual([ORIGIN, ORIGIN]);
    expect(byId(onCanvas(headway))).toEqual(byId(VERSIONS[0]));
  });

  test("a text changes by one splice, around what a co-editor types (P3)", () => {
    const { headway } = knowing([VERSIONS[1], VERSIONS[0]]);
    const doc = madeBy14(VERSIONS[0]);
    bindYjs(headway, doc);
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(doc));
    within(other, "filter", "predicate").insert(0, "not " as never);

    goTo(headway, 0);
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(other), "network");

    expect(within(doc, "filter", "predicate").toString()).toBe("not age > 40");
    expect(headway.getView().canvas.equalsHead).toBe(false);
  });

  test("what is empty in it is what is empty in HEAD's content (P2)", () => {
    const empty = workflow(
      { a: { says: "", list: [], map: {}, rows: [{ says: "" }, "", []] } },
      { settings: { size: 1 } },
    );
    const { headway } = knowing([empty]);
    bindYjs(headway, madeBy14(empty));
    expect(byId(onCanvas(headway))).toEqual(byId(empty));
    expect(headway.getView().canvas.equalsHead).toBe(true);
  });

  test("what is empty and new to everybody is an object; a replay makes of it what it should be, in place", () => {
    const doc = madeBy14(VERSIONS[0]);
    const { headway } = knowing([VERSIONS[0]]);
    bindYjs(headway, doc);
    const type = new Y.Type();
    within(doc, "filter").setAttr("new" as never, type as never);
    const read = onCanvas(headway).operators.find(({ operatorID }) => operatorID === "filter");
    expect(read?.operatorProperties).toEqual({ predicate: "age > 30", new: {} });

    const { scan, filter } = { scan: VERSIONS[0].operators[0]!, filter: VERSIONS[0].operators[1]! };
    const named = { ...filter, operatorProperties: { ...filter.operatorProperties, new: "words" } };
    headway.receive(versioned([VERSIONS[0], { ...VERSIONS[0], operators: [scan, named] }]));
    void headway.syncCanvas();

    expect(within(doc, "filter", "new")).toBe(type);
    expect(type.toString()).toBe("words");
    expect(headway.getView().canvas.equalsHead).toBe(true);
  });

  test("a type with a name is nothing that a content has; keys beside items are told from them; a notice says so", () => {
    const doc = madeBy14(VERSIONS[0]);
    const { headway, notices } = knowing([VERSIONS[0]]);
    bindYjs(headway, doc);
    const mixed = new Y.Type();
    mixed.setAttr("k" as never, 1 as never);
    within(doc, "filter").setAttr("named" as never, new Y.Type("paragraph" as never) as never);
    within(doc, "filter").setAttr("mixed" as never, mixed as never);
    mixed.insert(0, "words" as never);
    const read = onCanvas(headway).operators.find(({ operatorID }) => operatorID === "filter");
    expect(read?.operatorProperties).toEqual({ predicate: "age > 30", named: null, mixed: { k: 1 } });
    goTo(headway, 0);
    expect(notices.map(({ code }) => code)).toContain("canvas_foreign");
    expect(byId(onCanvas(headway))).toEqual(byId(VERSIONS[0]));
  });
});

describe("documents of 13 and of 14 that are one", () => {
  test("what 13 and Headway made is what it is in 14, too, and 14 edits it (P3, P12)", () => {
    const { headway: first, doc: made } = live(VERSIONS);
    const doc = new Y.Doc();
    Y.applyUpdate(doc, Y13.encodeStateAsUpdate(made));
    const { headway } = knowing(VERSIONS);
    bindYjs(headway, doc);
    expect(headway.getView().canvas.equalsHead).toBe(true);

    within(doc, "filter", "predicate").insert(0, "not " as never);
    within(doc, "scan", "cols").insert(1, [7] as never);
    within(doc, "scan", "rows", 0).setAttr("n" as never, 5 as never);
    Y13.applyUpdate(made, Y.encodeStateAsUpdate(doc), "network");

    const { scan, filter } = Object.fromEntries(
      onCanvas(headway).operators.map(({ operatorID, operatorProperties }) => [operatorID, operatorProperties]),
    );
    expect(filter).toEqual({ predicate: "not age > 40" });
    expect(scan).toMatchObject({ cols: ["x", 7, "new", "y"], rows: [{ name: "s", n: 5 }] });
    expect(byId(onCanvas(first))).toEqual(byId(onCanvas(headway)));

    for (const one of [first, headway]) goTo(one, 0);
    const updates = [Y.encodeStateAsUpdate(doc), Y13.encodeStateAsUpdate(made)] as const;
    Y13.applyUpdate(made, updates[0], "network");
    Y.applyUpdate(doc, updates[1], "network");
    expect(byId(onCanvas(first))).toEqual(byId(onCanvas(headway)));
    expect(byId(onCanvas(first))).toEqual(contentOf(made));
  });

  test("what 14 makes is nothing for who edits with 13: it is told, and a replay there puts it right for both", () => {
    const { headway: first, doc: made, notices } = live(VERSIONS);
    const doc = new Y.Doc();
    Y.applyUpdate(doc, Y13.encodeStateAsUpdate(made));
    within(doc, "filter").setAttr("predicate" as never, unified("age > 50") as never);
    Y13.applyUpdate(made, Y.encodeStateAsUpdate(doc), "network");
    expect(onCanvas(first).operators.map(({ operatorProperties }) => operatorProperties)).toContainEqual({
      predicate: null,
    });
    goTo(first, 1);
    expect(notices.map(({ code }) => code)).toContain("canvas_foreign");
    expect(shown(made)["filter"]).toEqual({ predicate: "age > 40" });
    Y.applyUpdate(doc, Y13.encodeStateAsUpdate(made));
    expect(within(doc, "filter", "predicate").toString()).toBe("age > 40");
  });

  test("what the engine knows of 14's document is what 14 knows, byte by byte both ways", () => {
    const { headway } = knowing(VERSIONS);
    const doc = madeBy14(VERSIONS[0]);
    bindYjs(headway, doc);
    void headway.syncCanvas();
    within(doc, "filter", "predicate").delete(0, 3);
    const mirror = new Y.Doc();
    Y.applyUpdate(mirror, headway.document.encodeDiff());
    expect(Y.decodeStateVector(headway.document.stateVector())).toEqual(Y.decodeStateVector(Y.encodeStateVector(doc)));
    expect(mirror.get("operatorIDMap").toJSON()).toEqual(doc.get("operatorIDMap").toJSON());
  });

  test("`headway/yjs` binds a document of 14, too, when it is told the module", () => {
    const { headway } = knowing(VERSIONS);
    const doc = madeBy14(VERSIONS[0]);
    const unbind = yjs.bindYjs(headway, doc, { Y });
    void headway.syncCanvas();
    expect(byId(onCanvas(headway))).toEqual(byId(VERSIONS[1]));
    expect(yjs.ORIGIN).toBe(ORIGIN);
    unbind();
  });
});
