/** Small workflows, sessions that have them as versions, and documents that they are put on. */
import * as Y from "yjs";
import { Headway, type HeadwayOptions } from "headway";
import { bindYjs, type BindOptions } from "headway/yjs";
import { headChange, snapshot } from "./fixtures.js";
import { blank } from "./scene.js";

export interface Operator {
  readonly operatorID: string;
  readonly operatorType: string;
  readonly operatorProperties: Readonly<Record<string, unknown>>;
}

export interface Content {
  readonly operators: readonly Operator[];
  readonly operatorPositions: Readonly<Record<string, { readonly x: number; readonly y: number }>>;
  readonly links: readonly unknown[];
  readonly commentBoxes: readonly unknown[];
  readonly settings?: unknown;
}

/** Operators by their properties, each at its place in the row. */
export function workflow(operators: Record<string, Record<string, unknown>>, more: Partial<Content> = {}): Content {
  const ids = Object.keys(operators);
  return {
    operators: ids.map((id) => ({ operatorID: id, operatorType: "Any", operatorProperties: operators[id] ?? {} })),
    operatorPositions: Object.fromEntries(ids.map((id, at) => [id, { x: 10 * at, y: 0 }])),
    links: [],
    commentBoxes: [],
    ...more,
  };
}

export const box = (id: string, x: number, ...comments: string[]) => ({
  commentBoxID: id,
  comments: comments.map((content) => ({ content, creationTime: "t", creatorName: "ada", creatorID: 1 })),
  commentBoxPosition: { x, y: 0 },
});

export const link = (id: string, from: string, to: string) => ({
  linkID: id,
  source: { operatorID: from, portID: "o" },
  target: { operatorID: to, portID: "i" },
});

/** Each version is what a turn of its own left behind: `v0`, `v1`, … */
export function versioned(versions: readonly unknown[], head = versions.length - 1, more: object = {}): string {
  const steps = versions.map((content, at) => ({
    id: `v${at}`,
    parentId: at === 0 ? "step-initial" : `v${at - 1}`,
    messageId: `t${at}`,
    role: "agent",
    content: "",
    afterWorkflowContent: content,
  }));
  return snapshot(steps, `v${head}`, { canRedo: true, ...more });
}

/** Somebody moved HEAD to a version. */
export const movedTo = (headway: Headway, version: number | string) =>
  headway.receive(headChange(typeof version === "string" ? version : `v${version}`));

/** The person here asked for a version, and for nothing else to be on the canvas. */
export function goTo(headway: Headway, version: number | string): void {
  // Refused when something else is in flight: then it is somebody else's.
  headway.redo().catch(() => {});
  movedTo(headway, version);
}

/** A Headway that knows the versions, bound to a document that shows the last of them. */
export function live(versions: readonly unknown[], { doc = new Y.Doc(), ...how }: { doc?: Y.Doc } & BindOptions = {}) {
  const all = knowing(versions);
  const unbind = bindYjs(all.headway, doc, how);
  // What it does is done when it returns.
  void all.headway.syncCanvas();
  all.notices.length = 0;
  return { ...all, doc, unbind };
}

export function knowing(versions: readonly unknown[], options: HeadwayOptions = {}) {
  const all = blank(options);
  all.headway.receive(versioned(versions));
  return all;
}

/** The same with an undo manager that never merges two edits of its own accord into two items: by time it would always. */
export function undoable(versions: readonly unknown[], options: ConstructorParameters<typeof Y.UndoManager>[1] = {}) {
  const doc = new Y.Doc();
  const undoManager = new Y.UndoManager(rootsOf(doc), { captureTimeout: 1e9, ...options });
  return { ...live(versions, { doc, undoManager }), undoManager };
}

export const ROOTS = ["operatorIDMap", "elementPositionMap", "operatorLinkMap", "commentBoxMap", "contentMeta"];

export const rootsOf = (doc: Y.Doc): Y.Map<unknown>[] => ROOTS.map((name) => doc.getMap(name));

export const operator = (doc: Y.Doc, id: string) => doc.getMap<Y.Map<unknown>>("operatorIDMap").get(id)!;

export const properties = (doc: Y.Doc, id: string) => operator(doc, id).get("operatorProperties") as Y.Map<unknown>;

export const text = (doc: Y.Doc, id: string, name: string) => properties(doc, id).get(name) as Y.Text;

export const list = (doc: Y.Doc, id: string, name: string) => properties(doc, id).get(name) as Y.Array<unknown>;

export const position = (doc: Y.Doc, id: string) => doc.getMap("elementPositionMap").get(id);

/** The properties of every operator. */
export function shown(doc: Y.Doc): Record<string, unknown> {
  const operators = doc.getMap<Y.Map<unknown>>("operatorIDMap").toJSON() as Record<string, Operator>;
  return Object.fromEntries(Object.entries(operators).map(([id, { operatorProperties }]) => [id, operatorProperties]));
}

/** All that is in the root maps. */
export const everything = (doc: Y.Doc) =>
  Object.fromEntries(rootsOf(doc).map((root, at) => [ROOTS[at], root.toJSON()]));

/** What is told to the listeners of a document from now on: the origin of each update and how long it is. */
export function heard(doc: Y.Doc) {
  const updates: { origin: unknown; bytes: number }[] = [];
  doc.on("update", (update: Uint8Array, origin: unknown) => updates.push({ origin, bytes: update.length }));
  return updates;
}

/** Everything that one document has goes to the others, and what an engine has to say to that (P8). */
export function exchange(...docs: Y.Doc[]): void {
  for (const _ of docs) {
    for (const from of docs) {
      for (const to of docs) {
        if (from !== to) Y.applyUpdate(to, Y.encodeStateAsUpdate(from, Y.encodeStateVector(to)), "network");
      }
    }
  }
}

/** The content on the canvas as the engine has it. */
export const onCanvas = (headway: Headway) => JSON.parse(headway.content("canvas") ?? "") as Content;

/**
 * A content as a document can tell it. In one of @y/y 14 nobody can tell an empty text from an empty list or map: Headway says what was
 * there before.
 */
function told(content: unknown): unknown {
  if (!("isUnified" in Y)) return content;
  const isEmpty = (value: unknown) =>
    value === "" || (typeof value === "object" && Object.keys(value ?? [0]).length === 0);
  return JSON.parse(JSON.stringify(content, (_, value: unknown) => (isEmpty(value) ? {} : value)));
}

type Entities = Record<string, Record<string, unknown>>;

/** What a document says its content is: by id, since a map has no order. */
export function contentOf(doc: Y.Doc): unknown {
  const [operators, positions, links, boxes, meta] = rootsOf(doc).map((root) => root.toJSON()) as [
    Entities,
    Record<string, unknown>,
    Entities,
    Entities,
    Record<string, unknown>,
  ];
  const withId = (entities: Entities, field: string) =>
    Object.fromEntries(Object.entries(entities).map(([id, entity]) => [id, { ...entity, [field]: id }]));
  const placed = Object.entries(withId(boxes, "commentBoxID")).map(([id, one]) =>
    id in positions ? [id, { ...one, commentBoxPosition: positions[id] }] : [id, one],
  );
  return told({
    operators: withId(operators, "operatorID"),
    operatorPositions: Object.fromEntries(Object.entries(positions).filter(([id]) => !(id in boxes))),
    links: withId(links, "linkID"),
    commentBoxes: Object.fromEntries(placed),
    ...("settings" in meta ? { settings: meta["settings"] } : {}),
  });
}

/** The same of a content. */
export function byId(content: Content): unknown {
  const keyed = (list: readonly unknown[], field: string) =>
    Object.fromEntries((list as Record<string, string>[]).map((one) => [one[field], one]));
  return told({
    operators: keyed(content.operators, "operatorID"),
    operatorPositions: content.operatorPositions,
    links: keyed(content.links, "linkID"),
    commentBoxes: keyed(content.commentBoxes, "commentBoxID"),
    ...("settings" in content ? { settings: content.settings } : {}),
  });
}
