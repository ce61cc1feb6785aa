/** What the environment and the command line say about how to run. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Where histories and canvases are kept. */
export type Keep =
  /** In a file. `asked`: by that name, so that another place would be wrong. */
  | { readonly in: "sqlite"; readonly file: string; readonly asked: boolean }
  | { readonly in: "redis"; readonly url: string }
  | { readonly in: "memory" };

export interface Options {
  /** A port to insist on (0 = any free one); undefined = the first free one from 4870. */
  port?: number;
  /** Milliseconds between two steps of the agent. */
  pace: number;
  /** `ws://HOST[/PREFIX]` of another agent service that the page shall talk to. */
  agentUrl?: string;
  /** How long another replica waits for a sign of life of the one that runs an agent, in ms. */
  leaseFor?: number;
}

export interface CommandLine extends Options {
  readonly keep: Keep;
  /** The seed of what goes wrong on purpose. */
  readonly chaos?: number;
}

/** How long the agent thinks before each step when nobody says otherwise: fast enough to watch, slow enough to follow. */
export const HUMAN_PACE = 350;

const DEFAULT_FILE = fileURLToPath(new URL("../data/workbench.sqlite", import.meta.url));

export function readOptions(env: NodeJS.ProcessEnv, args: readonly string[] = []): CommandLine {
  const port = env.PORT ? wholeNumber("PORT", env.PORT, 65_535) : undefined;
  const agentUrl = env.HEADWAY_AGENT_URL ? agentBase(env.HEADWAY_AGENT_URL) : undefined;
  const leaseFor = env.HEADWAY_LEASE_MS
    ? wholeNumber("HEADWAY_LEASE_MS", env.HEADWAY_LEASE_MS, 3_600_000, 1)
    : undefined;
  const { persist, redis, memory, chaos } = parsed(args);
  if ([persist, redis, memory].filter((way) => way !== undefined).length > 1) {
    throw new Error("--persist, --redis and --memory say three different things: give one of them.");
  }
  if (persist === "") throw new Error("--persist needs the name of a file.");
  return {
    pace: pace(env.HEADWAY_AGENT_SPEED),
    keep: keep(persist && resolve(env.INIT_CWD ?? ".", persist), redis, memory),
    ...(port !== undefined && { port }),
    ...(agentUrl !== undefined && { agentUrl }),
    ...(leaseFor !== undefined && { leaseFor }),
    ...(chaos !== undefined && { chaos: wholeNumber("--chaos", chaos, 2 ** 32 - 1) }),
  };
}

function parsed(args: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    const options = { persist: text, redis: text, memory: { type: "boolean" }, chaos: text } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Error(`${(error as Error).message}. There are --persist FILE, --redis URL, --memory and --chaos SEED.`);
  }
}

function keep(persist?: string, redis?: string, memory?: boolean): Keep {
  if (memory) return { in: "memory" };
  if (redis === undefined) return { in: "sqlite", file: persist ?? DEFAULT_FILE, asked: persist !== undefined };
  if (/^rediss?:\/\/[^/]/.test(redis) && URL.canParse(redis)) return { in: "redis", url: redis };
  throw new Error(`--redis is an address such as redis://127.0.0.1:6379, not "${redis}".`);
}

/** `1` is human speed, `10` ten times as fast, `max` without any pause. */
function pace(speed: string | undefined): number {
  if (!speed) return HUMAN_PACE;
  if (speed === "max") return 0;
  const factor = Number(speed);
  if (!(factor > 0 && factor < Infinity))
    throw new Error(`HEADWAY_AGENT_SPEED is a number above 0 or "max", not "${speed}".`);
  return HUMAN_PACE / factor;
}

function agentBase(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !["ws:", "wss:", "http:", "https:"].includes(url.protocol)) {
    throw new Error(`HEADWAY_AGENT_URL is an address such as ws://127.0.0.1:4870, not "${text}".`);
  }
  url.protocol = url.protocol.replace("http", "ws");
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`;
}

function wholeNumber(name: string, text: string, most: number, least = 0): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new Error(`${name} is a whole number from ${least} to ${most}, not "${text}".`);
}
