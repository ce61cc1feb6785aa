/** The live canvas. It shows the shared document, which is the truth; what a person does here goes there first. */
import {
  Background,
  BackgroundVariant,
  Controls,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useNodesInitialized,
  useReactFlow,
  type Connection,
  type Edge,
  type EdgeChange,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "../use-headway.ts";
import type { Workbench } from "../workbench.ts";
import type { EndView } from "../workflow.ts";
import { EmptyCanvas } from "./empty-canvas.tsx";
import { familyOf } from "./families.tsx";
import { Inspector } from "./inspector.tsx";
import { NODE_TYPES, Others, type CanvasNode } from "./nodes.tsx";
import { NO_FLOW, toFlow, type Flow } from "./to-flow.ts";
import { useGlidingNodes } from "./use-gliding-nodes.ts";

/** A map of the canvas helps when there is more on it than one sees at a glance. */
const MINIMAP_FROM = 12;
const FIT = { padding: 0.18, maxZoom: 1.1, duration: 300 };

const DELETE_KEYS = ["Delete", "Backspace"];

interface Props {
  workbench: Workbench;
  isBusy: boolean;
  onExample: (prompt: string) => void;
}

export function Canvas(props: Props) {
  return (
    <ReactFlowProvider>
      <Others value={props.workbench.collaboration}>
        <Flowing {...props} />
      </Others>
    </ReactFlowProvider>
  );
}

function Flowing({ workbench, isBusy, onExample }: Props) {
  const { workflow } = useStore(workbench.canvas);
  const last = useRef<Flow>(NO_FLOW);
  const flow = useMemo(() => (last.current = toFlow(workflow, last.current)), [workflow]);
  const { nodes, onNodesChange } = useGlidingNodes(flow.nodes);
  const { letGo, takeOver } = useAutoFit(flow.nodes);

  const { edges, onEdgesChange } = useSelectableEdges(flow.edges);
  const { canvas, collaboration } = workbench;

  const onDragStop = useCallback(
    (_: unknown, __: unknown, moved: CanvasNode[]) => {
      const rounded = moved.map(
        ({ id, position }) => [id, { x: Math.round(position.x), y: Math.round(position.y) }] as const,
      );
      canvas.move(new Map(rounded));
    },
    [canvas],
  );
  const onDelete = useCallback(
    ({ nodes, edges }: { nodes: readonly CanvasNode[]; edges: readonly Edge[] }) =>
      canvas.remove(
        nodes.map(({ id }) => id),
        edges.map(({ data }) => String(data?.link)),
      ),
    [canvas],
  );
  const onConnect = useCallback((made: Connection) => canvas.connect(...endsOf(made)), [canvas]);
  const canConnect = useCallback((made: Connection | Edge) => canvas.canConnect(...endsOf(made)), [canvas]);
  const [selected, setSelected] = useState<readonly string[]>([]);
  const onSelect = useCallback(
    ({ nodes }: { nodes: readonly CanvasNode[] }) => {
      const ids = nodes.map(({ id }) => id);
      setSelected(ids);
      collaboration.select(ids);
    },
    [collaboration],
  );
  const inspected = selected.length === 1 ? workflow.operators.find(({ id }) => id === selected[0]) : undefined;

  const isEmpty = flow.nodes.length === 0;
  return (
    <main className={`canvas${isBusy ? " is-busy" : ""}`} aria-label="Canvas" data-testid="canvas">
      <ReactFlow<CanvasNode>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onNodesChange={onNodesChange}
        onNodeDragStop={onDragStop}
        onMoveStart={(event) => event && letGo()}
        onEdgesChange={onEdgesChange}
        onDelete={onDelete}
        onConnect={onConnect}
        isValidConnection={canConnect}
        onSelectionChange={onSelect}
        deleteKeyCode={DELETE_KEYS}
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
      {inspected && <Inspector key={inspected.id} canvas={canvas} operator={inspected} />}
      {isEmpty && !isBusy && <EmptyCanvas onExample={onExample} />}
    </main>
  );
}

/** Links can be selected, and deleted then. */
function useSelectableEdges(wanted: readonly Edge[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const onEdgesChange = useCallback((changes: readonly EdgeChange[]) => {
    setSelected((before) => {
      const now = new Set(before);
      for (const change of changes) {
        if (change.type !== "select") continue;
        if (change.selected) now.add(change.id);
        else now.delete(change.id);
      }
      return now;
    });
  }, []);
  const edges = useMemo(
    () => wanted.map((edge) => (selected.has(edge.id) ? { ...edge, selected: true } : edge)),
    [wanted, selected],
  );
  return { edges, onEdgesChange };
}

function endsOf({ source, sourceHandle, target, targetHandle }: Connection | Edge): [EndView, EndView] {
  return [
    { operator: source, port: sourceHandle ?? "" },
    { operator: target, port: targetHandle ?? "" },
  ];
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
