// Histories without contents, as a server tells them, so that steps and their tree are all there is to measure. All of it
// follows from numbers, so every run has the same ones. 100,000 steps are 49 MB of text.

const ROOT = "step-initial";

/** Steps of a turn: what a person asked, then what the agent did about it. */
const TURN = 10;

/** The `n`th step of a branch, below `parent`. */
function stepOf(branch, n, parent) {
  const stepId = n % TURN;
  const isUsers = stepId === 0;
  const step = {
    id: idOf(branch, n),
    parentId: parent,
    messageId: `turn-${branch}-${Math.floor(n / TURN)}`,
    stepId,
    timestamp: 1_760_000_000_000 + 1_000 * n,
    role: isUsers ? "user" : "agent",
    content: isUsers
      ? `Keep people above ${n}`
      : `I set the limit of the filter to ${n} and look at what comes out of it.`,
    isBegin: stepId <= 1,
    isEnd: isUsers || stepId === TURN - 1,
  };
  if (isUsers) return step;
  step.toolCalls = [
    { toolName: "modifyOperator", toolCallId: `call-${n}`, input: { operatorID: "filter-1", limit: n } },
  ];
  step.toolResults = [{ toolCallId: `call-${n}`, output: `Operator filter-1 has the limit ${n}.` }];
  step.usage = { inputTokens: 1_000 + n, outputTokens: 40, totalTokens: 1_040 + n };
  return step;
}

export const idOf = (branch, n) => `step-${branch}-${n}`;

/** So many steps below each other, the first of them below `parent`. */
export function branchOf(branch, length, parent = ROOT) {
  return Array.from({ length }, (_, n) => stepOf(branch, n, n === 0 ? parent : idOf(branch, n - 1)));
}

export const snapshotFrame = (steps, headId) =>
  JSON.stringify({ state: "AVAILABLE", steps, headId, canRedo: false, type: "WsServerSnapshotEvent" });

export const stepFrame = (step) => JSON.stringify({ step, type: "WsServerStepEvent" });

export const headFrame = (headId) => JSON.stringify({ headId, canRedo: true, type: "WsServerHeadChangeEvent" });
