/** What the agent's tool calls did, one short line each. */
import type { Headway, Step, ToolCall } from "headway";
import { summaryOf } from "../../shared/operator-words.ts";
import { typeName } from "../canvas/families.tsx";
import { readOperators, type OperatorView } from "../workflow.ts";

export interface ToolLine {
  readonly key: string;
  readonly mark: "add" | "change" | "delete" | "link" | "look" | "other";
  readonly verb: string;
  readonly what: string;
  readonly detail: string;
  readonly failed: boolean;
  readonly call: ToolCall;
  readonly output: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** A step never changes without becoming another object, so what was worked out for it stays right. */
const made = new WeakMap<Step, readonly ToolLine[]>();

export function toolLines(headway: Headway, step: Step): readonly ToolLine[] {
  const known = made.get(step);
  if (known) return known;
  const operators = step.toolCalls?.length ? operatorsBefore(headway, step) : new Map<string, OperatorView>();
  const lines = (step.toolCalls ?? []).map((call, index) => line(call, step, index, operators));
  made.set(step, lines);
  return lines;
}

/** What was on the canvas when the step began: deletions and changes name what was there. */
function operatorsBefore(headway: Headway, step: Step): Map<string, OperatorView> {
  const text = step.parentId === undefined ? undefined : headway.content(step.parentId);
  if (text === undefined) return new Map();
  return new Map(readOperators(JSON.parse(text)).map((operator) => [operator.id, operator]));
}

function line(call: ToolCall, step: Step, index: number, operators: Map<string, OperatorView>): ToolLine {
  const result = step.toolResults?.find(({ toolCallId }) => toolCallId === call.toolCallId);
  const output = asText(result?.output);
  return {
    ...words(call, operators),
    key: `${call.toolCallId}-${index}`,
    failed: result?.isError === true || output.startsWith("[ERROR]"),
    call,
    output,
  };
}

type Words = Pick<ToolLine, "mark" | "verb" | "what" | "detail">;

function words({ toolName, input }: ToolCall, operators: Map<string, OperatorView>): Words {
  const given: Fields = typeof input === "object" && input !== null ? (input as Fields) : {};
  const text = (key: string): string => (typeof given[key] === "string" ? given[key] : "");
  const operator = operators.get(text("operatorId"));
  const name = operator?.name ?? text("operatorId");
  const nameOf = (id: string): string => operators.get(id)?.name ?? id;
  const properties = (typeof given.properties === "object" ? (given.properties ?? {}) : {}) as Fields;
  switch (toolName) {
    case "addOperator": {
      const type = text("operatorType");
      const summary = summaryOf(type, properties);
      return { mark: "add", verb: "Added", what: typeName(type), detail: summary || text("summary") };
    }
    case "modifyOperator": {
      const before = operator ? summaryOf(operator.type, operator.properties) : "";
      const after = operator ? summaryOf(operator.type, { ...operator.properties, ...properties }) : "";
      const renamed = text("summary");
      if (before !== after) return { mark: "change", verb: "Changed", what: name, detail: `${before} → ${after}` };
      if (renamed !== "" && renamed !== name)
        return { mark: "change", verb: "Renamed", what: name, detail: `→ ${renamed}` };
      return { mark: "change", verb: "Changed", what: name, detail: Object.keys(properties).join(", ") };
    }
    case "deleteOperator":
      return { mark: "delete", verb: "Deleted", what: name, detail: operator ? typeName(operator.type) : "" };
    case "addLink":
      return {
        mark: "link",
        verb: "Linked",
        what: nameOf(text("sourceOperatorId")),
        detail: `→ ${nameOf(text("targetOperatorId"))}`,
      };
    case "deleteLink":
      return { mark: "delete", verb: "Unlinked", what: text("linkId"), detail: "" };
    case "enableOperator":
    case "disableOperator":
      return { mark: "change", verb: toolName === "enableOperator" ? "Enabled" : "Disabled", what: name, detail: "" };
    case "moveOperator":
      return { mark: "change", verb: "Moved", what: name, detail: "" };
    case "autoLayout":
      return { mark: "change", verb: "Tidied", what: "the layout", detail: "" };
    case "addCommentBox":
      return { mark: "add", verb: "Added", what: "comment", detail: text("content") };
    case "deleteCommentBox":
      return { mark: "delete", verb: "Deleted", what: "comment", detail: "" };
    case "getOperatorSchema":
      return { mark: "look", verb: "Looked at", what: name, detail: "" };
    default:
      return { mark: "other", verb: "Called", what: toolName, detail: name };
  }
}

/** For the opened line: exactly what was given and answered. */
export function asText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
