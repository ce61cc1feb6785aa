/**
 * `AgentSession`: one agent and all who look at it.
 *
 * Commands come from any socket and are decided one after the other. What everybody has to know (steps, status, head changes) goes to all, in the same order;
 * what only the asker has to know (errors) goes to the asker. Several processes may have a session of the same agent on the same store: each decides for its own
 * sockets, one of them runs the agent, and all tell the same.
 */
import { HeadwayError, wordsOf } from "../error.js";
import type { Headway } from "../headway.js";
import { checkText } from "../options.js";
import type { StepId, TurnId } from "../types.js";
import { Audience, type AgentClient, type JoinOptions } from "./audience.js";
import type { Entry } from "./entry.js";
import { AgentHistory } from "./history.js";
import { Line } from "./line.js";
import { checkedAgent, type AgentSessionOptions, type CheckedAgent } from "./options.js";
import { longer, Runner } from "./runner.js";
import { errorFrame, readCommand, refusalText, type Command, type ToldState } from "./words.js";

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
  readonly #options: CheckedAgent;
  readonly #history: AgentHistory;
  readonly #audience: Audience;
  readonly #runner: Runner;
  readonly #line: Line;
  #unfollow: () => void = () => {};
  /** When news that could not be read are read again, and how long that was put off. */
  #again: ReturnType<typeof setTimeout> | undefined;
  #wait: number | undefined;
  #isClosed = false;
  /** Commands of each client that have not been decided yet. */
  readonly #pending = new WeakMap<AgentClient, number>();

  private constructor(options: CheckedAgent) {
    const { id, store, agent, now, stopGrace, leaseFor, engine } = options;
    this.id = id;
    this.#options = options;
    const onError = (thrown: unknown) => this.#reported(thrown);
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
    const session = new AgentSession(checkedAgent(options));
    try {
      session.#unfollow = session.#options.store.follow?.(session.id, () => session.#news()) ?? session.#unfollow;
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

  /**
   * One text frame from a socket. Resolves when it has been decided; what is wrong with it is told to the client, as is that a hundred of its commands wait already
   * (`busy`). Never rejects.
   */
  async receive(text: string, client: AgentClient): Promise<void> {
    const dialect = this.#audience.dialectOf(client);
    const answer = (error: string, code: string) => this.#audience.send(client, errorFrame(error, code, dialect));
    const command = readCommand(String(text), dialect);
    if (command.kind === "bad") return this.#audience.send(client, command.reply);
    const pending = this.#pending.get(client) ?? 0;
    if (pending >= MOST_PENDING) return answer("Too many commands at once", "busy");
    this.#pending.set(client, pending + 1);
    try {
      await this.#carryOut(command);
    } catch (thrown) {
      if (!(thrown instanceof HeadwayError)) this.#reported(thrown);
      const error = thrown instanceof HeadwayError ? thrown : new HeadwayError("server_error", wordsOf(thrown));
      answer(refusalText(command, error), error.code);
    } finally {
      this.#pending.set(client, (this.#pending.get(client) ?? 1) - 1);
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
    this.#runner.shut();
    // A run that is about to begin has its end, too.
    await this.#line.atRest();
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
    return this.#line.do(() => this.#commit(decide));
  }

  #commit(decide: () => Entry | undefined | Promise<Entry | undefined>): Promise<void> {
    return this.#history.commit(() => {
      this.#assertOpen();
      return decide();
    });
  }

  async #move(name: keyof typeof MOVES, id: string): Promise<void> {
    const { can, leadsTo, entry } = MOVES[name];
    checkText("id", id);
    await this.#line.do(async () => {
      let isSaved = false;
      try {
        await this.#commit(async () => {
          this.#assertIdle();
          const refusal = can(this.headway, id);
          if (refusal !== true) throw new HeadwayError(refusal, `HEAD cannot be moved: ${refusal}.`);
          isSaved = await this.#save(leadsTo(this.headway, id));
          return entry(this.#history.now, id);
        });
      } catch (thrown) {
        // What the host has saved is not what is there.
        if (isSaved) await this.#save(this.headway.getView().headId).catch((again: unknown) => this.#reported(again));
        throw thrown;
      }
    });
  }

  /** Has the host save the content at a step, if it wants to. Tells whether it has. */
  async #save(step: StepId | undefined): Promise<boolean> {
    const { save } = this.#options;
    if (!save || step === undefined) return false;
    const content = this.headway.content(step);
    try {
      await save(content);
      return true;
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
    const { steps, characters } = this.#options.limits;
    if (this.#history.size < steps && this.#history.characters < characters) return;
    throw new HeadwayError("history_full", "This agent's history is full; open another agent");
  }

  #reported(thrown: unknown): void {
    if (this.#isClosed) return;
    try {
      this.#options.onError(thrown);
    } catch (again) {
      console.error(thrown, again);
    }
  }
}

/** Commands of one client that wait at most. */
const MOST_PENDING = 100;

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
