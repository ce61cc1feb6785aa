/**
 * One run of the agent: from a prompt to its last step. Whatever becomes of the agent's own code, a run has an end.
 */
import { HeadwayError, wordsOf } from "../error.js";
import type { RecordedStep, Step, StepId, TurnId } from "../types.js";

/** What the agent is asked, and where it says what it does. */
export interface AgentRun {
  readonly turn: TurnId;
  readonly prompt: string;
  readonly source: "chat" | "feedback";
  /** What was said and done before on the path to HEAD, oldest first: the conversation that a model is to know. */
  readonly steps: readonly Step[];
  /** The content at HEAD, as JSON text; `undefined` when none was ever told. */
  readonly content: string | undefined;
  /** Aborted when somebody stops the run, when another process has taken it for dead, and when the session closes. */
  readonly signal: AbortSignal;
  /**
   * The agent did something. Resolves with the id of the step once it is kept and was told to everybody. Rejects with `not_running` when the run is over, and with what
   * {@link Headway.recordStep} throws.
   */
  record(step?: RecordedStep): Promise<StepId>;
}

/** How a run ended. */
export interface RunEnd {
  readonly how: "done" | "stopped" | "failed";
  readonly reason: string;
}

/** What a run needs of the session. */
export interface RunHost {
  readonly turn: TurnId;
  readonly prompt: string;
  readonly source: "chat" | "feedback";
  readonly steps: readonly Step[];
  readonly content: string | undefined;
  readonly agent: (run: AgentRun) => void | Promise<void>;
  /** How long the agent may take to stop, in ms. */
  readonly grace: number;
  readonly record: (step: RecordedStep) => Promise<StepId>;
}

export class Run {
  readonly turn: TurnId;
  readonly #stopped = new AbortController();
  #isOver = false;
  /** How it ended. Never rejects. */
  readonly ended: Promise<RunEnd>;

  constructor(host: RunHost) {
    const { turn, prompt, source, steps, content, agent, grace, record } = host;
    const { signal } = this.#stopped;
    this.turn = turn;
    const run: AgentRun = Object.freeze({
      turn,
      prompt,
      source,
      steps,
      content,
      signal,
      record: async (step: RecordedStep = {}) => {
        if (this.#isOver || signal.aborted)
          throw new HeadwayError("not_running", "This run is over; nothing more is recorded of it.");
        return record(step);
      },
    });
    this.ended = this.#follow(run, agent, grace).finally(() => (this.#isOver = true));
  }

  /** Asks the agent to stop. */
  stop(): void {
    this.#stopped.abort();
  }

  async #follow(run: AgentRun, agent: RunHost["agent"], grace: number): Promise<RunEnd> {
    const { signal } = run;
    const work = (async () => agent(run))().then(
      (): RunEnd => ({ how: "done", reason: "" }),
      (thrown: unknown): RunEnd => ({ how: "failed", reason: wordsOf(thrown) }),
    );
    // Who does not stop when told so is not waited for.
    const patience = new Patience(signal, grace);
    const end = await Promise.race([work, patience.over]);
    patience.forget();
    return signal.aborted ? STOPPED : end;
  }
}

const STOPPED: RunEnd = { how: "stopped", reason: "" };

/** The longest that a timer can wait, in ms. Whoever is to wait longer waits for as long as it takes. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Is over some time after a signal. */
class Patience {
  readonly over: Promise<RunEnd>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: AbortSignal, ms: number) {
    this.over = new Promise((resolve) => {
      const wait = () => {
        if (ms <= LONGEST_TIMER) this.#timer = setTimeout(() => resolve(STOPPED), ms);
      };
      signal.addEventListener("abort", wait, { once: true });
    });
  }

  forget(): void {
    clearTimeout(this.#timer);
  }
}
