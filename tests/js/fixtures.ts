/** Small sessions made by hand, as frames. */

export interface WireStep {
  id: string;
  parentId?: string;
  messageId: string;
  role: string;
  content: string;
  [field: string]: unknown;
}

/** A step whose contents are `{"v": before}` and `{"v": after}`. */
export function step(id: string, parentId: string, messageId: string, content: [number, number], says = ""): WireStep {
  const role = id.startsWith("u") ? "user" : "agent";
  const [before, after] = content.map((v) => ({ v }));
  return {
    id,
    parentId,
    messageId,
    stepId: 0,
    timestamp: 1,
    role,
    content: says,
    isBegin: role === "user",
    isEnd: true,
    beforeWorkflowContent: before,
    afterWorkflowContent: after,
  };
}

export const TWO_TURNS: readonly WireStep[] = [
  step("u1", "step-initial", "t1", [0, 0], "first question"),
  step("a1", "u1", "t1", [0, 1], "done"),
  step("u2", "a1", "t2", [1, 1], "second question"),
  step("a2", "u2", "t2", [1, 2], "done"),
];

export const snapshot = (steps: readonly unknown[] = TWO_TURNS, headId = "a2", more: object = {}): string =>
  JSON.stringify({ state: "AVAILABLE", steps, headId, canRedo: false, ...more, type: "WsServerSnapshotEvent" });

export const liveStep = (wireStep: unknown): string => JSON.stringify({ step: wireStep, type: "WsServerStepEvent" });

export const headChange = (headId: string, canRedo = true, more: object = {}): string =>
  JSON.stringify({ headId, canRedo, ...more, type: "WsServerHeadChangeEvent" });

export const status = (state: string): string => JSON.stringify({ state, type: "WsServerStatusEvent" });
