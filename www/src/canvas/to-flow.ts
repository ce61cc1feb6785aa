/**
 * From the workflow to what React Flow draws. What has not changed keeps its identity from one drawing to the next, so
 * that an agent's step that touches one operator draws one operator.
 */
import type { Edge } from "@xyflow/react";
import type { Point, WorkflowView } from "../workflow.ts";
import type { CanvasNode } from "./nodes.tsx";

export interface Flow {
  readonly nodes: readonly CanvasNode[];
  readonly edges: Edge[];
}

export const NO_FLOW: Flow = { nodes: [], edges: [] };

export function toFlow(workflow: WorkflowView, last: Flow): Flow {
  const lastNodes = new Map(last.nodes.map((node) => [node.id, node]));
  const lastEdges = new Map(last.edges.map((edge) => [edge.id, edge]));
  const operators = workflow.operators.map((operator, index): CanvasNode => {
    // One without a place is set aside, never on top of another.
    const position = workflow.positions.get(operator.id) ?? { x: 40 + 40 * index, y: -120 };
    return kept(lastNodes.get(operator.id), { id: operator.id, type: "operator", position, data: { operator } });
  });
  const comments = workflow.comments.map((comment): CanvasNode =>
    kept(lastNodes.get(comment.id), { id: comment.id, type: "comment", position: comment.position, data: { comment } }),
  );
  const edges = workflow.links.map((link): Edge => {
    const edge: Edge = {
      // A link id is used again for other ends; with the ends in it, an edge is an edge.
      id: `${link.id} ${link.source.operator} ${link.target.operator}`,
      source: link.source.operator,
      sourceHandle: link.source.port,
      target: link.target.operator,
      targetHandle: link.target.port,
      data: { link: link.id },
    };
    const old = lastEdges.get(edge.id);
    return old && JSON.stringify(old) === JSON.stringify(edge) ? old : edge;
  });
  return { nodes: [...operators, ...comments], edges };
}

/** The old node when it says the same, else the new one with whatever of the old one's is still right. */
function kept(old: CanvasNode | undefined, made: CanvasNode): CanvasNode {
  if (!old || old.type !== made.type) return made;
  const isSameData = JSON.stringify(old.data) === JSON.stringify(made.data);
  if (isSameData && isSamePlace(old.position, made.position)) return old;
  return { ...made, data: isSameData ? old.data : made.data } as CanvasNode;
}

export const isSamePlace = (a: Point, b: Point): boolean => a.x === b.x && a.y === b.y;
