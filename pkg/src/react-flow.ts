/**
 * `headway/react-flow`: edits as the changes that React Flow's `applyNodeChanges` and `applyEdgeChanges` take (P10), and the content of
 * a flow, without what is the user's own (P11).
 *
 * For the schema `react-flow`. There is no React in it and no engine: edits and nodes go in, changes come out, nothing is kept.
 */
import { contentOf, edited, type Entity } from "./entities.js";
import { longestRising } from "./rising.js";
import type { Edit } from "./types.js";

/** A node of React Flow 12, as far as it matters here: any `Node` of yours is one. */
export interface FlowNode extends Entity {
  readonly position: { readonly x: number; readonly y: number };
}

/** An edge of React Flow 12, as far as it matters here: any `Edge` of yours is one. */
export type FlowEdge = Entity;

const NODES = { collection: "nodes", ofTheUser: ["selected", "dragging", "resizing", "measured"] } as const;
const EDGES = { collection: "edges", ofTheUser: ["selected"] } as const;

/** What can happen to an edge: an `EdgeChange` of React Flow. */
export type FlowEdgeChange<E extends Entity> =
  { type: "add"; item: E; index: number } | { type: "remove"; id: string } | { type: "replace"; id: string; item: E };

/** What can happen to a node: a `NodeChange` of React Flow. */
export type FlowNodeChange<N extends Entity> =
  FlowEdgeChange<N> | { type: "position"; id: string; position: { x: number; y: number } };

/**
 * The changes that `applyNodeChanges(changes, nodes)` takes to do what the edits say. `nodes` are those on the canvas now.
 *
 * A node that only moves is a `position`; one that changes is a `replace` by a node that has everything of the old one which the edits do
 * not name: your own fields and functions, and always whether it is selected, dragged or resized, and how large it is (P11). One that
 * stands elsewhere in the list is a `remove` and an `add`, and as few as possible are; every other node has one change at most, and without
 * one stays the same object. Edits of other collections are passed over.
 *
 * Throws `invalid_argument` when an edit does not fit the nodes; then nothing has been changed.
 */
export function toNodeChanges<N extends FlowNode>(edits: readonly Edit[], nodes: readonly N[]): FlowNodeChange<N>[] {
  return changesBetween(nodes, edited(NODES, edits, nodes), (id, before, after) =>
    isOnlyMoved(before, after)
      ? { type: "position", id, position: after.position }
      : { type: "replace", id, item: after },
  );
}

/**
 * The changes that `applyEdgeChanges(changes, edges)` takes to do what the edits say. `edges` are those on the canvas now. As
 * {@link toNodeChanges} in everything else.
 */
export function toEdgeChanges<E extends FlowEdge>(edits: readonly Edit[], edges: readonly E[]): FlowEdgeChange<E>[] {
  return changesBetween(edges, edited(EDGES, edits, edges), (id, _, item) => ({ type: "replace", id, item }));
}

/** A node or an edge without the fields that are the user's; of a union of types, each of them. */
type Without<E, K extends PropertyKey> = E extends unknown ? Omit<E, K> : never;

/** What there is of a node in a content. */
export type NodeContent<N extends FlowNode> = Without<N, (typeof NODES.ofTheUser)[number]>;

/** What there is of an edge in a content. */
export type EdgeContent<E extends FlowEdge> = Without<E, (typeof EDGES.ofTheUser)[number]>;

/**
 * The content of a flow: its nodes and edges without what React Flow keeps on them for the user (P11), which is what is selected, what is
 * being dragged or resized, and how large each turned out. With that in it, a click would be an edit by hand.
 *
 * Takes a store's state or `reactFlow.toObject()` as it is: nothing else of it is looked at. The viewport is the user's as well.
 */
export function toContent<N extends FlowNode, E extends FlowEdge>(flow: {
  readonly nodes: readonly N[];
  readonly edges: readonly E[];
}): { nodes: NodeContent<N>[]; edges: EdgeContent<E>[] } {
  return {
    nodes: flow.nodes.map((node) => contentOf(NODES, node) as NodeContent<N>),
    edges: flow.edges.map((edge) => contentOf(EDGES, edge) as EdgeContent<E>),
  };
}

/**
 * From one list to another. React Flow does removals and replacements first and then the additions, one after the other; so each `index`
 * is the place in the list at the end.
 */
function changesBetween<E extends Entity, C>(
  before: readonly E[],
  after: readonly E[],
  changeOf: (id: string, before: E, after: E) => C,
): (C | FlowEdgeChange<E>)[] {
  if (before === after) return [];
  const old = new Map(before.map((entity, at) => [entity.id, { entity, at }]));
  const both = after.flatMap(({ id }) => old.get(id) ?? []);
  const run = longestRising(both.map(({ at }) => at));
  const staying = new Map(both.filter((_, at) => run.has(at)).map(({ entity }) => [entity.id, entity]));

  const gone = before.filter(({ id }) => !staying.has(id)).map(({ id }) => ({ type: "remove" as const, id }));
  const changed: C[] = [];
  const come: FlowEdgeChange<E>[] = [];
  for (const [index, item] of after.entries()) {
    const there = staying.get(item.id);
    if (!there) come.push({ type: "add", item, index });
    else if (differingFields(there, item).length > 0) changed.push(changeOf(item.id, there, item));
  }
  return [...gone, ...changed, ...come];
}

/** The names of the fields in which two entities differ. */
function differingFields(a: Entity, b: Entity): string[] {
  if (a === b) return [];
  const [one, other] = [a, b] as unknown as Record<string, unknown>[];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter(
    (name) => !Object.is(one![name], other![name]) || Object.hasOwn(a, name) !== Object.hasOwn(b, name),
  );
}

const isOnlyMoved = (a: Entity, b: FlowNode) =>
  differingFields(a, b).every((name) => name === "position") && isPoint(b.position);

/** An edit can put anything where a position was. */
const isPoint = (position: { readonly x: unknown; readonly y: unknown } | undefined) =>
  typeof position?.x === "number" && typeof position.y === "number";
