/** All agents of this service, by id. An agent springs into being when somebody connects to it. */
import { AgentSession } from "./agent-session.ts";

/** Nobody is ever there under this id: it shows what a page does when its agent is gone. */
export const MISSING = "missing";
/** Agents whose ids begin so cannot save: it shows what a page does when a revert fails. */
export const READ_ONLY = "readonly";

const MAX_AGENTS = 1_000;

export class Agents {
  readonly #sessions = new Map<string, AgentSession>();

  constructor(private readonly options: { pace: number; now: () => number }) {}

  /** The agent of an id, made when there is none; undefined for ids that never exist, and when there are too many. */
  open(id: string): AgentSession | undefined {
    const known = this.#sessions.get(id);
    if (known) return known;
    if (id === MISSING || !/^[\w.-]{1,64}$/.test(id) || this.#sessions.size >= MAX_AGENTS) return undefined;
    const session = new AgentSession(id, { ...this.options, canSave: !id.startsWith(READ_ONLY) });
    this.#sessions.set(id, session);
    return session;
  }

  /** What there is to say about each agent, or about one. */
  overview(): AgentSession["overview"][] {
    return [...this.#sessions.values()].map((session) => session.overview);
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
  }
}
