/** The nodes on screen: they follow the document, gliding to new places, and the person who drags them. */
import { applyNodeChanges, type NodeChange } from "@xyflow/react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Point } from "../workflow.ts";
import type { CanvasNode } from "./nodes.tsx";
import { isSamePlace } from "./to-flow.ts";

const GLIDE_MS = 260;

export function useGlidingNodes(wanted: readonly CanvasNode[]) {
  const [nodes, setNodes] = useState<CanvasNode[]>([]);
  const shown = useRef<CanvasNode[]>([]);
  const frame = useRef(0);

  const show = useCallback((change: (nodes: CanvasNode[]) => CanvasNode[]) => {
    shown.current = change(shown.current);
    setNodes(shown.current);
  }, []);

  useEffect(() => {
    cancelAnimationFrame(frame.current);
    const from = new Map<string, Point>();
    show((current) => {
      const byId = new Map(current.map((node) => [node.id, node]));
      return wanted.map((node) => {
        const old = byId.get(node.id);
        if (!old) return node;
        // What React Flow has found out about a node (its size, its selection) outlives a change of its data.
        const merged = old.data === node.data ? old : ({ ...old, data: node.data } as CanvasNode);
        if (old.dragging || isSamePlace(old.position, node.position)) return merged;
        if (isStill()) return { ...merged, position: node.position };
        from.set(node.id, old.position);
        return merged;
      });
    });
    if (from.size === 0) return;

    const targets = new Map(wanted.map((node) => [node.id, node.position]));
    const began = performance.now();
    const glide = (now: number) => {
      const done = Math.min(1, (now - began) / GLIDE_MS);
      const eased = 1 - (1 - done) ** 3;
      show((current) =>
        current.map((node) => {
          const start = from.get(node.id);
          const end = targets.get(node.id);
          if (!start || !end || node.dragging) return node;
          const position = { x: start.x + (end.x - start.x) * eased, y: start.y + (end.y - start.y) * eased };
          return { ...node, position };
        }),
      );
      if (done < 1) frame.current = requestAnimationFrame(glide);
    };
    frame.current = requestAnimationFrame(glide);
    return () => cancelAnimationFrame(frame.current);
  }, [wanted, show]);

  const onNodesChange = useCallback(
    (changes: NodeChange<CanvasNode>[]) => show((current) => applyNodeChanges(changes, current)),
    [show],
  );
  return { nodes, onNodesChange };
}

const isStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
