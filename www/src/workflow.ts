/**
 * What is on the canvas, as the page draws it. It may come from any agent service and from any co-editor, so nothing is taken for granted:
 * what is not shaped as it should be is left out of the picture, and stays in the document.
 */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PortView {
  readonly id: string;
  readonly name: string;
  /** Takes one link at most. */
  readonly isSingle: boolean;
}

export interface OperatorView {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  /** The name that a person gave it; empty when there is none. */
  readonly ownName: string;
  readonly properties: Fields;
  readonly inputs: readonly PortView[];
  readonly outputs: readonly PortView[];
  readonly isDisabled: boolean;
}

export interface EndView {
  readonly operator: string;
  readonly port: string;
}

export interface LinkView {
  readonly id: string;
  readonly source: EndView;
  readonly target: EndView;
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

export const NO_WORKFLOW: WorkflowView = { operators: [], positions: new Map(), links: [], comments: [] };

export type Fields = Readonly<Record<string, unknown>>;

export function readOperator(id: string, value: unknown): OperatorView | undefined {
  if (!isFields(value)) return undefined;
  return {
    id,
    type: text(value.operatorType),
    name: text(value.customDisplayName) || text(value.operatorType),
    ownName: text(value.customDisplayName),
    properties: fields(value.operatorProperties),
    inputs: list(value.inputPorts).map(readPort),
    outputs: list(value.outputPorts).map(readPort),
    isDisabled: value.isDisabled === true,
  };
}

/** The operators of a workflow content. */
export function readOperators(content: unknown): readonly OperatorView[] {
  const read = list(fields(content).operators).map((one) => readOperator(text(one.operatorID), one));
  return read.filter((operator) => operator !== undefined);
}

export function readLink(id: string, value: unknown): LinkView | undefined {
  return isFields(value) ? { id, source: readEnd(value.source), target: readEnd(value.target) } : undefined;
}

export function readComment(id: string, value: unknown): CommentView | undefined {
  if (!isFields(value)) return undefined;
  const said = list(value.comments).map((comment) => text(comment.content));
  return { id, text: said.join("\n"), position: readPoint(value.commentBoxPosition) ?? { x: 0, y: 0 } };
}

export function readPoint(value: unknown): Point | undefined {
  const { x, y } = fields(value);
  return typeof x === "number" && typeof y === "number" && Number.isFinite(x) && Number.isFinite(y)
    ? { x, y }
    : undefined;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fields = (value: unknown): Fields => (isFields(value) ? value : {});
const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

const readPort = (one: Fields): PortView => ({
  id: text(one.portID),
  name: text(one.displayName),
  isSingle: one.disallowMultiInputs === true,
});

function readEnd(value: unknown): EndView {
  const { operatorID, portID } = fields(value);
  return { operator: text(operatorID), port: text(portID) };
}
