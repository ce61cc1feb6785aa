/** What a host hands in, checked: a mistake is told where it is made, not where it hurts (X2). */
import { HeadwayError } from "../error.js";
import { checkFunction, checkText } from "../options.js";
import type { HeadwayOptions } from "../types.js";
import type { EngineOptions } from "./history.js";
import type { AgentRun } from "./run.js";
import { memoryStore, type AgentStore } from "./store.js";

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
  /**
   * Keeps the content that a revert, redo or checkout is about to bring back, wherever the document is kept. When it throws, HEAD stays (`save_failed`); when HEAD stays for
   * another reason, it is called once more, with the content that is there. The session waits for it, so it must not wait for the session.
   */
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

/** The same with nothing left open but `save`. */
export interface CheckedAgent extends Required<
  Pick<AgentSessionOptions, "id" | "agent" | "store" | "now" | "onError">
> {
  readonly save?: (content: string | undefined) => void | Promise<void>;
  readonly engine: EngineOptions;
  readonly stopGrace: number;
  readonly leaseFor: number;
  readonly limits: { readonly steps: number; readonly characters: number };
}

const MOST_STEPS = 5_000;
const MOST_CHARACTERS = 64 * 2 ** 20;
/** The longest lease, in ms: a day. */
const LONGEST_LEASE = 86_400_000;

export function checkedAgent(options: AgentSessionOptions): CheckedAgent {
  if (typeof options !== "object" || options === null) {
    throw new HeadwayError("invalid_argument", "AgentSession.open takes an object with options.");
  }
  const { agent, save, store = memoryStore(), now = Date.now, onError = console.error } = options;
  const { content, schema, validation, normalize, onNotice, limits = {} } = options;
  const id = checkText("id", options.id);
  for (const [name, value] of Object.entries({ agent, now, onError })) checkFunction(name, value);
  if (save !== undefined) checkFunction("save", save);
  for (const name of ["read", "append"] as const) checkFunction(`store.${name}`, store?.[name]);
  if (typeof limits !== "object" || limits === null) {
    throw new HeadwayError("invalid_argument", '"limits" has to be an object with "steps", "characters", or both.');
  }
  return {
    id,
    agent,
    store,
    now,
    onError,
    ...(save && { save }),
    engine: defined({ content, schema, validation, normalize, onNotice }),
    stopGrace: number("stopGrace", options.stopGrace ?? 5_000, 0, Infinity),
    leaseFor: number("leaseFor", options.leaseFor ?? 10_000, 1, LONGEST_LEASE),
    limits: {
      steps: number("limits.steps", limits.steps ?? MOST_STEPS, 1, Infinity),
      characters: number("limits.characters", limits.characters ?? MOST_CHARACTERS, 1, Infinity),
    },
  };
}

function number(name: string, value: unknown, least: number, most: number): number {
  if (typeof value === "number" && value >= least && value <= most) return value;
  const limit = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new HeadwayError("invalid_argument", `"${name}" has to be a number ${limit}.`);
}

/** Without what is undefined. */
function defined<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}
