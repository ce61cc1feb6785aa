/** What stands on the canvas: operators and comments. Each draws again only when its own data changes. */
import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { createContext, memo, useContext, useSyncExternalStore } from "react";
import { summaryOf } from "../../shared/operator-words.ts";
import type { Collaboration } from "../collaboration.ts";
import type { CommentView, OperatorView, PortView } from "../workflow.ts";
import { familyOf, OperatorIcon, typeName } from "./families.tsx";

export type OperatorNode = Node<{ operator: OperatorView }, "operator">;
export type CommentNode = Node<{ comment: CommentView }, "comment">;
export type CanvasNode = OperatorNode | CommentNode;

/** Who else is on the canvas. */
export const Others = createContext<Collaboration | undefined>(undefined);

/** Tells that somebody else has this selected. */
function Held({ id }: { id: string }) {
  const others = useContext(Others);
  const holder = useSyncExternalStore(others?.subscribe ?? nobody, () => others?.holderOf(id));
  if (!holder) return null;
  return (
    <span className="held" style={{ color: holder.colour }}>
      <span className="held-name" style={{ background: holder.colour }}>
        {holder.name}
      </span>
    </span>
  );
}

const nobody = () => () => undefined;

function Ports({ ports, side }: { ports: readonly PortView[]; side: "in" | "out" }) {
  return ports.map((port, index) => (
    <Handle
      key={port.id}
      id={port.id}
      type={side === "in" ? "target" : "source"}
      position={side === "in" ? Position.Left : Position.Right}
      style={{ top: `${((index + 1) * 100) / (ports.length + 1)}%` }}
      title={port.name}
    />
  ));
}

const Operator = memo(function Operator({ data: { operator }, selected }: NodeProps<OperatorNode>) {
  const summary = summaryOf(operator.type, operator.properties);
  const kind = typeName(operator.type);
  const state = `${selected ? " is-selected" : ""}${operator.isDisabled ? " is-disabled" : ""}`;
  return (
    <div
      className={`operator family-${familyOf(operator.type)}${state}`}
      data-testid={`node-${operator.id}`}
      title={`${operator.id} · ${kind}`}
    >
      <Ports ports={operator.inputs} side="in" />
      <span className="operator-icon">
        <OperatorIcon type={operator.type} />
      </span>
      <span className="operator-words">
        <span className="operator-name">{operator.name}</span>
        {/* Another key draws the line anew, so that it lights up when it has changed. */}
        <span key={summary} className="operator-summary">
          {summary || kind}
        </span>
      </span>
      <Held id={operator.id} />
      {operator.isDisabled && <span className="operator-badge">off</span>}
      <Ports ports={operator.outputs} side="out" />
    </div>
  );
});

const Comment = memo(function Comment({ data: { comment }, selected }: NodeProps<CommentNode>) {
  return (
    <div className={`comment${selected ? " is-selected" : ""}`} data-testid={`comment-${comment.id}`}>
      {comment.text}
      <Held id={comment.id} />
    </div>
  );
});

export const NODE_TYPES = { operator: Operator, comment: Comment };
