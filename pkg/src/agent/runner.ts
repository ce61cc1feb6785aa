/**
 * Who runs the agent: this process, or another one that is alive as long as it keeps its lease.
 *
 * A run begins here when its first entry is in the log, and ends when its last one is, whatever becomes of the agent's code and of the store meanwhile. A run of
 * another process is watched, and ended in its place when that shows no sign of life.
 */
import { HeadwayError, wordsOf } from "../error.js";
import { recordedFields } from "../recorded.js";
import type { RecordedStep, StepId, TurnId } from "../types.js";
import type { Entry } from "./entry.js";
import type { AgentHistory } from "./history.js";
import type { Line } from "./line.js";
import { Run, type AgentRun, type RunEnd } from "./run.js";
import type { AgentStore } from "./store.js";

export interface RunnerOptions {
  readonly id: string;
  readonly history: AgentHistory;
  readonly line: Line;
  readonly store: AgentStore;
  readonly agent: (run: AgentRun) => void | Promise<void>;
  readonly stopGrace: number;
  readonly leaseFor: number;
  readonly onError: (thrown: unknown) => void;
}

/** How long to wait before what did not work is tried again, in ms: at first, and at most. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 30_000;
export const longer = (wait: number | undefined): number =>
  wait === undefined ? FIRST_WAIT : Math.min(2 * wait, LONGEST_WAIT);

const SHUT_DOWN: RunEnd = { how: "failed", reason: "The agent service was shut down." };
const LEFT_ALONE: RunEnd = { how: "failed", reason: "The agent service stopped in the middle of this." };

export class Runner {
  readonly #options: RunnerOptions;
  /** Names this process among others. */
  readonly #holder = crypto.randomUUID();
  #run: Run | undefined;
  #finishing: Promise<void> | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;
  /** Ends the wait for a store that cannot be reached. */
  #wake = () => {};
  #isClosing = false;
  #isKilled = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Begins a run, if `check` has nothing against it. To be called in line. */
  async begin(prompt: string, source: "chat" | "feedback", check: () => void): Promise<TurnId> {
    const { history, agent, stopGrace: grace } = this.#options;
    if (this.#isClosing) throw new HeadwayError("freed", "This session is being closed; open another one.");
    let turn = "";
    try {
      await this.#commit(async () => {
        check();
        turn = history.newTurn();
        // Before everybody knows of the run: nobody shall take it for dead.
        if (!(await this.#lease(turn))) throw new HeadwayError("busy", "The agent begins to work for another process.");
        return { now: history.now, do: "begin", turn, prompt, source };
      });
    } catch (thrown) {
      if (turn !== "") await this.#release(turn);
      throw thrown;
    }
    const content = history.headway.content();
    const steps = Object.freeze(history.headway.getView().steps.slice(0, -1));
    const record = (step: RecordedStep) => this.#record(turn, step);
    const run = new Run({ turn, prompt, source, steps, content, agent, grace, record });
    this.#run = run;
    this.#finishing = this.#finish(run);
    return turn;
  }

  /** Reads what is new, keeps the lease of a run that is ours, and ends one that is nobody's. To be called in line. */
  async lookAfter(): Promise<void> {
    const { history } = this.#options;
    await history.catchUp();
    const { turn } = history;
    if (turn === undefined) return;
    const isLeased = await this.#lease(turn);
    if (this.#run?.turn === turn) {
      if (!isLeased) this.#run.stop();
    } else if (isLeased) {
      await this.#end(turn, () => LEFT_ALONE);
      await this.#release(turn);
    }
  }

  /** Something was done: what that means for a run here, and for one elsewhere. */
  follow(): void {
    const { history, store, leaseFor } = this.#options;
    const { turn, state } = history;
    if (this.#run && (state === "STOPPING" || this.#run.turn !== turn)) this.#run.stop();
    // Without leases nobody else can be at work on it.
    if (turn !== undefined && store.lease === undefined && this.#run?.turn !== turn) this.#onBeat();
    const isWatched = turn !== undefined && store.lease !== undefined && !this.#isKilled;
    if (isWatched === (this.#beat !== undefined)) return;
    clearInterval(this.#beat);
    this.#beat = isWatched ? setInterval(() => this.#onBeat(), leaseFor / 3) : undefined;
  }

  /** No run begins here any more; what is on its way to begin still does. */
  shut(): void {
    this.#isClosing = true;
  }

  /** Ends a run that is going on here. Resolves when that is told, or cannot be. */
  async close(): Promise<void> {
    this.shut();
    this.#run?.stop();
    this.#wake();
    await this.#finishing;
  }

  /** Lets go of it, told or not. */
  kill(): void {
    this.#isKilled = true;
    this.#run?.stop();
    this.#wake();
    clearInterval(this.#beat);
    this.#beat = undefined;
  }

  async #record(turn: TurnId, step: RecordedStep): Promise<StepId> {
    recordedFields(step);
    const { history, line } = this.#options;
    const kept = copyOf(step);
    return line.do(async () => {
      await this.#commit(() => {
        if (history.turn === turn && history.state === "GENERATING")
          return { now: history.now, do: "step", step: kept };
        throw new HeadwayError("not_running", "This run is over; nothing more is recorded of it.");
      });
      return history.headway.getView().headId;
    });
  }

  /** The end of a run is told, however long the store cannot be reached. */
  async #finish(run: Run): Promise<void> {
    const { line } = this.#options;
    const ended = await run.ended;
    try {
      for (let wait = longer(undefined); !this.#isKilled; wait = longer(wait)) {
        try {
          return await line.do(() => this.#end(run.turn, () => this.#endOf(ended)));
        } catch (thrown) {
          if (!this.#isWorthAnotherTry(thrown)) return;
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
            setTimeout(resolve, wait);
          });
        }
      }
    } finally {
      if (this.#run === run) this.#run = undefined;
      await this.#release(run.turn);
    }
  }

  #isWorthAnotherTry(thrown: unknown): boolean {
    if (this.#isKilled) return false;
    this.#options.onError(thrown);
    return !this.#isClosing && thrown instanceof HeadwayError && thrown.code === "save_failed";
  }

  /** A run that was stopped, though nobody has asked for that: the session closes, or another process has taken it for dead. */
  #endOf(ended: RunEnd): RunEnd {
    if (ended.how !== "stopped" || this.#options.history.state === "STOPPING") return ended;
    return this.#isClosing ? SHUT_DOWN : LEFT_ALONE;
  }

  /** Ends a turn, if nobody else did. */
  #end(turn: TurnId, end: () => RunEnd): Promise<void> {
    const { history } = this.#options;
    return this.#commit(() => (history.turn === turn ? { now: history.now, do: "end", ...end() } : undefined));
  }

  #commit(decide: () => Entry | undefined | Promise<Entry | undefined>): Promise<void> {
    return this.#options.history.commit(() => {
      if (this.#isKilled) throw new HeadwayError("freed", "This session was closed; open another one.");
      return decide();
    });
  }

  #onBeat(): void {
    const { line, onError } = this.#options;
    line.doOnce("beat", () => this.lookAfter())?.catch(onError);
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
    const { store, onError } = this.#options;
    try {
      await store.release?.(this.#leaseOf(turn), this.#holder);
    } catch (thrown) {
      onError(thrown);
    }
  }

  /** One for each run: what is left of an earlier one does not stand in the way. */
  #leaseOf(turn: TurnId): string {
    return `${this.#options.id}/${turn}`;
  }
}

/** What a step is now, whatever becomes of it before its turn has come. */
function copyOf({ after, ...rest }: RecordedStep): RecordedStep {
  const copy = JSON.parse(JSON.stringify(rest)) as RecordedStep;
  return after === undefined ? copy : { ...copy, after };
}
