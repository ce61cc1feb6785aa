/**
 * The workflow content as the page reads it. It may come from any agent service, so nothing is taken for granted:
 * what is not shaped as it should be is left out of the picture, and stays in the document.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PortView {
  readonly id: string;
  readonly name: string;
}

export interface OperatorView {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly inputs: readonly PortView[];
  readonly outputs: readonly PortView[];
  readonly isDisabled: boolean;
}

export interface LinkView {
  readonly id: string;
  readonly source: { readonly operator: string; readonly port: string };
  readonly target: { readonly operator: string; readonly port: string };
}

export interface CommentView {
  readonly id: string;
  readonly text: string;
  readonly position: Point;
}

export interface WorkflowView {
  readonly operators: readonly OperatorView[];
  readonly positions: ReadonlyMap<string, Point>;
  readonly links: readonly LinkView[];
  readonly comments: readonly CommentView[];
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fields = (value: unknown): Fields => (isFields(value) ? value : {});
const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

export function readWorkflow(content: unknown): WorkflowView {
  const whole = fields(content);
  const positions = new Map<string, Point>();
  for (const [id, value] of Object.entries(fields(whole.operatorPositions))) {
    const at = point(value);
    if (at) positions.set(id, at);
  }
  const operators = unique(
    list(whole.operators).map((one) => ({
      id: text(one.operatorID),
      type: text(one.operatorType),
      name: text(one.customDisplayName) || text(one.operatorType),
      properties: fields(one.operatorProperties),
      inputs: list(one.inputPorts).map(port),
      outputs: list(one.outputPorts).map(port),
      isDisabled: one.isDisabled === true,
    })),
  );
  const known = new Set(operators.map((operator) => operator.id));
  const links = unique(
    list(whole.links).map((one) => ({ id: text(one.linkID), source: end(one.source), target: end(one.target) })),
  ).filter((link) => known.has(link.source.operator) && known.has(link.target.operator));
  const comments = unique(
    list(whole.commentBoxes).map((one) => ({
      id: text(one.commentBoxID),
      text: list(one.comments)
        .map((comment) => text(comment.content))
        .join("\n"),
      position: point(one.commentBoxPosition) ?? { x: 0, y: 0 },
    })),
  );
  return { operators, positions, links, comments };
}

function point(value: unknown): Point | undefined {
  const { x, y } = fields(value);
  return typeof x === "number" && typeof y === "number" && Number.isFinite(x) && Number.isFinite(y)
    ? { x, y }
    : undefined;
}

const port = (one: Fields): PortView => ({ id: text(one.portID), name: text(one.displayName) });

function end(value: unknown): LinkView["source"] {
  const { operatorID, portID } = fields(value);
  return { operator: text(operatorID), port: text(portID) };
}

/** The first of each id; React and React Flow both need them to differ. */
function unique<T extends { readonly id: string }>(all: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return all.filter(({ id }) => id !== "" && !seen.has(id) && seen.add(id));
}
