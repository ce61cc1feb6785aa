/** What stands on the canvas: operators and comments. Each draws again only when its own data changes. */
import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { memo } from "react";
import { summaryOf } from "../../shared/operator-words.ts";
import type { CommentView, OperatorView, PortView } from "../workflow.ts";
import { familyOf, OperatorIcon, typeName } from "./families.tsx";

export type OperatorNode = Node<{ operator: OperatorView }, "operator">;
export type CommentNode = Node<{ comment: CommentView }, "comment">;
export type CanvasNode = OperatorNode | CommentNode;

function Ports({ ports, side }: { ports: readonly PortView[]; side: "in" | "out" }) {
  return ports.map((port, index) => (
    <Handle
      key={port.id}
      id={port.id}
      type={side === "in" ? "target" : "source"}
      position={side === "in" ? Position.Left : Position.Right}
      isConnectable={false}
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
      {operator.isDisabled && <span className="operator-badge">off</span>}
      <Ports ports={operator.outputs} side="out" />
    </div>
  );
});

const Comment = memo(function Comment({ data: { comment } }: NodeProps<CommentNode>) {
  return (
    <div className="comment" data-testid={`comment-${comment.id}`}>
      {comment.text}
    </div>
  );
});

export const NODE_TYPES = { operator: Operator, comment: Comment };
