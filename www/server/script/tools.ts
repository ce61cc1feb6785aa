/**
 * The agent's tools: each takes a content and gives the next one, with the words that the tool answers.
 * What cannot be done answers with `[ERROR]` and leaves the content alone.
 */
import { linksInto, linksOutOf, nextId, operatorById, type Link, type Point, type WorkflowContent } from "./content.ts";
import { layOut } from "./layout.ts";
import { KINDS, kindOf, makeOperator } from "./operators.ts";

export interface Outcome {
  content: WorkflowContent;
  output: string;
}

export interface AddOperator {
  operatorId: string;
  operatorType: string;
  properties: Record<string, unknown>;
  /** By input port number: the operators that feed it. */
  inputOperatorIds?: Record<string, string[]>;
  summary: string;
}

/** One call of a tool: its name and what it is given. */
export type Call =
  | { toolName: "addOperator"; input: AddOperator }
  | {
      toolName: "modifyOperator";
      input: { operatorId: string; properties?: Record<string, unknown>; summary?: string };
    }
  | { toolName: "deleteOperator"; input: { operatorId: string } }
  | { toolName: "addLink"; input: { sourceOperatorId: string; targetOperatorId: string; targetPort?: number } }
  | { toolName: "deleteLink"; input: { linkId: string } }
  | { toolName: "disableOperator" | "enableOperator"; input: { operatorId: string } }
  | { toolName: "addCommentBox"; input: { content: string; position: Point } }
  | { toolName: "deleteCommentBox"; input: { commentBoxId: string } }
  | { toolName: "moveOperator"; input: { operatorId: string; position: Point } }
  | { toolName: "autoLayout"; input: Record<string, never> }
  | { toolName: "getOperatorSchema"; input: { operatorId: string } };

/** Runs one call. `now` dates what carries a date (comments). */
export function runTool(content: WorkflowContent, call: Call, now: number): Outcome {
  const failed = (reason: string): Outcome => ({ content, output: `[ERROR] ${reason}` });
  const missing = (id: string): Outcome => failed(`Operator ${id} not found`);
  switch (call.toolName) {
    case "addOperator":
      return addOperator(content, call.input, failed);
    case "modifyOperator": {
      const { operatorId, properties, summary } = call.input;
      if (!operatorById(content, operatorId)) return missing(operatorId);
      const changed = patch(content, operatorId, (operator) => ({
        ...operator,
        operatorProperties: { ...operator.operatorProperties, ...properties },
        customDisplayName: summary ?? operator.customDisplayName,
      }));
      return { content: changed, output: `Operator ${operatorId} modified` };
    }
    case "deleteOperator":
      return deleteOperator(content, call.input.operatorId, missing);
    case "addLink": {
      const { sourceOperatorId, targetOperatorId, targetPort = 0 } = call.input;
      for (const id of [sourceOperatorId, targetOperatorId]) if (!operatorById(content, id)) return missing(id);
      const links = connect(content.links, sourceOperatorId, targetOperatorId, targetPort);
      return { content: { ...content, links }, output: `Linked ${sourceOperatorId} --> ${targetOperatorId}` };
    }
    case "deleteLink": {
      const { linkId } = call.input;
      const links = content.links.filter((link) => link.linkID !== linkId);
      if (links.length === content.links.length) return failed(`Link ${linkId} not found`);
      return { content: { ...content, links }, output: `Deleted link: ${linkId}` };
    }
    case "disableOperator":
    case "enableOperator": {
      const { operatorId } = call.input;
      if (!operatorById(content, operatorId)) return missing(operatorId);
      const isDisabled = call.toolName === "disableOperator";
      const word = isDisabled ? "disabled" : "enabled";
      return {
        content: patch(content, operatorId, (operator) => ({ ...operator, isDisabled })),
        output: `Operator ${operatorId} ${word}`,
      };
    }
    case "addCommentBox": {
      const id = nextId(
        "comment",
        content.commentBoxes.map((box) => box.commentBoxID),
      );
      const comment = {
        content: call.input.content,
        creationTime: new Date(now).toISOString(),
        creatorName: "Agent",
        creatorID: 0,
      };
      const box = { commentBoxID: id, comments: [comment], commentBoxPosition: call.input.position };
      return { content: { ...content, commentBoxes: [...content.commentBoxes, box] }, output: `Added comment ${id}` };
    }
    case "deleteCommentBox": {
      const { commentBoxId } = call.input;
      const commentBoxes = content.commentBoxes.filter((box) => box.commentBoxID !== commentBoxId);
      if (commentBoxes.length === content.commentBoxes.length) return failed(`Comment ${commentBoxId} not found`);
      return { content: { ...content, commentBoxes }, output: `Deleted comment: ${commentBoxId}` };
    }
    case "moveOperator": {
      const { operatorId, position } = call.input;
      if (!operatorById(content, operatorId)) return missing(operatorId);
      const operatorPositions = { ...content.operatorPositions, [operatorId]: position };
      return { content: { ...content, operatorPositions }, output: `Moved operator ${operatorId}` };
    }
    case "autoLayout":
      return { content: { ...content, operatorPositions: layOut(content) }, output: "Layout applied" };
    case "getOperatorSchema": {
      const operator = operatorById(content, call.input.operatorId);
      if (!operator) return missing(call.input.operatorId);
      return { content, output: JSON.stringify(operator.operatorProperties) };
    }
  }
}

function addOperator(content: WorkflowContent, input: AddOperator, failed: (reason: string) => Outcome): Outcome {
  const { operatorId, operatorType, properties, inputOperatorIds = {}, summary } = input;
  const kind = kindOf(operatorType);
  if (!kind) return failed(`Unknown operator type: "${operatorType}". Known: ${KINDS.map((k) => k.type).join(", ")}`);
  if (operatorById(content, operatorId)) return failed(`Operator with ID "${operatorId}" already exists`);
  let links = content.links;
  const made: string[] = [];
  for (const [port, sources] of Object.entries(inputOperatorIds)) {
    for (const source of sources) {
      if (!operatorById(content, source)) return failed(`Source operator "${source}" not found`);
      links = connect(links, source, operatorId, Number(port));
      made.push(`${source} --> ${operatorId}`);
    }
  }
  const operator = makeOperator(kind, operatorId, properties, summary);
  const next = { ...content, operators: [...content.operators, operator], links };
  const ports = `input ports: ${operator.inputPorts.length}, output ports: ${operator.outputPorts.length}`;
  const created = made.length > 0 ? `, created links: [${made.join(", ")}]` : "";
  return {
    content: { ...next, operatorPositions: layOut(next) },
    output: `Added operator ${operatorId}, ${ports}${created}`,
  };
}

function deleteOperator(content: WorkflowContent, id: string, missing: (id: string) => Outcome): Outcome {
  if (!operatorById(content, id)) return missing(id);
  const operatorPositions = { ...content.operatorPositions };
  delete operatorPositions[id];
  const gone = new Set([...linksInto(content, id), ...linksOutOf(content, id)]);
  return {
    content: {
      ...content,
      operators: content.operators.filter((operator) => operator.operatorID !== id),
      operatorPositions,
      links: content.links.filter((link) => !gone.has(link)),
    },
    output: `Deleted operator: ${id}`,
  };
}

function connect(links: Link[], source: string, target: string, port: number): Link[] {
  const linkID = nextId(
    "link-",
    links.map((link) => link.linkID),
  );
  const link = {
    linkID,
    source: { operatorID: source, portID: "output-0" },
    target: { operatorID: target, portID: `input-${port}` },
  };
  return [...links, link];
}

type Operator = WorkflowContent["operators"][number];

function patch(content: WorkflowContent, id: string, change: (operator: Operator) => Operator): WorkflowContent {
  return {
    ...content,
    operators: content.operators.map((operator) => (operator.operatorID === id ? change(operator) : operator)),
  };
}
