/** The workflow content as the agent service holds it: plain data, never changed in place. */

export interface Port {
  portID: string;
  displayName: string;
  disallowMultiInputs: boolean;
  isDynamicPort: boolean;
  dependencies?: { id: number; internal: boolean }[];
}

export interface Operator {
  operatorID: string;
  operatorType: string;
  operatorVersion: string;
  operatorProperties: Record<string, unknown>;
  inputPorts: Port[];
  outputPorts: Port[];
  showAdvanced: boolean;
  isDisabled: boolean;
  customDisplayName: string;
  dynamicInputPorts: boolean;
  dynamicOutputPorts: boolean;
}

export interface Point {
  x: number;
  y: number;
}

export interface LinkEnd {
  operatorID: string;
  portID: string;
}

export interface Link {
  linkID: string;
  source: LinkEnd;
  target: LinkEnd;
}

export interface CommentBox {
  commentBoxID: string;
  comments: { content: string; creationTime: string; creatorName: string; creatorID: number }[];
  commentBoxPosition: Point;
}

export interface WorkflowContent {
  operators: Operator[];
  operatorPositions: Record<string, Point>;
  links: Link[];
  commentBoxes: CommentBox[];
  settings: { dataTransferBatchSize: number; executionMode: string };
}

export const EMPTY_CONTENT: WorkflowContent = {
  operators: [],
  operatorPositions: {},
  links: [],
  commentBoxes: [],
  settings: { dataTransferBatchSize: 400, executionMode: "PIPELINED" },
};

export const operatorById = (content: WorkflowContent, id: string): Operator | undefined =>
  content.operators.find((operator) => operator.operatorID === id);

export const linksInto = (content: WorkflowContent, id: string): Link[] =>
  content.links.filter((link) => link.target.operatorID === id);

export const linksOutOf = (content: WorkflowContent, id: string): Link[] =>
  content.links.filter((link) => link.source.operatorID === id);

/** The next free id of a family: one more than the highest in use, so `op3` after `op2` whatever was deleted before. */
export function nextId(prefix: string, taken: readonly string[]): string {
  let highest = 0;
  for (const id of taken) {
    const number = id.startsWith(prefix) ? Number(id.slice(prefix.length)) : NaN;
    if (Number.isInteger(number) && number > highest) highest = number;
  }
  return `${prefix}${highest + 1}`;
}

export const nextOperatorId = (content: WorkflowContent): string =>
  nextId(
    "op",
    content.operators.map((operator) => operator.operatorID),
  );
