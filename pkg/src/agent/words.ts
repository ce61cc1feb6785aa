/**
 * What the two sides of a socket say: frames to a client in the dialect that it asks for, and commands from it in any. Every frame is built here and nowhere
 * else, so that `type` is the last key of each one, as with the services in the wild.
 */
import type { HeadwayError } from "../error.js";
import type { StepId } from "../types.js";

/** The dialects of the protocol, as SPEC.md has them. D has capabilities and the words for what they announce. */
export type AgentDialect = "A" | "A'" | "B" | "C" | "D";

export const DIALECTS: readonly AgentDialect[] = ["A", "A'", "B", "C", "D"];

/** What an agent is doing, as it is told. */
export type ToldState = "AVAILABLE" | "GENERATING" | "STOPPING";

/** Something to tell, before it is put in words. What is JSON text already is `…Text`. */
export type Told =
  | ({ readonly kind: "snapshot" } & Snapshot)
  | { readonly kind: "step"; readonly stepText: string }
  | { readonly kind: "status"; readonly state: ToldState }
  | {
      readonly kind: "headChange";
      readonly headId: StepId;
      readonly contentText: string | undefined;
      readonly canRedo: boolean;
    };

/** Everything there is. */
export interface Snapshot {
  readonly state: ToldState;
  readonly stepTexts: readonly string[];
  readonly headId: StepId;
  readonly canRedo: boolean;
  /** The content at HEAD, where no step tells it. */
  readonly contentText: string | undefined;
  readonly capabilities: readonly string[];
}

/** Names of the frames in each dialect. */
const NAMES: Readonly<Record<AgentDialect, Readonly<Record<Told["kind"] | "error", string>>>> = {
  A: { snapshot: "init", step: "step", status: "state", headChange: "headChange", error: "error" },
  "A'": { snapshot: "snapshot", step: "step", status: "status", headChange: "headChange", error: "error" },
  B: wsServer(),
  C: wsServer(),
  D: wsServer(),
};

function wsServer() {
  const name = (what: string) => `WsServer${what}Event`;
  return {
    snapshot: name("Snapshot"),
    step: name("Step"),
    status: name("Status"),
    headChange: name("HeadChange"),
    error: name("Error"),
  };
}

/**
 * The frames that tell it in a dialect. `snapshot` gives everything there is, for the two that have no smaller word for a HEAD that moved.
 */
export function framesOf(told: Told, dialect: AgentDialect, snapshot: () => Snapshot): readonly string[] {
  const type = NAMES[dialect][told.kind];
  switch (told.kind) {
    case "snapshot":
      return [snapshotFrame(told, dialect)];
    case "step":
      return [object({ step: told.stepText }, type)];
    case "status": {
      const frame = object({ state: JSON.stringify(told.state) }, type);
      // The oldest dialect says the end of a run twice.
      return dialect === "A" && told.state === "AVAILABLE" ? [frame, object({}, "complete")] : [frame];
    }
    case "headChange": {
      if (dialect === "B") return [snapshotFrame(snapshot(), dialect)];
      const { headId, contentText, canRedo } = told;
      const steps = dialect === "A" ? list(snapshot().stepTexts) : undefined;
      return [
        object({ headId: JSON.stringify(headId), steps, workflowContent: contentText, canRedo: String(canRedo) }, type),
      ];
    }
  }
}

function snapshotFrame(told: Snapshot, dialect: AgentDialect): string {
  const { state, stepTexts, headId, canRedo, contentText, capabilities } = told;
  const fields = {
    state: JSON.stringify(state),
    steps: list(stepTexts),
    headId: JSON.stringify(headId),
    canRedo: dialect === "B" ? undefined : String(canRedo),
    workflowContent: contentText,
    capabilities: dialect === "D" ? JSON.stringify(capabilities) : undefined,
  };
  return object(fields, NAMES[dialect].snapshot);
}

/** Why a command was not carried out. Goes to who asked. */
export function errorFrame(error: string, code: string, dialect: AgentDialect): string {
  return object({ error: JSON.stringify(error), code: JSON.stringify(code) }, NAMES[dialect].error);
}

/** The one reply without a `type`: what the text `null` is answered with, here as in the wild. */
const NULL_REPLY = JSON.stringify({ error: "Invalid message format", code: "malformed_command" });

/** An object of JSON texts; what is undefined is left out. */
function object(fields: Readonly<Record<string, string | undefined>>, type: string): string {
  const members = Object.entries(fields).filter(([, text]) => text !== undefined);
  return `{${members.map(([key, text]) => `"${key}":${text},`).join("")}"type":"${type}"}`;
}

function list(texts: readonly string[]): string {
  return `[${texts.join(",")}]`;
}

/** What a client asks for. */
export type Command =
  | { readonly kind: "prompt"; readonly words: string; readonly source: "chat" | "feedback" }
  | { readonly kind: "stop" }
  | { readonly kind: "revert"; readonly id: string }
  | { readonly kind: "redo" }
  | { readonly kind: "checkout"; readonly id: string };

/** What a frame of a client asks for, or the frame that says why it cannot be told. */
export function readCommand(
  text: string,
  dialect: AgentDialect,
): Command | { readonly kind: "bad"; readonly reply: string } {
  const bad = (error: string, code: string) => ({ kind: "bad", reply: errorFrame(error, code, dialect) }) as const;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return bad("Invalid message format", "malformed_command");
  }
  if (message === null) return { kind: "bad", reply: NULL_REPLY };
  const { type, content, messageSource, messageId, stepId } = Object(message) as Record<string, unknown>;
  switch (type) {
    case "message":
    case "prompt":
    case "WsClientPromptCommand":
      if (typeof content !== "string" || content.trim() === "")
        return bad("Message content is required", "empty_prompt");
      return { kind: "prompt", words: content, source: messageSource === "feedback" ? "feedback" : "chat" };
    case "stop":
    case "WsClientStopCommand":
      return { kind: "stop" };
    case "WsClientRevertCommand":
      if (typeof messageId !== "string" || messageId === "")
        return bad("messageId is required to revert", "unknown_turn");
      return { kind: "revert", id: messageId };
    case "WsClientRedoCommand":
      return { kind: "redo" };
    case "WsClientCheckoutCommand":
      if (typeof stepId !== "string" || stepId === "") return bad("stepId is required to check out", "unknown_step");
      return { kind: "checkout", id: stepId };
    default:
      return bad(`Unknown message type: ${quoted(type)}`, "unsupported");
  }
}

/** A type as it is quoted in a reply: short, whatever was sent. */
function quoted(type: unknown): string {
  const name = typeof type === "string" ? type : (JSON.stringify(type) ?? "undefined");
  return name.length > 80 ? `${name.slice(0, 80)}…` : name;
}

/** How each command says that the agent is at work. Clients match on the letters. */
const BUSY = {
  prompt: "Cannot prompt while the agent is busy",
  stop: "The agent is being stopped already",
  revert: "Cannot revert while the agent is busy",
  redo: "Cannot redo while the agent is busy",
  checkout: "Cannot check out while the agent is busy",
} as const;

/** The texts that services in the wild answer with, and clients match on: not a letter of them may change. */
export function refusalText(command: Command, error: HeadwayError): string {
  const id = "id" in command ? command.id : "";
  const isMove = command.kind !== "prompt" && command.kind !== "stop";
  switch (error.code) {
    case "busy":
      return BUSY[command.kind];
    case "unknown_turn":
      return `Unknown turn: ${id}`;
    case "unknown_step":
      return `Unknown step: ${id}`;
    case "not_on_path":
      return "Turn is not on the current conversation path";
    case "nothing_to_redo":
      return "Nothing to redo";
    case "not_running":
      return "The agent is not running";
    case "save_failed":
      return isMove ? "Failed to save the restored workflow; the operation was rolled back" : error.message;
    default:
      return error.message;
  }
}
