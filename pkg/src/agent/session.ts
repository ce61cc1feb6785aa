/**
 * `AgentSession`: one agent and all who look at it.
 *
 * Commands come from any socket and are decided one after the other. What everybody has to know (steps, status, head changes) goes to all, in the same order;
 * what only the asker has to know (errors) goes to the asker. Several processes may have a session of the same agent on the same store: each decides for its own
 * sockets, one of them runs the agent, and all tell the same.
 */
import { HeadwayError, wordsOf } from "../error.js";
import type { Headway } from "../headway.js";
import { checkFunction, checkText } from "../options.js";
import type { HeadwayOptions, StepId, TurnId } from "../types.js";
import { Audience, type AgentClient, type JoinOptions } from "./audience.js";
import type { Entry } from "./entry.js";
import { AgentHistory } from "./history.js";
import { Line } from "./line.js";
import type { AgentRun } from "./run.js";
import { longer, Runner } from "./runner.js";
import { memoryStore, type AgentStore } from "./store.js";
import { errorFrame, readCommand, refusalText, type Command, type ToldState } from "./words.js";

/** What a session is made with. */
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

export class AgentSession {
  readonly id: string;
  readonly #options: AgentSessionOptions;
  readonly #history: AgentHistory;
  readonly #audience: Audience;
  readonly #runner: Runner;
  readonly #line: Line;
  #unfollow: () => void = () => {};
  /** When news that could not be read are read again, and how long that was put off. */
  #again: ReturnType<typeof setTimeout> | undefined;
  #wait: number | undefined;
  #isClosed = false;

  private constructor(options: AgentSessionOptions & { readonly store: AgentStore }) {
    const { store, agent, stopGrace = 5_000, leaseFor = 10_000, now = Date.now } = options;
    const { content, schema, validation, normalize, onNotice } = options;
    const id = checkText("id", options.id);
    checkFunction("agent", agent);
    this.id = id;
    this.#options = options;
    const onError = (thrown: unknown) => this.#reported(thrown);
    const engine = defined({ content, schema, validation, normalize, onNotice });
    const history = new AgentHistory({ id, store, engine, now, tell: (tell) => this.#audience.tell(tell) });
    this.#history = history;
    this.#audience = new Audience(history.snapshot, onError);
    const line = new Line(
      () => this.#assertOpen(),
      () => this.#runner.follow(),
    );
    this.#line = line;
    this.#runner = new Runner({ id, history, line, store, agent, stopGrace, leaseFor, onError });
  }

  /**
   * The session of an agent, with the history that the store has of it. A run that nobody is running any more is ended. Throws `unreadable_log`, and what the
   * store throws.
   */
  static async open(options: AgentSessionOptions): Promise<AgentSession> {
    const { store = memoryStore() } = options;
    const session = new AgentSession({ ...options, store });
    try {
      session.#unfollow = store.follow?.(session.id, () => session.#news()) ?? session.#unfollow;
      await session.#line.do(() => session.#runner.lookAfter());
      return session;
    } catch (thrown) {
      session.kill();
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
    return { id: this.id, state, steps, headId, canRedo: canRedo === true, clients: this.#audience.size };
  }

  // ── sockets ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A socket opened: it gets the snapshot, and everything from then on. Gives what ends that. */
  join(client: AgentClient, how: JoinOptions = {}): () => void {
    this.#assertOpen();
    return this.#audience.join(client, how);
  }

  /** One text frame from a socket. Resolves when it has been decided; what is wrong with it is told to the client. Never rejects. */
  async receive(text: string, client: AgentClient): Promise<void> {
    const dialect = this.#audience.dialectOf(client);
    const command = readCommand(String(text), dialect);
    if (command.kind === "bad") return this.#audience.send(client, command.reply);
    try {
      await this.#carryOut(command);
    } catch (thrown) {
      if (!(thrown instanceof HeadwayError)) this.#reported(thrown);
      const error = thrown instanceof HeadwayError ? thrown : new HeadwayError("server_error", wordsOf(thrown));
      this.#audience.send(client, errorFrame(refusalText(command, error), error.code, dialect));
    }
  }

  // ── commands, for the host itself ───────────────────────────────────────────────────────────────────────────────

  /** Starts a run. Resolves when its first step is told. Throws `empty_prompt`, `busy`, `history_full` or `save_failed`. */
  async prompt(words: string, source: "chat" | "feedback" = "chat"): Promise<TurnId> {
    if (checkText("words", words).trim() === "")
      throw new HeadwayError("empty_prompt", "A prompt has to say something.");
    return this.#line.do(() =>
      this.#runner.begin(words, source, () => {
        this.#assertIdle();
        this.#assertRoom();
      }),
    );
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
    await this.#runner.close();
    await this.#line.atRest();
    this.kill();
  }

  /** Lets go of everything at once, a run in the middle of it: as if the process had been killed. */
  kill(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#audience.leave();
    this.#unfollow();
    this.#runner.kill();
    clearTimeout(this.#again);
    this.#history.free();
  }

  // ── deciding ────────────────────────────────────────────────────────────────────────────────────────────────────

  #decide(decide: () => Entry | undefined | Promise<Entry | undefined>): Promise<void> {
    return this.#line.do(() =>
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

  /** Another process may have added to the log. What cannot be read now is read later: it may be the last news for long. */
  #news(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#again);
    this.#line
      .doOnce("news", () => this.#history.catchUp())
      ?.then(
        () => (this.#wait = undefined),
        (thrown: unknown) => {
          this.#reported(thrown);
          if (this.#isClosed || (thrown instanceof HeadwayError && thrown.code === "unreadable_log")) return;
          this.#wait = longer(this.#wait);
          this.#again = setTimeout(() => this.#news(), this.#wait);
        },
      );
  }

  #assertRoom(): void {
    const { steps = MOST_STEPS, characters = MOST_CHARACTERS } = this.#options.limits ?? {};
    if (this.#history.size < steps && this.#history.characters < characters) return;
    throw new HeadwayError("history_full", "This agent's history is full; open another agent");
  }

  #reported(thrown: unknown): void {
    if (this.#isClosed) return;
    const { onError = console.error } = this.#options;
    onError(thrown);
  }
}

const MOST_STEPS = 5_000;
const MOST_CHARACTERS = 64 * 2 ** 20;

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
