/**
 * The public shapes of `headway`. Everything here is data: frozen, plain, safe to keep.
 *
 * Rule ids in comments (T8, R4, …) are those of SPEC.md.
 */

/** A step is known by its id alone (T1). `"step-initial"` is the root: legal as HEAD and as a parent, never listed. */
export type StepId = string;

/** A turn is known by the `messageId` that its steps share (H1). */
export type TurnId = string;

/** What the agent is doing. Compared without case on the wire; an unknown word counts as `UNAVAILABLE`. */
export type AgentState = "UNAVAILABLE" | "AVAILABLE" | "GENERATING" | "STOPPING";

/**
 * Why something was not done. Stable; SPEC.md lists what each one means and what to do about it (X2).
 * A refused call changes nothing.
 */
export type Refusal =
  | "busy"
  | "offline"
  | "pending"
  | "unknown_turn"
  | "turn_taken"
  | "not_on_path"
  | "nothing_to_redo"
  | "not_running"
  | "empty_prompt"
  | "unsupported"
  | "canvas_unbound"
  | "content_unknown"
  | "timed_out"
  | "lost"
  | "server_error"
  | "agent_not_found"
  | "save_failed"
  | "history_full"
  | "unreadable_log"
  | "freed"
  | "invalid_argument"
  | "invalid_schema"
  | "invalid_content"
  | "unknown_step"
  | "evicted"
  | "normalize_failed"
  | "manual_edits"
  | "unknown_stash"
  | "corrupt_update"
  | "broken_document"
  | (string & {});

/** Something that is worth knowing and refuses nothing. */
export interface Notice {
  /** Stable, machine-readable; listed in SPEC.md. */
  readonly code: string;
  /** A sentence for a person. */
  readonly message: string;
  /** The step it is about. */
  readonly stepId?: StepId;
  /** Where in the frame, as `steps[3].messageId`. */
  readonly path?: string;
}

/** What a document consists of. Top-level keys that no collection names are carried as values. */
export interface Schema {
  /** Those that others refer to come first. */
  readonly collections: readonly Collection[];
}

/** One collection of a document. */
export interface Collection {
  /** Its key in the content: `"operators"`. */
  readonly path: string;
  /** What holds the entities: a list of objects, an object whose keys are the ids, or one value. */
  readonly kind: "list" | "map" | "value";
  /** Of a list: the field that tells its entities apart. */
  readonly id?: string;
  /** Where the position {x, y} of an entity is; `[]` when the entity is a position. */
  readonly position?: readonly string[];
  /** Fields that name an entity for a person, the best first. */
  readonly label?: readonly string[];
  /** Fields that refer to entities; `field: []` means the key of the entity. */
  readonly refs?: readonly {
    readonly field: readonly string[];
    readonly to: string;
    /** Where on that entity the reference ends: the name is at `field`, and one of those in the list `among`. */
    readonly port?: { readonly field: readonly string[]; readonly among: string; readonly id: string };
  }[];
  /** Fields that every entity has to have. */
  readonly required?: readonly string[];
  /** Where it lies in a `Y.Doc`: the name of a root map, and whether values are shared types there or plain JSON. */
  readonly doc?: { readonly map: string; readonly layout: "nested" | "plain"; readonly at?: string };
}

/** How a {@link Headway} is set up. Everything is optional. */
export interface HeadwayOptions {
  /**
   * Who owns the history (R14): a server, which is told what a person wants and says where HEAD is, or this Headway itself, which is told what an agent
   * did (`beginTurn`, `recordStep`, `endTurn`) and decides. Default `"server"`.
   */
  authority?: "server" | "local";
  /** With `authority: "local"`: the content before the first turn, as JSON text. Default: what the bound canvas shows when the first turn begins. */
  content?: string;
  /** What the document consists of. Default `"texera"`. One that makes no sense is refused with `invalid_schema`. */
  schema?: "texera" | "react-flow" | Schema;
  /** Puts a command on the wire: one text frame. Without it every command is refused with `offline`. */
  send?: (text: string) => void;
  /** The time in ms since the epoch. Default: `Date.now`. */
  now?: () => number;
  /** How long a command may stay unanswered before it is `timed_out`, in ms. Falls due in {@link Headway.tick}. Default 30,000. */
  commandTimeout?: number;
  /**
   * How long an agent may be STOPPING without a step before that is taken for stale (R9), in ms. Falls due in {@link Headway.tick}. Default 60,000;
   * `Infinity` means never.
   */
  stoppingLimit?: number;
  /** Keep `inputMessages` (the whole model prompt of a step; large) with the steps. Default false. */
  keepInputMessages?: boolean;
  /**
   * How many bytes the contents may take, as `stats().contentBytes` counts them. Beyond it the contents of abandoned branches are
   * let go, the oldest first, and say `evicted` (C3). What the visible path and redo need is never let go. Default 256 MiB.
   */
  memoryBudget?: number;
  /**
   * What becomes of a content with faults on its way to the canvas (C7): it is repaired as far as no guess is needed, with a notice, or it is not
   * put there, with the notice `invalid_content`. Default `"repair"`.
   */
  validation?: "repair" | "strict";
  /**
   * Completes a content before it is compared with the canvas or put on it (P15): fills in what the host fills in when it loads one, drops what
   * it drops. Gets and gives JSON text, and has to give the same for the same; it is called for each content that comes to the canvas. What
   * is kept, and what `content()` gives back, is always what came. When it throws or gives something else than a JSON object, the canvas
   * is left alone with the notice `normalize_failed`; a call that needed it throws that code.
   */
  normalize?: (content: string) => string;
  /** Called with each notice, after the call that caused it has returned from the engine. */
  onNotice?: (notice: Notice) => void;
}

/** One call of a tool by the agent. */
export interface ToolCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly input: unknown;
}

/** What a tool answered. */
export interface ToolResult {
  readonly toolCallId: string;
  readonly output: unknown;
  readonly isError?: boolean;
}

/** What an agent did in one step, as {@link Headway.recordStep} takes it. All of it is optional. */
export interface RecordedStep {
  /** What was said. */
  readonly content?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolResults?: readonly ToolResult[];
  readonly usage?: Usage;
  /** The content that it left behind, as JSON text; when it is not told, it is the one from before. */
  readonly after?: string;
  /** Anything else that is JSON; it comes out in `extra`. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Token counts, as the server names them (`inputTokens`, `outputTokens`, `totalTokens`, `cachedInputTokens`). */
export type Usage = Readonly<Record<string, number>>;

/** One step of the agent or the user. The same object for as long as the step does not change (T8). */
export interface Step {
  readonly id: StepId;
  readonly parentId?: StepId;
  readonly turnId: TurnId;
  /** Index inside the turn. Not unique; never used to find a step. */
  readonly stepId: number;
  /** ms since the epoch, by the server's clock. */
  readonly timestamp: number;
  readonly role: "user" | "agent" | (string & {});
  /** What was said. `""` when only tools were called. */
  readonly content: string;
  readonly isBegin: boolean;
  readonly isEnd: boolean;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolResults?: readonly ToolResult[];
  readonly usage?: Usage;
  readonly messageSource?: string;
  /** Did this step change the content (canonically, C2)? */
  readonly changed: boolean;
  /** Fields that this version does not know, exactly as the server sent them (T9). */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** All steps of one `messageId` on the visible path (H1). The same object for as long as nothing in it changes. */
export interface Turn {
  readonly id: TurnId;
  /** The text of its user step; `""` when it has none. */
  readonly prompt: string;
  /** First line of the prompt, at most 80 characters; `Turn N` when there is no text (H3). */
  readonly title: string;
  /** The step that HEAD moves to when this turn is reverted. */
  readonly parentId: StepId;
  readonly firstStep: StepId;
  readonly lastStep: StepId;
  /** Number of steps on the path. */
  readonly steps: number;
  /** Number of tool calls on the path. */
  readonly toolCalls: number;
  readonly ended: "running" | "done" | "stopped" | "failed";
  /** Does the content after the turn differ from the content before it? */
  readonly changed: boolean;
  /** `true`, or why {@link Headway.revert} would refuse now. */
  readonly canRevert: true | Refusal;
  /** Other turns that begin at the same step: the branches that were left here. */
  readonly branches: readonly TurnId[];
  readonly usage?: Usage;
  readonly startedAt: number;
  readonly endedAt?: number;
}

/** What there is to see now. Immutable; the same object until something changed (T8). */
export interface View {
  readonly connection: "offline" | "live";
  readonly agentState: AgentState;
  /** STOPPING was already there when the socket opened, or nothing has come of it for `stoppingLimit`: the run it waits for may never end (R9). */
  readonly staleStopping: boolean;
  readonly headId: StepId;
  /** Whether the path from the root to HEAD is whole (T5). When it is not, what is known of it stays on show. */
  readonly path: {
    readonly status: "ok" | "unknown_head" | "broken_parent" | "cycle";
    /** The step where the path breaks off or bites its tail; the HEAD that nobody knows. */
    readonly at?: StepId;
  };
  /** A step joined the tree away from HEAD; settled by the next snapshot or head change (T3). */
  readonly diverged: boolean;
  /**
   * The history does not fit together (it has diverged, or nobody knows HEAD) and no run is going on that could mend it: only a reconnect brings a snapshot
   * that tells (R16). Once for each HEAD: false again when a reconnect did not help. `headway/socket` does it by itself.
   */
  readonly needsResync: boolean;
  /** Number of visible steps. */
  readonly length: number;
  /**
   * The visible steps, oldest first. Made when first read; unchanged steps keep their identity. Read for the first time
   * when there is a newer view already, a step that has changed since is shown as it is now, and one that is gone is left
   * out.
   */
  readonly steps: readonly Step[];
  /** The turns on the path, oldest first. Made when first read; read late, they are those of now. */
  readonly turns: readonly Turn[];
  /** `unknown` from the loss of the socket to the next snapshot (R4). */
  readonly canRedo: boolean | "unknown";
  /** The turn that HEAD would be in after a redo, when the engine saw the revert itself (R5). */
  readonly redoLeadsTo?: TurnId;
  /** The command that waits for its answer. */
  readonly pending?: "prompt" | "stop" | "revert" | "redo" | "checkout";
  /** Whether the host should autosave the canvas: not while an agent is running on a live socket (R10). */
  readonly autosave: boolean;
  readonly canvas: {
    readonly bound: boolean;
    /** As of the last time the engine looked at the canvas. */
    readonly equalsHead: boolean;
    /**
     * How many entities were added, removed, changed or moved by hand since the agent last had something on the canvas (P6); where that is not known, how
     * many are others than HEAD has them. As of the last time the engine looked.
     */
    readonly manualEdits: number;
    /** How many {@link Headway.stashes} there are (P7). */
    readonly stashes: number;
    /** No content is known for HEAD: the canvas was left alone (R7). */
    readonly contentUnknown: boolean;
  };
  /** Tokens spent: on the visible path, and in everything the server has, abandoned branches included. */
  readonly usage: { readonly path: Usage; readonly total: Usage };
  /** What the server says it can do. */
  readonly capabilities: readonly string[];
}

/** How a command that moved HEAD came out. */
export interface Moved {
  readonly headId: StepId;
  /** Was the canvas written? False when it was equal already, not bound, or the content is unknown. */
  readonly canvasWritten: boolean;
  /** What was changed on the canvas. */
  readonly edits: EditList;
  /** Where what was edited by hand stood against it, with `how: "keep"`: `mine` was overwritten, and is in the stash. */
  readonly conflicts: readonly Conflict[];
  /** The stash of what was edited by hand and is overwritten now (P7). */
  readonly stash?: string;
  /** The prompt of the turn that was reverted, for the composer (R13). */
  readonly prompt?: string;
}

/**
 * What becomes of what was edited by hand when a command changes the canvas (P6): the canvas becomes exactly the target; what does
 * not stand against the target stays; or the command is refused with `manual_edits` when something does.
 */
export type ReplayPolicy = "exact" | "keep" | "refuse";

/** What a replay has overwritten of what was edited by hand (P7). */
export interface Stash {
  readonly id: string;
  /** The turn that HEAD was in after the replay. */
  readonly turnId?: TurnId;
  /** When it was made, in ms since the epoch. */
  readonly at: number;
  readonly edits: EditList;
}

/** A plain canvas: anything that can give its content as JSON text and take another one. */
export interface PlainCanvas {
  /** The content that is on the canvas now, as JSON text. */
  read(): string;
  /**
   * Do these edits to the canvas, one after the other: they lead from what `read` gave to what should be there. `headway/react-flow` has what
   * does them to a flow.
   */
  apply?(edits: EditList): void;
  /** Put this content on the canvas, whole; for who has no `apply`. Called only when it differs from what `read` gives. */
  replace?(content: string): void;
}

/** A live document, as {@link EngineDocument.open} needs it. `headway/yjs` and `headway/y` make one of a `Y.Doc`. */
export interface DocumentHost {
  /** Names the engine's writing in the document: a random number below 2^53, never the id of another document or of an earlier binding. */
  readonly clientId: number;
  /** Everything that is in the document, as one update. */
  readonly state: Uint8Array;
  /** Whether its shared types are all one, as those of @y/y 14: what such a one is, is told by what is in it. */
  readonly isUnified?: boolean;
  /** Whether a transaction is open, or its listeners are being called. */
  isBusy(): boolean;
  /** Calls `run` once that is over. */
  whenIdle(run: () => void): void;
  /** Takes in what the engine wrote: one transaction. */
  write(update: Uint8Array): void;
  /** The document is about to be read: the last moment to relay what was not relayed yet. */
  beforeRead?(): void;
  /** The binding is over: unbound, another canvas in its place, or the engine freed. Called once. */
  closed?(): void;
}

/** The engine's replica of the live document. Updates are those of yjs, version 1. */
export interface EngineDocument {
  /** Binds a live document, in place of the canvas that was bound. Gives what unbinds it. */
  open(host: DocumentHost): () => void;
  /**
   * Takes in what somebody else wrote; `isHere`: the person in front of this canvas, whose deletions count at once (P8). Throws
   * `corrupt_update`, and then nothing has changed.
   */
  applyUpdate(update: Uint8Array, isHere?: boolean): void;
  stateVector(): Uint8Array;
  /** What the replica has and another has not, whose state vector it is; without one, everything. */
  encodeDiff(stateVector?: Uint8Array): Uint8Array;
  /** Calls `listener` with each update that the engine writes. Gives what ends it. */
  onUpdate(listener: (update: Uint8Array) => void): () => void;
}

/** A step of a path into an entity: a key, or an index of a list. */
export type PathStep = string | number;

/**
 * One edit. `collection` is a top-level key of the content, `id` names an entity in it and is empty when the collection is one
 * value. An edit is true at its turn: `at` and an index in `path` count what the edits before it have left.
 */
export type Edit =
  | {
      readonly kind: "add";
      readonly collection: string;
      readonly id: string;
      readonly at?: number;
      readonly value: unknown;
    }
  | {
      readonly kind: "remove";
      readonly collection: string;
      readonly id: string;
      readonly at?: number;
      readonly value: unknown;
    }
  | {
      readonly kind: "set";
      readonly collection: string;
      readonly id: string;
      readonly path: readonly PathStep[];
      /** Absent when the value is new: a key is added, an item inserted. */
      readonly from?: unknown;
      readonly to: unknown;
    }
  | {
      readonly kind: "unset";
      readonly collection: string;
      readonly id: string;
      readonly path: readonly PathStep[];
      readonly from: unknown;
    }
  | {
      readonly kind: "move";
      readonly collection: string;
      readonly id: string;
      readonly from: { readonly x: number; readonly y: number };
      readonly to: { readonly x: number; readonly y: number };
    }
  | {
      readonly kind: "order";
      readonly collection: string;
      readonly from: readonly string[];
      readonly order: readonly string[];
    };

/** The smallest list of edits between two contents, in an order in which each edit is safe when it is its turn (C4, C5). */
export interface EditList extends ReadonlyArray<Edit> {
  /** How many entities come, go, change, or only move. Each counts once, its position with it; a list in another order counts as one change. */
  readonly summary: {
    readonly added: number;
    readonly removed: number;
    readonly changed: number;
    readonly moved: number;
  };
  /** The edits as sentences for a person, grouped by entity: `Filter: age > 30 → age > 40` (C6). */
  describe(): readonly string[];
}

/** A place where theirs gives way to mine: both changed it, or it does not go together with mine. What is absent was not there. */
export interface Conflict {
  readonly collection: string;
  /** Empty when it is about the collection: about its order, with the ids as values, or about all of it. */
  readonly id: string;
  /** Where in the entity, an index being that in the result; empty for the entity as a whole. */
  readonly path: readonly PathStep[];
  readonly base?: unknown;
  /** What stays. */
  readonly mine?: unknown;
  readonly theirs?: unknown;
}

/** What a three-way merge does (H10). */
export interface Merge {
  /** What changes in mine. */
  readonly edits: EditList;
  /** Where theirs gives way; mine stays there. */
  readonly conflicts: readonly Conflict[];
}

/** Something about a content that is not as it has to be (C7). */
export interface Fault {
  readonly code:
    | "wrong_kind"
    | "not_an_object"
    | "no_id"
    | "duplicate_id"
    | "dangling"
    | "orphan"
    | "no_port"
    | "duplicate_link"
    | "missing_field"
    | "no_position"
    | "bad_position"
    | (string & {});
  readonly collection: string;
  /** Whose; empty when it is about a collection, or about an item that has no id. */
  readonly id: string;
  /** Where inside of that: what is wrong, or where what is missing should be. */
  readonly path: readonly PathStep[];
  /** A sentence for a person. */
  readonly message: string;
}

/** Sizes, for the curious and for tests. */
export interface Stats {
  /** Steps in the tree, branches included. */
  readonly steps: number;
  /** Distinct contents held: snapshots of the document. */
  readonly snapshots: number;
  /** Contents that steps refer to and that were let go to stay within `memoryBudget` (C3). */
  readonly evicted: number;
  /** Distinct entities that they consist of, and what lies between them. */
  readonly entities: number;
  /**
   * Bytes that all this takes, without the room that tables keep for more. What is remembered of the entities of one content, to judge
   * the next one by what is new in it (C7), is beside that: some 100 bytes for each.
   */
  readonly contentBytes: number;
  /** Bytes of linear memory the module has taken so far; it never shrinks. */
  readonly wasmBytes: number;
}
