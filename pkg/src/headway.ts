/**
 * `Headway`: the engine with promises and a store around it.
 *
 * The engine never calls out. Each call to it returns what there is to do (text to send, a canvas to look at, commands
 * that have their answer, notices); this class does it, in that order, and calls the listeners last. What those
 * callbacks call in turn is queued, so no callback ever runs inside a call that is still going on.
 */
import { Canvas } from "./canvas.js";
import { NO_EDITS, toEditList, toFaults, toMerge, type Replayed } from "./edits.js";
import { HeadwayError, asHeadwayError, throwing, wordsOf } from "./error.js";
import { Engine, Side, receive } from "./loader.js";
import { isFromFeedback, recordedFields } from "./recorded.js";
import type { HandedOver, Outcome, Recorded, StashPlan, Sent, Settled, ViewHeader } from "./records.js";
import { checkFunction, checkText, checkedOptions, type Checked } from "./options.js";
import { MOVES, type MoveName } from "./moves.js";
import { Path } from "./path.js";
import { Queue } from "./queue.js";
import { Steps } from "./steps.js";
import { Turns } from "./turns.js";
import { guarded } from "./surface.js";
import type {
  EditList,
  EngineDocument,
  Fault,
  HeadwayOptions,
  Merge,
  Moved,
  Notice,
  PlainCanvas,
  RecordedStep,
  Refusal,
  ReplayPolicy,
  Stash,
  Stats,
  Step,
  StepId,
  TurnId,
  View,
} from "./types.js";
import { makeView } from "./view.js";

/** Something that the engine handed over and that has not been done yet. */
interface Todo {
  readonly outcome: Outcome;
  /** The command that `outcome.send` carries. */
  readonly ticket?: number;
  /** The wish to sync the canvas that it answers. */
  readonly sync?: Waiting;
}

interface Waiting {
  resolve(moved: Moved): void;
  reject(error: HeadwayError): void;
}

/** The root: HEAD may be there, and there is a content at it, but it is no step. */
const ROOT = "step-initial";

/** The canvas is as it was. */
const NOT_REPLAYED: Replayed = Object.freeze({ canvasWritten: false, edits: toEditList(NO_EDITS), conflicts: [] });

const NOTHING: Omit<Outcome, "changed"> = { send: [], lookAtCanvas: false, settled: [], notices: [] };

/** Where the runtime has `Symbol.dispose`, `using headway = Headway.create()` frees at the end of the block. */
export interface Headway {
  [Symbol.dispose](): void;
}

export class Headway {
  readonly #options: Checked;
  readonly #path: Path;
  readonly #steps: Steps;
  readonly #turns: Turns;
  readonly #listeners = new Set<() => void>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #syncing = new Set<Waiting>();
  readonly #queue = new Queue<Todo>({
    act: (todo) => this.#one(todo),
    blocker: ({ outcome }) => (outcome.lookAtCanvas ? this.#canvas.busy : undefined),
    atRest: () => this.#tell(),
  });
  readonly #canvas: Canvas;
  /** What puts commands on the wire now. */
  #wire: Checked["send"];
  #engine: Engine | undefined;
  #view: View | undefined;
  #isNews = false;

  private constructor(options: Checked) {
    this.#options = options;
    this.#wire = options.send;
    this.#engine = engineFor(options);
    this.#path = new Path(this.#engine);
    this.#steps = new Steps(this.#engine);
    this.#turns = new Turns(this.#engine);
    this.#canvas = new Canvas({
      live: () => this.#live,
      engine: () => this.#engine,
      do: (handed) => this.#do(handed),
      goOn: () => this.#queue.goOn(),
      now: () => this.#now(),
      normalize: options.normalize,
    });
  }

  /** A Headway that knows nothing yet. Synchronous: the WebAssembly is part of the module. */
  static create(options: HeadwayOptions = {}): Headway {
    const headway = new Headway(checkedOptions(options));
    const { content } = headway.#options;
    if (content === undefined) return headway;
    try {
      headway.#do(throwing(() => headway.#live.beginWith(content)) as HandedOver);
      return headway;
    } catch (error) {
      headway.free();
      throw error;
    }
  }

  /** Gives the memory back. Commands that wait are rejected with `freed`; every later call throws it (X3). */
  free(): void {
    const engine = this.#engine;
    if (!engine) return;
    this.#engine = undefined;
    this.#view = undefined;
    for (const waiting of [...this.#waiting.values(), ...this.#syncing]) waiting.reject(freed());
    this.#waiting.clear();
    this.#syncing.clear();
    this.#listeners.clear();
    this.#queue.clear();
    engine.free();
    this.#canvas.freed();
  }

  get #live(): Engine {
    if (!this.#engine) throw freed();
    return this.#engine;
  }

  // ── in ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The socket opened. The server's snapshot, which follows, tells everything else. */
  connected(): void {
    this.#do(this.#served().connected());
  }

  /** The socket was lost. What is known stays on show; `canRedo` becomes `unknown` (R4). */
  disconnected(): void {
    this.#do(this.#served().disconnected());
  }

  /** One text frame, exactly as it came. A frame that makes no sense is a notice and changes nothing (X1). */
  receive(frame: string): void {
    if (typeof frame !== "string") {
      throw new HeadwayError("invalid_argument", "receive takes the text of one frame, as the socket gave it.");
    }
    this.#do(receive(this.#served(), frame) as HandedOver);
  }

  /** Puts commands on this wire from now on, in place of the option `send`. Gives what ends that. */
  sendThrough(send: (text: string) => void): () => void {
    void this.#served();
    checkFunction("send", send);
    const own = (text: string) => send(text);
    this.#wire = own;
    return () => {
      if (this.#wire === own) this.#wire = this.#options.send;
    };
  }

  /** Lets time-outs fall due (R8). Call it now and then, once a second is plenty. */
  tick(): void {
    this.#do(this.#live.tick(this.#now()));
  }

  // ── out ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** What there is to see now. The same object until something changed (T8); made for `useSyncExternalStore`. */
  getView = (): View => {
    if (this.#view) return this.#view;
    const header = this.#live.view() as ViewHeader;
    const stretch = this.#path.now();
    this.#view = makeView(
      header,
      () => (this.#live, this.#steps.all(stretch)),
      () => (this.#live, this.#turns.list(header.revertRefusal)),
    );
    return this.#view;
  };

  /** Calls `listener` whenever there is another view, never from inside a call. Gives what ends it. */
  subscribe = (listener: () => void): (() => void) => {
    void this.#live;
    checkFunction("listener", listener);
    // A function of one's own, so that the same listener can subscribe twice.
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  };

  // ── asking first ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether a command would be sent now: `true`, or why not (R2). Changes nothing. */
  can(command: "prompt" | "stop" | "redo"): true | Refusal;
  can(command: "revert", turn: TurnId): true | Refusal;
  can(command: "checkout" | "revertStep", step: StepId): true | Refusal;
  can(command: "prompt" | "stop" | "redo" | "revert" | "checkout" | "revertStep", id?: string): true | Refusal {
    const engine = this.#live;
    const cannot = {
      prompt: () => engine.cannotPrompt(),
      stop: () => engine.cannotStop(),
      redo: () => MOVES.redo.cannot(engine),
      revert: () => MOVES.revert.cannot(engine, checkText("turn", id)),
      checkout: () => MOVES.checkout.cannot(engine, checkText("step", id)),
      revertStep: () => MOVES.revertStep.cannot(engine, checkText("step", id)),
    };
    if (!Object.hasOwn(cannot, command)) {
      throw new HeadwayError("invalid_argument", `There is no command "${String(command)}".`);
    }
    const refusal = cannot[command]();
    return this.#hasWire ? (refusal ?? true) : "offline";
  }

  /**
   * Where HEAD would be after a command, whether or not it would be sent now: `preview` shows what that changes. `undefined` for a redo whose revert this
   * Headway has not seen (R5). Throws `unknown_turn`, `unknown_step` or `not_on_path`.
   */
  leadsTo(command: "redo"): StepId | undefined;
  leadsTo(command: "revert", turn: TurnId): StepId;
  leadsTo(command: "checkout" | "revertStep", step: StepId): StepId;
  leadsTo(command: MoveName, id?: string): StepId | undefined {
    const engine = this.#live;
    if (!Object.hasOwn(MOVES, command)) {
      throw new HeadwayError("invalid_argument", `There is no command "${String(command)}" that moves HEAD.`);
    }
    const of = command === "redo" ? "" : checkText(command === "revert" ? "turn" : "step", id);
    return throwing(() => engine.leadsTo(command, of));
  }

  // ── acting ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Asks for a new turn. Settles when the turn has begun: its user step is there. */
  async prompt(words: string, source: "chat" | "feedback" = "chat"): Promise<void> {
    const isFeedback = isFromFeedback(source);
    await this.#command((engine) => engine.prompt(checkText("words", words), isFeedback, this.#now()));
  }

  /** Asks the agent to end its run. Settles when it is no longer generating. */
  async stop(): Promise<void> {
    await this.#command((engine) => engine.stop(this.#now()));
  }

  /**
   * Goes back to before a turn (R1): HEAD moves to its parent, and the canvas shows what was there. `how` says what becomes of what was
   * edited by hand (P6).
   */
  revert(turn: TurnId, how: ReplayPolicy = "exact"): Promise<Moved> {
    return this.#move("revert", () => checkText("turn", turn), how);
  }

  /** Takes the latest revert back (R3). */
  redo(how: ReplayPolicy = "exact"): Promise<Moved> {
    return this.#move("redo", () => "", how);
  }

  /**
   * Goes to a step, on the path or off it (R1): HEAD moves there, and the canvas shows what it left behind. Refused with `unsupported` by a server that does not
   * announce `checkout`.
   */
  checkout(step: StepId, how: ReplayPolicy = "exact"): Promise<Moved> {
    return this.#move("checkout", () => checkText("step", step), how);
  }

  /** Goes back to before a step on the path (R1), as `revert` does for a turn. */
  revertStep(step: StepId, how: ReplayPolicy = "exact"): Promise<Moved> {
    return this.#move("revertStep", () => checkText("step", step), how);
  }

  // ── local authority (R14) ────────────────────────────────────────────────────────────────────────────────────────

  /**
   * A turn begins with what a person asked. Gives its id: the one that is given, or a new one. Throws `busy` while another turn is going on,
   * `empty_prompt`, `turn_taken`, or `unsupported` when a server owns the history.
   */
  beginTurn(prompt: string, id?: TurnId, source: "chat" | "feedback" = "chat"): TurnId {
    const [engine, words] = [this.#live, checkText("prompt", prompt)];
    const name = id === undefined ? id : checkText("id", id);
    const isFeedback = isFromFeedback(source);
    if (this.#options.authority === "local" && this.getView().headId === ROOT && engine.content() === undefined) {
      const onCanvas = this.#canvas.isBound ? this.#canvas.text() : undefined;
      if (onCanvas !== undefined) this.#do(throwing(() => engine.beginWith(onCanvas)) as HandedOver);
    }
    return this.#recorded(() => engine.beginTurn(words, isFeedback, name, this.#now()));
  }

  /**
   * The agent did something: a step below HEAD. What it changed of the content is done to the canvas as it is (P13), if it is not there yet. Gives the id of the
   * step. Throws `not_running` when no turn is going on, `malformed_step` or `invalid_content`.
   */
  recordStep(step: RecordedStep = {}): StepId {
    const engine = this.#live;
    const { fields, after } = recordedFields(step);
    return this.#recorded(() => engine.recordStep(fields, after, this.#now()));
  }

  /** The turn is over. `reason` says why one has failed. Throws `not_running` when none is going on. */
  endTurn(how: "done" | "stopped" | "failed" = "done", reason = ""): void {
    if (how !== "done" && how !== "stopped" && how !== "failed") {
      throw new HeadwayError("invalid_argument", '"how" has to be "done", "stopped" or "failed".');
    }
    const [engine, why] = [this.#live, checkText("reason", reason)];
    this.#do(throwing(() => engine.endTurn(how, why, this.#now())) as HandedOver);
  }

  /** Brings the canvas to the content of HEAD (P14). */
  async syncCanvas(how: ReplayPolicy = "exact"): Promise<Moved> {
    const engine = this.#live;
    const keep = this.#canvas.keeps(how, () => engine.editsAgainstHead(this.#canvas.shown()));
    const sync = () => this.#canvas.prepared(() => engine.syncCanvas(keep) as HandedOver);
    const handed = this.#withFaults(undefined, sync);
    return new Promise((resolve, reject) => {
      const waiting = { resolve, reject };
      this.#syncing.add(waiting);
      this.#do(handed, { sync: waiting });
    });
  }

  // ── what was edited by hand ──────────────────────────────────────────────────────────────────────────────────────

  /** What replays have overwritten of what was edited by hand, oldest first (P7). */
  stashes(): readonly Stash[] {
    const records = this.#live.stashes() as readonly (Omit<Stash, "edits"> & { readonly edits: string })[];
    return Object.freeze(records.map((stash) => Object.freeze({ ...stash, edits: toEditList(stash.edits) })));
  }

  /**
   * Puts a stash back on the canvas, three-way. Where both did something to the same, `how` decides: the canvas stays as it is and the stash is kept
   * (`"keep"`); the stash is put there (`"exact"`), and what a person had there is stashed in turn; or nothing is done (`"refuse"`, `manual_edits`). Once it is
   * there as a whole, the stash is gone. Throws `unknown_stash` or `canvas_unbound`.
   */
  applyStash(id: string, how: ReplayPolicy = "keep"): Merge {
    const [engine, name] = [this.#live, checkText("id", id)];
    const keep = this.#canvas.keeps(how, () => engine.editsAgainstStash(name, this.#canvas.shown()));
    const { plan, outcome } = throwing(() => engine.applyStash(name, this.#canvas.shown(), keep) as StashPlan);
    this.#do(outcome);
    return toMerge(plan);
  }

  /** Drops a stash for good. */
  dropStash(id: string): void {
    const name = checkText("id", id);
    this.#do(throwing(() => this.#live.dropStash(name)) as HandedOver);
  }

  // ── looking ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A window of the visible steps: `count` of them from position `from`. */
  steps(from = 0, count = Infinity): readonly Step[] {
    void this.#live;
    const stretch = this.#path.now();
    const first = Math.min(Math.max(0, Math.trunc(from) || 0), stretch.length);
    return this.#steps.window(stretch, first, Math.min(stretch.length, first + Math.max(0, Math.trunc(count) || 0)));
  }

  /** A step by its id, on the path or off it. */
  step(id: StepId): Step | undefined {
    void this.#live;
    return this.#steps.find(checkText("id", id));
  }

  /**
   * The content at a step, at HEAD, or on the bound canvas: JSON text exactly as it came in (C1), or that of the nearest ancestor (R7). Throws
   * `evicted` when it was let go to stay within `memoryBudget` (C3).
   */
  content(at?: StepId | "canvas"): string | undefined {
    if (at === "canvas") return this.#canvas.text();
    const id = at === undefined ? at : checkText("at", at);
    return throwing(() => this.#live.content(id));
  }

  /**
   * The edits between the contents at two steps, or what is on the bound canvas (H10). Changes nothing. Throws `unknown_step`,
   * `content_unknown`, `evicted`, `canvas_unbound`, or `invalid_content` when the canvas gives no JSON object.
   */
  diff(from: StepId | "canvas", to: StepId | "canvas"): EditList {
    const compare = () => this.#live.compare(this.#side("from", from), this.#side("to", to));
    return toEditList(known(throwing(() => this.#canvas.prepared(compare))));
  }

  /**
   * The edits that the bound canvas would see if it showed the content at a step, repaired where it has to be (C7), without moving
   * anything. Throws what `diff` throws, and `invalid_content` with the faults as `detail` when `validation` is `"strict"`.
   */
  preview(step: StepId): EditList {
    const [onCanvas, id] = [this.#canvas.text(), this.#known("step", step)];
    const preview = () => this.#canvas.prepared(() => this.#live.preview(onCanvas, id));
    return toEditList(known(this.#withFaults(id, preview)));
  }

  /**
   * What it would do to the content of HEAD to merge what another step has into it: three-way, from the nearest step that both
   * come from (H10). Where both sides changed the same, HEAD's stays and a conflict is listed. Changes nothing. Throws
   * `unknown_step`, `content_unknown` or `evicted`.
   */
  planMerge(step: StepId): Merge {
    const id = this.#known("step", step);
    return toMerge(throwing(() => this.#live.planMerge(id)));
  }

  /**
   * Everything that is wrong with the content at a step, at HEAD, or on the bound canvas (C7); empty when it is whole. Changes
   * nothing. Throws what `diff` throws.
   */
  validate(at?: StepId | "canvas"): readonly Fault[] {
    const side = at === undefined ? Side.head() : this.#side("at", at);
    return toFaults(known(throwing(() => this.#live.validate(side))));
  }

  /** Sizes. */
  stats(): Stats {
    return { ...(this.#live.stats() as Omit<Stats, "wasmBytes">), wasmBytes: Engine.memoryBytes() };
  }

  // ── canvas ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Binds a plain canvas, in place of the one that was bound. From now on what the agent does, a revert and a redo
   * reach it through `apply`, as edits, or through `replace`, whole (P10). Binding by itself overwrites nothing (P14). Gives what
   * unbinds it.
   */
  bindCanvas(canvas: PlainCanvas): () => void {
    return this.#canvas.bindPlain(canvas);
  }

  /** The live document that is bound, for who relays its updates. `headway/yjs` binds one. */
  get document(): EngineDocument {
    return this.#canvas.document;
  }

  /** What the devtools and a bug report show. */
  toJSON(): unknown {
    return { view: this.getView(), stats: this.stats() };
  }

  // ── the machinery ───────────────────────────────────────────────────────────────────────────────────────────────

  #side(name: string, at: StepId | "canvas"): Side {
    return at === "canvas" ? Side.canvas(this.#canvas.text()) : Side.step(this.#known(name, at));
  }

  /** The id of a step that is there. */
  #known(name: string, at: StepId): StepId {
    const id = checkText(name, at);
    if (id === ROOT || this.#live.findStep(id).length > 0) return id;
    throw new HeadwayError("unknown_step", `There is no step "${id}"; look it up in the view again.`);
  }

  /** A content that is refused for its faults is refused with the list of them. */
  #withFaults<T>(at: StepId | undefined, call: () => T): T {
    try {
      return call();
    } catch (thrown) {
      const error = asHeadwayError(thrown);
      if (!(error instanceof HeadwayError) || error.code !== "invalid_content") throw error;
      const faults = this.validate(at);
      throw faults.length > 0 ? new HeadwayError(error.code, error.message, faults) : error;
    }
  }

  #now(): number {
    const now: unknown = this.#options.now();
    if (typeof now === "number" && Number.isFinite(now)) return now;
    throw new HeadwayError("invalid_argument", '"now" has to give the time in ms, as a finite number.');
  }

  /** Whether there is somebody to ask, or nobody has to be asked. */
  get #hasWire(): boolean {
    return this.#options.authority === "local" || this.#wire !== undefined;
  }

  /** The server speaks only where there is one. */
  #served(): Engine {
    const engine = this.#live;
    if (this.#options.authority === "server") return engine;
    throw new HeadwayError("unsupported", 'With authority "local" there is no server; nothing comes from one.');
  }

  #recorded(record: () => unknown): string {
    const { id, outcome } = throwing(record) as Recorded;
    this.#do(outcome);
    return id;
  }

  /** Asks for a move of HEAD; `how` says what becomes of what was edited by hand (P6). */
  #move(command: MoveName, of: () => string, how: ReplayPolicy): Promise<Moved> {
    return this.#command((engine) => {
      const [id, { cannot, ask }] = [of(), MOVES[command]];
      const against = () => engine.editsAgainst(command, id, this.#canvas.shown());
      const keep = this.#canvas.keeps(how, () => cannot(engine, id) ?? against());
      return ask(engine, id, keep, this.#now());
    });
  }

  async #command(ask: (engine: Engine) => unknown): Promise<Moved> {
    const engine = this.#live;
    if (!this.#hasWire) {
      throw new HeadwayError(
        "offline",
        "This Headway has no wire (`send`, or `connect` of headway/socket), so it can ask nobody.",
      );
    }
    const { ticket, outcome } = throwing(() => ask(engine) as Sent);
    return new Promise<Moved>((resolve, reject) => {
      this.#waiting.set(ticket, { resolve, reject });
      this.#do(outcome, { ticket });
    });
  }

  #do(handed: HandedOver, rest: Omit<Todo, "outcome"> = {}): void {
    if (handed === false && !rest.sync) return;
    const outcome = typeof handed === "object" ? handed : { ...NOTHING, changed: handed };
    // At once: what is queued is what there is to do, not what there is to see.
    if (outcome.changed) {
      this.#view = undefined;
      this.#isNews = true;
    }
    this.#queue.add({ outcome, ...rest });
  }

  #one({ outcome, ticket, sync }: Todo): void {
    for (const frame of outcome.send) this.#send(frame, ticket);
    const replayed = (outcome.lookAtCanvas && this.#canvas.look()) || NOT_REPLAYED;
    for (const settled of outcome.settled) this.#settle(settled, replayed);
    // Freed in between: it was rejected then.
    if (sync && this.#syncing.delete(sync)) sync.resolve({ headId: this.getView().headId, ...replayed });
    for (const notice of outcome.notices) this.#notify(notice);
  }

  #settle({ ticket, failure, headId, prompt }: Settled, replayed: Replayed): void {
    const waiting = this.#waiting.get(ticket);
    this.#waiting.delete(ticket);
    if (failure) waiting?.reject(new HeadwayError(failure.code, failure.message));
    else waiting?.resolve({ headId, ...replayed, ...(prompt === undefined ? {} : { prompt }) });
  }

  #send(frame: string, ticket: number | undefined): void {
    try {
      this.#wire?.(frame);
    } catch (thrown) {
      if (ticket !== undefined && this.#engine) this.#do(this.#engine.notSent(ticket, wordsOf(thrown)));
    }
  }

  #notify(notice: Notice): void {
    guarded(() => this.#options.onNotice?.(Object.freeze(notice)));
  }

  #tell(): boolean {
    if (!this.#isNews) return false;
    this.#isNews = false;
    for (const listener of [...this.#listeners]) {
      if (this.#listeners.has(listener)) guarded(listener);
    }
    return true;
  }
}

/** The engine checks the schema; what it says is told as an error of ours. */
function engineFor(options: Checked): Engine {
  const { commandTimeout, keepInputMessages, memoryBudget, normalize } = options;
  try {
    const schema = JSON.stringify(options.schema) ?? "null";
    const [isStrict, normalizes] = [options.validation === "strict", normalize !== undefined];
    const isLocal = options.authority === "local";
    const engine = new Engine(schema, commandTimeout, keepInputMessages, memoryBudget, isStrict, normalizes, isLocal);
    engine.setStoppingLimit(options.stoppingLimit);
    return engine;
  } catch (thrown) {
    throw asHeadwayError(thrown);
  }
}

function known(json: string | undefined): string {
  if (json !== undefined) return json;
  throw new HeadwayError("content_unknown", "The content at one of the steps is not known.");
}

function freed(): HeadwayError {
  return new HeadwayError("freed", "This Headway was freed; make a new one with Headway.create.");
}

if (typeof Symbol.dispose === "symbol") {
  Object.defineProperty(Headway.prototype, Symbol.dispose, { value: Headway.prototype.free });
}
