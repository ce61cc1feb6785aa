/**
 * `AgentSession`: one agent and all who look at it.
 *
 * Commands come from any socket and are decided one after the other. What everybody has to know (steps, status, head changes) goes to all, in the same order;
 * what only the asker has to know (errors) goes to the asker. Several processes may have a session of the same agent on the same store: each decides for its own
 * sockets, one of them runs the agent, and all tell the same.
 */
import { HeadwayError, wordsOf } from "../error.js";
import { checkFunction, checkText } from "../options.js";
import { recordedFields } from "../recorded.js";
import type { Headway } from "../headway.js";
import type { HeadwayOptions, RecordedStep, StepId, TurnId } from "../types.js";
import type { Entry } from "./entry.js";
import { AgentHistory, type Contents, type Tell } from "./history.js";
import { Run, type AgentRun, type RunEnd } from "./run.js";
import { memoryStore, type AgentStore } from "./store.js";
import {
  DIALECTS,
  errorFrame,
  framesOf,
  readCommand,
  refusalText,
  type AgentDialect,
  type Command,
  type ToldState,
} from "./words.js";

/** Where frames go: a socket, or anything else with a `send`. */
export interface AgentClient {
  send(frame: string): void;
}

/** How a client wants to be told. */
export interface JoinOptions {
  /** The words of the frames. Default `"D"`, which a client that knows C understands, too. */
  readonly dialect?: AgentDialect;
  /**
   * Which contents come with a step: all, as services in the wild tell them, or only those that are others than with the step before, which is all that a Headway needs and
   * a fraction of the bytes. Default `"all"`.
   */
  readonly contents?: Contents;
}

export interface AgentSessionOptions extends Pick<
  HeadwayOptions,
  "content" | "schema" | "validation" | "normalize" | "onNotice" | "now"
> {
  /** The agent's id. */
  readonly id: string;
  /** What the agent does with a prompt. The run is over when it resolves; when it throws, the run has failed, and its words are told. */
  readonly agent: (run: AgentRun) => void | Promise<void>;
  /** Where the history is kept. Default: in memory. */
  readonly store?: AgentStore;
  /** Keeps the content that a revert, redo or checkout is about to bring back, wherever the document is kept. When it throws, HEAD stays (`save_failed`). */
  readonly save?: (content: string | undefined) => void | Promise<void>;
  /** So much may a history hold before prompts are refused with `history_full`. Default 5,000 steps and 64 Mi characters. */
  readonly limits?: { readonly steps?: number; readonly characters?: number };
  /** How long the agent may take to stop, in ms, before the run is over without it. Default 5,000. */
  readonly stopGrace?: number;
  /** How long another process waits for a sign of life of the one that runs the agent, in ms. Default 10,000. */
  readonly leaseFor?: number;
  /** Called with what went wrong where nobody asked. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** What there is to say about an agent in a line. */
export interface AgentOverview {
  readonly id: string;
  readonly state: ToldState;
  readonly steps: number;
  readonly headId: StepId;
  readonly canRedo: boolean;
  readonly clients: number;
}

interface Listener {
  readonly dialect: AgentDialect;
  readonly contents: Contents;
}

export class AgentSession {
  readonly id: string;
  readonly #options: Required<Pick<AgentSessionOptions, "store" | "stopGrace" | "leaseFor" | "onError">> &
    AgentSessionOptions;
  readonly #history: AgentHistory;
  readonly #clients = new Map<AgentClient, Listener>();
  /** Names this session among those of other processes. */
  readonly #holder = crypto.randomUUID();
  /** What is being done comes before what was asked later. */
  #last: Promise<unknown> = Promise.resolve();
  #run: Run | undefined;
  #unfollow: () => void = () => {};
  #finishing: Promise<void> | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;
  /** What is asked for again and again waits in line once. */
  readonly #waiting = new Set<"news" | "beat">();
  #again: ReturnType<typeof setTimeout> | undefined;
  #wait = FIRST_WAIT;
  #isClosing = false;
  #isClosed = false;

  private constructor(options: AgentSessionOptions) {
    const {
      store = memoryStore(),
      stopGrace = 5_000,
      leaseFor = 10_000,
      onError = console.error,
      now = Date.now,
    } = options;
    const { content, schema, validation, normalize, onNotice } = options;
    this.id = checkText("id", options.id);
    checkFunction("agent", options.agent);
    this.#options = { ...options, store, stopGrace, leaseFor, onError };
    const engine = defined({ content, schema, validation, normalize, onNotice });
    this.#history = new AgentHistory({ id: this.id, store, engine, now, tell: (tell) => this.#tell(tell) });
  }

  /**
   * The session of an agent, with the history that the store has of it. A run that nobody is running any more is ended. Throws `unreadable_log`, and what the store
   * throws.
   */
  static async open(options: AgentSessionOptions): Promise<AgentSession> {
    const session = new AgentSession(options);
    try {
      session.#unfollow = session.#options.store.follow?.(session.id, () => session.#news()) ?? session.#unfollow;
      await session.#inOrder(() => session.#lookAfterRun());
      return session;
    } catch (thrown) {
      session.#unfollow();
      session.#history.free();
      throw thrown;
    }
  }

  /** The engine, to look at. Another one after the history was cleared. */
  get headway(): Headway {
    return this.#history.headway;
  }

  get overview(): AgentOverview {
    const { headId, canRedo } = this.headway.getView();
    const { state, size: steps } = this.#history;
    return { id: this.id, state, steps, headId, canRedo: canRedo === true, clients: this.#clients.size };
  }

  // ── sockets ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A socket opened: it gets the snapshot, and everything from then on. Gives what ends that. */
  join(client: AgentClient, { dialect = "D", contents = "all" }: JoinOptions = {}): () => void {
    this.#assertOpen();
    if (!DIALECTS.includes(dialect)) {
      throw new HeadwayError("invalid_argument", `"dialect" has to be one of ${DIALECTS.join(", ")}.`);
    }
    if (contents !== "all" && contents !== "changed") {
      throw new HeadwayError("invalid_argument", '"contents" has to be "all" or "changed".');
    }
    const listener = { dialect, contents };
    for (const frame of this.#words(this.#history.snapshot, listener)) client.send(frame);
    this.#clients.set(client, listener);
    return () => void this.#clients.delete(client);
  }

  /** One text frame from a socket. Resolves when it has been decided; what is wrong with it is told to the client. Never rejects. */
  async receive(text: string, client: AgentClient): Promise<void> {
    const dialect = this.#clients.get(client)?.dialect ?? "D";
    const command = readCommand(String(text), dialect);
    if (command.kind === "bad") return this.#send(client, command.reply);
    try {
      await this.#carryOut(command);
    } catch (thrown) {
      if (!(thrown instanceof HeadwayError)) this.#options.onError(thrown);
      const error = thrown instanceof HeadwayError ? thrown : new HeadwayError("server_error", wordsOf(thrown));
      this.#send(client, errorFrame(refusalText(command, error), error.code, dialect));
    }
  }

  // ── commands, for the host itself ───────────────────────────────────────────────────────────────────────────────

  /** Starts a run. Resolves when its first step is told. Throws `empty_prompt`, `busy`, `history_full` or `save_failed`. */
  async prompt(words: string, source: "chat" | "feedback" = "chat"): Promise<TurnId> {
    if (checkText("words", words).trim() === "")
      throw new HeadwayError("empty_prompt", "A prompt has to say something.");
    return this.#inOrder(() => this.#begin(words, source));
  }

  /** Ends the run. Resolves when everybody knows that it is to end. Throws `not_running`, `busy` when that is so already, or `save_failed`. */
  async stop(): Promise<void> {
    await this.#decide(() => {
      const { state, now } = this.#history;
      if (state === "GENERATING") return { now, do: "stop" };
      throw state === "STOPPING"
        ? new HeadwayError("busy", "The agent is being stopped already.")
        : new HeadwayError("not_running", "The agent is not running, so there is nothing to stop.");
    });
  }

  /** Goes back to before a turn (R1). Throws `busy`, `unknown_turn`, `not_on_path` or `save_failed`. */
  revert(turn: TurnId): Promise<void> {
    return this.#move("revert", turn);
  }

  /** Takes the latest revert back (R3). Throws `busy`, `nothing_to_redo` or `save_failed`. */
  redo(): Promise<void> {
    return this.#move("redo", "");
  }

  /** Goes to a step (R1). Throws `busy`, `unknown_step` or `save_failed`. */
  checkout(step: StepId): Promise<void> {
    return this.#move("checkout", step);
  }

  /** Begins a new history. Everybody gets a snapshot. Throws `busy` or `save_failed`. */
  async clear(): Promise<void> {
    await this.#decide(() => {
      this.#assertIdle();
      return this.#history.opening();
    });
  }

  /** Ends a run that is going on here, which everybody is told, and lets everybody go; the history stays where it is kept. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#run?.stop();
    await this.#finishing;
    await this.#last;
    this.kill();
  }

  /** Lets go of everything at once, a run in the middle of it: as if the process had been killed. */
  kill(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#clients.clear();
    this.#run?.stop();
    this.#unfollow();
    clearInterval(this.#beat);
    clearTimeout(this.#again);
    this.#history.free();
  }

  // ── deciding ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** One thing after the other. */
  #inOrder<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      this.#assertOpen();
      try {
        return await act();
      } finally {
        this.#followRun();
      }
    });
    this.#last = done.catch(() => {});
    return done;
  }

  #decide(decide: () => Entry | undefined | Promise<Entry | undefined>): Promise<void> {
    return this.#inOrder(() =>
      this.#history.commit(() => {
        this.#assertOpen();
        return decide();
      }),
    );
  }

  async #move(name: keyof typeof MOVES, id: string): Promise<void> {
    const { can, leadsTo, entry } = MOVES[name];
    checkText("id", id);
    await this.#decide(async () => {
      this.#assertIdle();
      const refusal = can(this.headway, id);
      if (refusal !== true) throw new HeadwayError(refusal, `HEAD cannot be moved: ${refusal}.`);
      await this.#save(leadsTo(this.headway, id));
      return entry(this.#history.now, id);
    });
  }

  async #save(to: StepId | undefined): Promise<void> {
    const { save } = this.#options;
    if (!save || to === undefined) return;
    const content = this.headway.content(to);
    try {
      await save(content);
    } catch (thrown) {
      throw new HeadwayError("save_failed", `The content could not be saved, so HEAD stays: ${wordsOf(thrown)}`);
    }
  }

  async #carryOut(command: Command): Promise<void> {
    switch (command.kind) {
      case "prompt":
        return void (await this.prompt(command.words, command.source));
      case "stop":
        return this.stop();
      case "redo":
        return this.redo();
      case "revert":
      case "checkout":
        return this.#move(command.kind, command.id);
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new HeadwayError("freed", "This session was closed; open another one.");
  }

  #assertIdle(): void {
    if (this.#history.turn !== undefined)
      throw new HeadwayError("busy", "The agent is working; wait for it or stop it first.");
  }

  // ── running ─────────────────────────────────────────────────────────────────────────────────────────────────────

  async #begin(prompt: string, source: "chat" | "feedback"): Promise<TurnId> {
    if (this.#isClosing) throw new HeadwayError("freed", "This session is being closed; open another one.");
    let turn = "";
    try {
      await this.#history.commit(async () => {
        this.#assertOpen();
        this.#assertIdle();
        this.#assertRoom();
        turn = this.#history.newTurn();
        // Before everybody knows of the run: nobody shall take it for dead.
        if (!(await this.#lease(turn))) throw new HeadwayError("busy", "The agent begins to work for another process.");
        return { now: this.#history.now, do: "begin", turn, prompt, source };
      });
    } catch (thrown) {
      if (turn !== "") await this.#release(turn);
      throw thrown;
    }
    const { agent, stopGrace: grace } = this.#options;
    const content = this.headway.content();
    const record = (step: RecordedStep) => this.#record(turn, step);
    const run = new Run({ turn, prompt, source, content, agent, grace, record });
    this.#run = run;
    this.#finishing = this.#finish(run);
    return turn;
  }

  async #record(turn: TurnId, step: RecordedStep): Promise<StepId> {
    recordedFields(step);
    return this.#inOrder(async () => {
      await this.#history.commit(() => {
        this.#assertOpen();
        const { state, now } = this.#history;
        if (this.#history.turn === turn && state === "GENERATING") return { now, do: "step", step };
        throw new HeadwayError("not_running", "This run is over; nothing more is recorded of it.");
      });
      return this.headway.getView().headId;
    });
  }

  /** The end of a run is told, however long the store cannot be reached. */
  async #finish(run: Run): Promise<void> {
    const ended = await run.ended;
    for (let wait = FIRST_WAIT; !this.#isClosed; wait = longer(wait)) {
      try {
        return await this.#inOrder(async () => {
          await this.#end(run.turn, () => this.#endOf(ended));
          await this.#leave(run);
        });
      } catch (thrown) {
        if (this.#isClosed) break;
        this.#options.onError(thrown);
        if (this.#isClosing || !(thrown instanceof HeadwayError && thrown.code === "save_failed")) break;
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
    await this.#leave(run);
  }

  /** A run that was stopped, though nobody has asked for that: the session closes, or another process has taken it for dead. */
  #endOf(ended: RunEnd): RunEnd {
    if (ended.how !== "stopped" || this.#history.state === "STOPPING") return ended;
    return this.#isClosing ? SHUT_DOWN : LEFT_ALONE;
  }

  async #leave(run: Run): Promise<void> {
    if (this.#run === run) this.#run = undefined;
    await this.#release(run.turn);
  }

  /** Ends a turn, if nobody else did. */
  #end(turn: TurnId, end: () => RunEnd): Promise<void> {
    return this.#history.commit(() => {
      this.#assertOpen();
      return this.#history.turn === turn ? { now: this.#history.now, do: "end", ...end() } : undefined;
    });
  }

  /** Another process may have added to the log. What cannot be read now is read later: it may be the last news for long. */
  #news(): void {
    clearTimeout(this.#again);
    const reading = this.#onceInOrder("news", () => this.#history.catchUp());
    reading?.then(
      () => (this.#wait = FIRST_WAIT),
      (thrown: unknown) => {
        this.#reported(thrown);
        if (this.#isClosed || (thrown instanceof HeadwayError && thrown.code === "unreadable_log")) return;
        this.#again = setTimeout(() => this.#news(), this.#wait);
        this.#wait = longer(this.#wait);
      },
    );
  }

  /** Reads what is new, keeps the lease of a run that is ours, and ends one that is nobody's. */
  async #lookAfterRun(): Promise<void> {
    await this.#history.catchUp();
    const { turn } = this.#history;
    if (turn === undefined) return;
    const isLeased = await this.#lease(turn);
    if (this.#run?.turn === turn) {
      if (!isLeased) this.#run.stop();
    } else if (isLeased) {
      await this.#end(turn, () => LEFT_ALONE);
      await this.#release(turn);
    }
  }

  /** Once something was done: what that means for a run here, and for one elsewhere. */
  #followRun(): void {
    const { turn, state } = this.#history;
    if (this.#run && (state === "STOPPING" || this.#run.turn !== turn)) this.#run.stop();
    const isWatched = turn !== undefined && this.#options.store.lease !== undefined && !this.#isClosed;
    if (isWatched === (this.#beat !== undefined)) return;
    clearInterval(this.#beat);
    this.#beat = isWatched ? setInterval(() => this.#onBeat(), this.#options.leaseFor / 3) : undefined;
  }

  #onBeat(): void {
    this.#onceInOrder("beat", () => this.#lookAfterRun())?.catch((thrown: unknown) => this.#reported(thrown));
  }

  /** Nothing, when it waits in line already. */
  #onceInOrder(what: "news" | "beat", act: () => Promise<unknown>): Promise<unknown> | undefined {
    if (this.#isClosed || this.#waiting.has(what)) return undefined;
    this.#waiting.add(what);
    return this.#inOrder(() => {
      this.#waiting.delete(what);
      return act();
    });
  }

  async #lease(turn: TurnId): Promise<boolean> {
    const { store, leaseFor } = this.#options;
    try {
      return (await store.lease?.(this.#leaseOf(turn), this.#holder, leaseFor)) ?? true;
    } catch (thrown) {
      throw new HeadwayError("save_failed", `The agent's history cannot be reached: ${wordsOf(thrown)}`);
    }
  }

  async #release(turn: TurnId): Promise<void> {
    const { store } = this.#options;
    await store.release?.(this.#leaseOf(turn), this.#holder).catch((thrown: unknown) => this.#reported(thrown));
  }

  /** One for each run: what is left of an earlier one does not stand in the way. */
  #leaseOf(turn: TurnId): string {
    return `${this.id}/${turn}`;
  }

  #assertRoom(): void {
    const { steps = MOST_STEPS, characters = MOST_CHARACTERS } = this.#options.limits ?? {};
    if (this.#history.size < steps && this.#history.characters < characters) return;
    throw new HeadwayError("history_full", "This agent's history is full; open another agent");
  }

  // ── telling ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #tell(tell: Tell): void {
    const said = new Map<string, readonly string[]>();
    for (const [client, listener] of [...this.#clients]) {
      const key = `${listener.dialect} ${listener.contents}`;
      const frames = said.get(key) ?? this.#words(tell, listener);
      said.set(key, frames);
      for (const frame of frames) this.#send(client, frame);
    }
  }

  #words(tell: Tell, { dialect, contents }: Listener): readonly string[] {
    return framesOf(tell(contents), dialect, () => this.#history.snapshot(contents));
  }

  /** A client that cannot be told any more is told nothing more. */
  #send(client: AgentClient, frame: string): void {
    try {
      client.send(frame);
    } catch (thrown) {
      this.#clients.delete(client);
      this.#reported(thrown);
    }
  }

  #reported(thrown: unknown): void {
    if (!this.#isClosed) this.#options.onError(thrown);
  }
}

const MOST_STEPS = 5_000;
const MOST_CHARACTERS = 64 * 2 ** 20;

/** How long to wait before what did not work is tried again, in ms: at first, and at most. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 30_000;
const longer = (wait: number) => Math.min(2 * wait, LONGEST_WAIT);

const SHUT_DOWN: RunEnd = { how: "failed", reason: "The agent service was shut down." };
const LEFT_ALONE: RunEnd = { how: "failed", reason: "The agent service stopped in the middle of this." };

/** The commands that move HEAD, side by side. */
const MOVES = {
  revert: {
    can: (headway: Headway, turn: TurnId) => headway.can("revert", turn),
    leadsTo: (headway: Headway, turn: TurnId) => headway.leadsTo("revert", turn),
    entry: (now: number, turn: TurnId): Entry => ({ now, do: "revert", turn }),
  },
  redo: {
    can: (headway: Headway) => headway.can("redo"),
    leadsTo: (headway: Headway) => headway.leadsTo("redo"),
    entry: (now: number): Entry => ({ now, do: "redo" }),
  },
  checkout: {
    can: (headway: Headway, step: StepId) => headway.can("checkout", step),
    leadsTo: (headway: Headway, step: StepId) => headway.leadsTo("checkout", step),
    entry: (now: number, step: StepId): Entry => ({ now, do: "checkout", step }),
  },
} as const;

/** Without what is undefined. */
function defined<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
