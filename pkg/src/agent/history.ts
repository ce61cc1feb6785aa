/**
 * The history of one agent: an engine with local authority, and the log that it follows.
 *
 * Nothing happens to the engine that is not in the log first. `commit` adds an entry and then does it; what another process has added is done when it is read. So
 * everybody who follows the same log has the same engine, and what a client was told once is there after a restart.
 */
import { HeadwayError, wordsOf } from "../error.js";
import { Headway } from "../headway.js";
import type { HeadwayOptions, Refusal, StepId, TurnId } from "../types.js";
import { FORMAT, readEntry, type Entry } from "./entry.js";
import type { AgentStore, LogEntry } from "./store.js";
import type { Told, ToldState } from "./words.js";

/** What an engine is made with. */
export type EngineOptions = Pick<HeadwayOptions, "content" | "schema" | "validation" | "normalize" | "onNotice">;

/** Which contents are told with a step: all, or those that the reader does not have from the step before. */
export type Contents = "all" | "changed";

/** Something to tell, for readers of either kind. */
export type Tell = (contents: Contents) => Told;

export interface HistoryOptions {
  readonly id: string;
  readonly store: AgentStore;
  readonly engine: EngineOptions;
  readonly now: () => number;
  /** Called with what everybody has to know, in the order in which it happened. */
  readonly tell: (tell: Tell) => void;
}

const ROOT = "step-initial";

export class AgentHistory {
  readonly #options: HistoryOptions;
  /** Entries of the log that have been done. */
  #length = 0;
  /** The text of the last one of them. */
  #last = "";
  #headway: Headway;
  /** The steps in the order of their making, abandoned branches included. */
  #steps: StepId[] = [];
  #time = 0;
  #turns = 0;
  #turn: TurnId | undefined;
  #isStopping = false;
  #isFreed = false;
  #characters = 0;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#headway = this.#engine(options.engine.content);
  }

  /** The engine as it is now; another one after the history was cleared. */
  get headway(): Headway {
    return this.#headway;
  }

  get state(): ToldState {
    if (this.#turn === undefined) return "AVAILABLE";
    return this.#isStopping ? "STOPPING" : "GENERATING";
  }

  /** The turn that is going on. */
  get turn(): TurnId | undefined {
    return this.#turn;
  }

  /** The time, which never goes back. */
  get now(): number {
    const now = this.#options.now();
    if (Number.isFinite(now)) return Math.max(now, this.#time);
    throw new HeadwayError("invalid_argument", '"now" has to give the time in ms, as a finite number.');
  }

  /** How much was logged since the history began. */
  get characters(): number {
    return this.#characters;
  }

  /** How many steps there are, abandoned branches included. */
  get size(): number {
    return this.#steps.length;
  }

  /** A name for another turn. */
  newTurn(): TurnId {
    return `msg-${this.#options.id}-${this.#turns + 1}-${this.now}`;
  }

  /** Does what others have added to the log; says whether there was anything. Throws `unreadable_log`. */
  async catchUp(): Promise<boolean> {
    const { store, id } = this.#options;
    const known = this.#length;
    // The last one that is known comes once more: it says whether this is still the same log.
    let entries = await store.read(id, Math.max(0, known - 1));
    const isAnother = !this.#isContinuedBy(entries);
    if (isAnother) entries = await store.read(id, 0);
    if (this.#isFreed) return false;
    if (isAnother) {
      this.#length = 0;
      this.#begin(this.#options.engine.content);
    }
    for (const { at, text } of entries) {
      if (at <= this.#length) continue;
      const entry = readEntry(text, at);
      if (at !== this.#length + 1 && entry.do !== "open") {
        throw new HeadwayError("unreadable_log", `Entries of the log are missing before entry ${at}.`);
      }
      // One that the engine refused for who added it is refused here, too.
      this.#attempt(at, entry, text);
    }
    return isAnother || this.#length > known;
  }

  /** Whether these entries come after those that are known. Somebody may take the log away, as a store does that keeps nothing over its own restart. */
  #isContinuedBy([first]: readonly LogEntry[]): boolean {
    if (this.#length === 0) return true;
    if (!first || first.at < this.#length) return false;
    if (first.at === this.#length) return first.text === this.#last;
    return readEntry(first.text, first.at).do === "open";
  }

  /**
   * Adds an entry to the log and does it. `decide` says which one, as things are, nothing when there is none, or throws why not; it is asked again when somebody else was faster.
   * Throws that, what the engine says against the entry, and `save_failed`.
   */
  async commit(decide: () => Entry | undefined | Promise<Entry | undefined>): Promise<void> {
    for (;;) {
      const wanted = await decide();
      if (!wanted) return;
      // A log begins with what there was before the first turn.
      const entry = this.#length === 0 ? this.opening() : wanted;
      const text = JSON.stringify(entry);
      const at = this.#length + 1;
      const { id, store } = this.#options;
      if (!(await this.#asking(() => store.append(id, at, text, entry.do === "open")))) {
        if (await this.#asking(() => this.catchUp())) continue;
        throw new HeadwayError("save_failed", "The store takes no entry, and has none in its place; nothing was done.");
      }
      // What is done is what is in the log, whatever became of the objects that it was made of.
      const refused = this.#attempt(at, readEntry(text, at), text);
      if (entry !== wanted && wanted.do !== "open") continue;
      if (refused !== undefined) throw refused;
      return;
    }
  }

  /** The entry with which a history begins anew. */
  opening(): Entry {
    const { content } = this.#options.engine;
    // Later than everything that was, so that no name is given twice (H6).
    const now = Math.max(this.now, this.#time + 1);
    return { now, do: "open", format: FORMAT, ...(content !== undefined && { content }) };
  }

  /** Everything there is. */
  readonly snapshot = (contents: Contents): Told & { readonly kind: "snapshot" } => {
    const { headId, canRedo, capabilities } = this.#headway.getView();
    const content = remembering((id: StepId) => this.#headway.content(id));
    return {
      kind: "snapshot",
      state: this.state,
      stepTexts: this.#steps.map((id) => this.#stepText(id, content, contents)),
      headId,
      canRedo: canRedo === true,
      contentText: headId === ROOT ? content(ROOT) : undefined,
      capabilities,
    };
  };

  free(): void {
    this.#isFreed = true;
    this.#headway.free();
  }

  async #asking<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (thrown) {
      if (thrown instanceof HeadwayError) throw thrown;
      throw new HeadwayError("save_failed", `The history could not be saved, so nothing was done: ${wordsOf(thrown)}`);
    }
  }

  /** Does what an entry says; gives what the engine has against it. */
  #attempt(at: number, entry: Entry, text: string): HeadwayError | undefined {
    this.#length = at;
    this.#last = text;
    this.#time = Math.max(this.#time, entry.now);
    this.#characters += text.length;
    try {
      this.#do(entry);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof HeadwayError) return thrown;
      throw thrown;
    }
  }

  #do(entry: Entry): void {
    const headway = this.#headway;
    const { tell } = this.#options;
    switch (entry.do) {
      case "open":
        return this.#open(entry.content);
      case "begin":
        headway.beginTurn(entry.prompt, entry.turn, entry.source);
        this.#turns += 1;
        this.#turn = entry.turn;
        this.#tellState();
        return this.#tellStep();
      case "step":
        headway.recordStep(entry.step);
        return this.#tellStep();
      case "stop":
        if (this.#turn === undefined || this.#isStopping) return;
        this.#isStopping = true;
        return this.#tellState();
      case "end":
        headway.endTurn(entry.how, entry.reason);
        this.#turn = undefined;
        this.#isStopping = false;
        this.#tellStep();
        return this.#tellState();
      case "revert":
        return this.#move(headway.can("revert", entry.turn), () => headway.revert(entry.turn));
      case "redo":
        return this.#move(headway.can("redo"), () => headway.redo());
      case "checkout":
        return this.#move(headway.can("checkout", entry.step), () => headway.checkout(entry.step));
    }
  }

  #open(content: string | undefined): void {
    // The first one says what is there already.
    if (this.#length === 1 && this.#steps.length === 0 && content === this.#options.engine.content) return;
    this.#begin(content);
  }

  /** A history begins. Who is there sees it begin. */
  #begin(content: string | undefined): void {
    this.#headway.free();
    this.#headway = this.#engine(content);
    this.#steps = [];
    this.#turn = undefined;
    this.#isStopping = false;
    this.#characters = 0;
    this.#options.tell(this.snapshot);
  }

  #engine(content: string | undefined): Headway {
    const { content: _, ...options } = this.#options.engine;
    return Headway.create({
      ...options,
      ...(content !== undefined && { content }),
      authority: "local",
      // What was let go could not be told any more.
      memoryBudget: Infinity,
      now: () => this.#time,
    });
  }

  #move(can: true | Refusal, move: () => Promise<unknown>): void {
    if (can !== true) throw new HeadwayError(can, `This cannot be done now: ${can}.`);
    // With local authority HEAD has moved when the call comes back.
    void move();
    const { headId, canRedo } = this.#headway.getView();
    const contentText = this.#headway.content();
    this.#options.tell(() => ({ kind: "headChange", headId, contentText, canRedo: canRedo === true }));
  }

  #tellState(): void {
    const { state } = this;
    this.#options.tell(() => ({ kind: "status", state }));
  }

  /** The step at HEAD is new, or has changed. */
  #tellStep(): void {
    const id = this.#headway.getView().headId;
    if (this.#steps.at(-1) !== id) this.#steps.push(id);
    const content = remembering((step: StepId) => this.#headway.content(step));
    this.#options.tell((contents) => ({ kind: "step", stepText: this.#stepText(id, content, contents) }));
  }

  /** A step as the protocol has it. Contents are put in as they came, to the letter (C1). */
  #stepText(id: StepId, contentAt: (id: StepId) => string | undefined, contents: Contents): string {
    const step = this.#headway.step(id);
    // Its id is one of ours.
    if (!step) return "{}";
    const { parentId = ROOT, turnId, changed: _, extra, ...rest } = step;
    const fields = JSON.stringify({ ...rest, parentId, messageId: turnId, ...extra });
    const [before, after] = [contentAt(parentId), contentAt(id)];
    const isTold = contents === "changed" && parentId !== ROOT;
    const members = [
      before !== undefined && !isTold && `"beforeWorkflowContent":${before}`,
      after !== undefined && !(contents === "changed" && after === before) && `"afterWorkflowContent":${after}`,
    ].filter((member) => member !== false);
    return members.length === 0 ? fields : `${fields.slice(0, -1)},${members.join(",")}}`;
  }
}

/** The same function, which is asked once about each. */
function remembering<K, V>(ask: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const value = known.has(key) ? (known.get(key) as V) : ask(key);
    known.set(key, value);
    return value;
  };
}
