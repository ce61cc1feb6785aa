/** The plain records that cross from the engine. Their shapes are those of `src/engine/{outcome,view}.rs`. */
import type { Notice, Turn, Usage } from "./types.js";

export interface Settled {
  readonly ticket: number;
  readonly failure?: { readonly code: string; readonly message: string };
  readonly headId: string;
  readonly prompt?: string;
}

export interface Outcome {
  readonly changed: boolean;
  readonly send: readonly string[];
  readonly lookAtCanvas: boolean;
  /** What was put on the canvas just now, as JSON text. */
  readonly replayed?: string;
  readonly settled: readonly Settled[];
  readonly notices: readonly Notice[];
}

/** `false`: nothing is new. `true`: there is something else to see. A record: there is something to do. */
export type HandedOver = boolean | Outcome;

export interface Sent {
  readonly ticket: number;
  readonly outcome: Outcome;
}

export interface Recorded {
  readonly id: string;
  readonly outcome: Outcome;
}

export interface StashPlan {
  /** As JSON text. */
  readonly plan: string;
  readonly outcome: Outcome;
}

export interface CanvasPlan {
  readonly write?: string;
  /** The same as edits, as JSON text. */
  readonly edits?: string;
  readonly outcome: Outcome;
}

export interface ViewHeader {
  readonly live: boolean;
  readonly agentState: "UNAVAILABLE" | "AVAILABLE" | "GENERATING" | "STOPPING";
  readonly staleStopping: boolean;
  readonly headId: string;
  readonly pathStatus: "ok" | "unknown_head" | "broken_parent" | "cycle";
  readonly pathAt?: string;
  readonly diverged: boolean;
  readonly needsResync: boolean;
  readonly length: number;
  readonly canRedo?: boolean;
  readonly redoLeadsTo?: string;
  readonly pending?: "prompt" | "stop" | "revert" | "redo" | "checkout";
  readonly revertRefusal?: string;
  readonly autosave: boolean;
  readonly canvasBound: boolean;
  readonly canvasDiffers: boolean;
  readonly manualEdits: number;
  readonly stashes: number;
  readonly contentUnknown: boolean;
  readonly pathUsage: Usage;
  readonly totalUsage: Usage;
  readonly capabilities: readonly string[];
}

export type TurnRecord = Omit<Turn, "canRevert">;
