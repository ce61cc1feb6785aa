/** What the environment says about how to run. */

export interface Options {
  /** A port to insist on (0 = any free one); undefined = the first free one from 4870. */
  port?: number;
  /** Milliseconds between two steps of the agent. */
  pace: number;
  /** `ws://HOST[/PREFIX]` of another agent service that the page shall talk to. */
  agentUrl?: string;
}

/** How long the agent thinks before each step when nobody says otherwise: fast enough to watch, slow enough to follow. */
export const HUMAN_PACE = 350;

export function readOptions(env: NodeJS.ProcessEnv): Options {
  const port = env.PORT ? wholeNumber("PORT", env.PORT, 65_535) : undefined;
  const agentUrl = env.HEADWAY_AGENT_URL ? agentBase(env.HEADWAY_AGENT_URL) : undefined;
  return {
    pace: pace(env.HEADWAY_AGENT_SPEED),
    ...(port !== undefined && { port }),
    ...(agentUrl !== undefined && { agentUrl }),
  };
}

/** `1` is human speed, `10` ten times as fast, `max` without any pause. */
function pace(speed: string | undefined): number {
  if (!speed) return HUMAN_PACE;
  if (speed === "max") return 0;
  const factor = Number(speed);
  if (!(factor > 0)) throw new Error(`HEADWAY_AGENT_SPEED is a number above 0 or "max", not "${speed}".`);
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

function wholeNumber(name: string, text: string, most: number): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0 || number > most) {
    throw new Error(`${name} is a whole number from 0 to ${most}, not "${text}".`);
  }
  return number;
}
