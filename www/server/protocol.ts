/**
 * The frames of the agent-service protocol, dialect C: what this service says, and what it understands.
 *
 * Every frame is built here and nowhere else, so that `type` is the last key of each one, as on the services in the wild.
 */
import type { WorkflowContent } from "./script/content.ts";

export type AgentState = "AVAILABLE" | "GENERATING" | "STOPPING";

/** The root of every tree: legal as HEAD and as a parent, never among the steps. */
export const ROOT = "step-initial";

export interface ToolCall {
  toolName: string;
  toolCallId: string;
  input: unknown;
}

export interface ToolResult {
  toolCallId: string;
  output: string;
  isError: boolean;
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
}

/** One step. Optional fields are absent, never null. */
export interface ReActStep {
  id: string;
  parentId: string;
  messageId: string;
  stepId: number;
  timestamp: number;
  role: "user" | "agent";
  content: string;
  isBegin: boolean;
  isEnd: boolean;
  messageSource?: MessageSource;
  toolCalls?: ToolCall[];
  toolResults?: ToolResult[];
  usage?: Usage;
  beforeWorkflowContent: WorkflowContent;
  afterWorkflowContent: WorkflowContent;
}

export type MessageSource = "chat" | "feedback";

/** The error texts that clients match on. They carry no code, so not a letter of them may change. */
export const TEXT = {
  contentRequired: "Message content is required",
  messageIdRequired: "messageId is required to revert",
  promptBusy: "Cannot prompt while the agent is busy",
  revertBusy: "Cannot revert while the agent is busy",
  redoBusy: "Cannot redo while the agent is busy",
  nothingToRedo: "Nothing to redo",
  notOnPath: "Turn is not on the current conversation path",
  saveFailed: "Failed to save the restored workflow; the operation was rolled back",
  badFormat: "Invalid message format",
  notFound: "Agent not found",
  notRunning: "The agent is not running",
  stopped: "Generation stopped by user.",
  full: "This agent's history is full; open another agent",
  unknownTurn: (id: string) => `Unknown turn: ${id}`,
  unknownType: (type: string) => `Unknown message type: ${type}`,
} as const;

export const frame = {
  /** `content` is told only where no step carries it: at the root. */
  snapshot: (told: {
    state: AgentState;
    steps: readonly ReActStep[];
    headId: string;
    canRedo: boolean;
    content?: WorkflowContent;
  }): string => {
    const { state, steps, headId, canRedo, content } = told;
    const atRoot = content && { workflowContent: content };
    return JSON.stringify({ state, steps, headId, canRedo, ...atRoot, type: "WsServerSnapshotEvent" });
  },
  step: (step: ReActStep): string => JSON.stringify({ step, type: "WsServerStepEvent" }),
  status: (state: AgentState): string => JSON.stringify({ state, type: "WsServerStatusEvent" }),
  headChange: (headId: string, workflowContent: WorkflowContent, canRedo: boolean): string =>
    JSON.stringify({ headId, workflowContent, canRedo, type: "WsServerHeadChangeEvent" }),
  error: (error: string): string => JSON.stringify({ error, type: "WsServerErrorEvent" }),
  /** The one reply without a `type`: what the text `null` is answered with, here as in the wild. */
  untypedError: (error: string): string => JSON.stringify({ error }),
};

/** What a client asked for, or why it cannot be told. */
export type Command =
  | { kind: "prompt"; content: string; source: MessageSource }
  | { kind: "stop" }
  | { kind: "revert"; messageId: string }
  | { kind: "redo" }
  | { kind: "bad"; reply: string };

const bad = (text: string): Command => ({ kind: "bad", reply: frame.error(text) });

/** Reads one text frame of a client. Never throws: whatever is wrong with it becomes the reply. */
export function readCommand(text: string): Command {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return bad(TEXT.badFormat);
  }
  if (message === null) return { kind: "bad", reply: frame.untypedError(TEXT.badFormat) };
  const fields = Object(message) as Record<string, unknown>;
  switch (fields.type) {
    case "WsClientPromptCommand": {
      const { content, messageSource } = fields;
      if (typeof content !== "string" || content.trim() === "") return bad(TEXT.contentRequired);
      return { kind: "prompt", content, source: messageSource === "feedback" ? "feedback" : "chat" };
    }
    case "WsClientStopCommand":
      return { kind: "stop" };
    case "WsClientRevertCommand": {
      const { messageId } = fields;
      if (typeof messageId !== "string" || messageId === "") return bad(TEXT.messageIdRequired);
      return { kind: "revert", messageId };
    }
    case "WsClientRedoCommand":
      return { kind: "redo" };
    default:
      return bad(TEXT.unknownType(typeName(fields.type)));
  }
}

/** A type as it is quoted in a reply: short, whatever was sent. */
function typeName(type: unknown): string {
  const name = typeof type === "string" ? type : (JSON.stringify(type) ?? "undefined");
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}
