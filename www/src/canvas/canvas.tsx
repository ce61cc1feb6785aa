/** The live canvas. It shows the page's document; the document is the truth, and the picture follows. */
import {
  Background,
  BackgroundVariant,
  Controls,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useNodesInitialized,
  useReactFlow,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "../use-headway.ts";
import type { Workbench } from "../workbench.ts";
import { EmptyCanvas } from "./empty-canvas.tsx";
import { familyOf } from "./families.tsx";
import { NODE_TYPES, type CanvasNode } from "./nodes.tsx";
import { NO_FLOW, toFlow, type Flow } from "./to-flow.ts";
import { useGlidingNodes } from "./use-gliding-nodes.ts";

/** A map of the canvas helps when there is more on it than one sees at a glance. */
const MINIMAP_FROM = 12;
const FIT = { padding: 0.18, maxZoom: 1.1, duration: 300 };

interface Props {
  workbench: Workbench;
  isBusy: boolean;
  onExample: (prompt: string) => void;
}

export function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Flowing {...props} />
    </ReactFlowProvider>
  );
}

function Flowing({ workbench, isBusy, onExample }: Props) {
  const { workflow } = useStore(workbench.canvas);
  const last = useRef<Flow>(NO_FLOW);
  const flow = useMemo(() => (last.current = toFlow(workflow, last.current)), [workflow]);
  const { nodes, onNodesChange } = useGlidingNodes(flow.nodes);
  const { letGo, takeOver } = useAutoFit(flow.nodes);

  const onDragStop = useCallback(
    (_: unknown, __: unknown, moved: CanvasNode[]) => {
      const rounded = moved.map(
        ({ id, position }) => [id, { x: Math.round(position.x), y: Math.round(position.y) }] as const,
      );
      workbench.canvas.move(new Map(rounded));
    },
    [workbench],
  );

  const isEmpty = flow.nodes.length === 0;
  return (
    <main className={`canvas${isBusy ? " is-busy" : ""}`} aria-label="Canvas" data-testid="canvas">
      <ReactFlow<CanvasNode>
        nodes={nodes}
        edges={flow.edges}
        nodeTypes={NODE_TYPES}
        onNodesChange={onNodesChange}
        onNodeDragStop={onDragStop}
        onMoveStart={(event) => event && letGo()}
        nodesConnectable={false}
        deleteKeyCode={null}
        minZoom={0.15}
        maxZoom={2}
        // Thousands of operators stay quick when only those in sight are drawn.
        onlyRenderVisibleElements={flow.nodes.length > 300}
      >
        <Background variant={BackgroundVariant.Dots} gap={22} size={1.4} />
        {!isEmpty && <Controls showInteractive={false} onFitView={takeOver} fitViewOptions={FIT} />}
        {flow.nodes.length >= MINIMAP_FROM && (
          <MiniMap<CanvasNode>
            pannable
            zoomable
            nodeClassName={(node) => (node.type === "operator" ? `family-${familyOf(node.data.operator.type)}` : "")}
          />
        )}
      </ReactFlow>
      {isEmpty && !isBusy && <EmptyCanvas onExample={onExample} />}
    </main>
  );
}

/** Keeps everything in sight while it grows, until the person takes the view in hand. */
function useAutoFit(nodes: readonly CanvasNode[]) {
  const { fitView } = useReactFlow();
  const isReady = useNodesInitialized();
  const [isOn, setOn] = useState(true);
  const shape = nodes.map(({ id, position }) => `${id}@${position.x},${position.y}`).join(" ");
  useEffect(() => {
    if (shape === "") setOn(true);
    if (!isOn || !isReady || shape === "") return;
    // The targets are known, the nodes may still be gliding to them.
    const timer = setTimeout(() => void fitView(FIT), 280);
    return () => clearTimeout(timer);
  }, [shape, isOn, isReady, fitView]);
  return { letGo: () => setOn(false), takeOver: () => setOn(true) };
}
