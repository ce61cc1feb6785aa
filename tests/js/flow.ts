/** Contents of the schema `react-flow`, and flows on which edits are applied by React Flow itself. */
import { applyEdgeChanges, applyNodeChanges, type Edge, type Node } from "@xyflow/react";
import type { Edit, Headway } from "headway";
import { toContent, toEdgeChanges, toNodeChanges } from "headway/react-flow";
import { knowing } from "./canvas-doc.js";

/** What there is of a flow. */
export interface Flow {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

export const node = (id: string, data: Record<string, unknown> = {}, more: Partial<Node> = {}): Node => ({
  id,
  position: { x: 0, y: 0 },
  data,
  ...more,
});

export const edge = (id: string, source: string, target: string, more: Partial<Edge> = {}): Edge => ({
  id,
  source,
  target,
  ...more,
});

export const flow = (nodes: readonly Node[], edges: readonly Edge[] = []): Flow => ({ nodes, edges });

/** What the edits make of a flow, by React Flow's own hand. */
export const applied = (edits: readonly Edit[], { nodes, edges }: Flow): Flow => ({
  nodes: applyNodeChanges(toNodeChanges(edits, nodes), [...nodes]),
  edges: applyEdgeChanges(toEdgeChanges(edits, edges), [...edges]),
});

/** The edits between two contents. */
export function editsBetween(a: object, b: object): readonly Edit[] {
  const { headway } = knowing([a, b], { schema: "react-flow" });
  const edits = headway.diff("v0", "v1");
  headway.free();
  return edits;
}

/** A store of a flow, as zustand makes them. */
export function storeOf(start: Flow) {
  let state = start;
  return {
    getState: () => state,
    setState: (next: (state: Flow) => Partial<Flow>) => void (state = { ...state, ...next(state) }),
  };
}

/** A store that is bound as the canvas, as the README does it. */
export function boundStore(headway: Headway) {
  const store = storeOf(flow([]));
  headway.bindCanvas({
    read: () => JSON.stringify(toContent(store.getState())),
    apply: (edits) => store.setState((state) => applied(edits, state)),
  });
  return store;
}
