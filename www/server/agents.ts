/** All agents of this service, by id. An agent springs into being when somebody connects to it. */
import { AgentSession, type AgentOverview, type AgentRun, type AgentStore } from "headway/agent";
import { EMPTY_CONTENT } from "./script/content.ts";

/** Nobody is ever there under this id: it shows what a page does when its agent is gone. */
export const MISSING = "missing";
/** Agents whose ids begin so cannot save: it shows what a page does when a revert fails. */
export const READ_ONLY = "readonly";

const MAX_AGENTS = 1_000;

export interface AgentsOptions {
  readonly store: AgentStore;
  readonly agent: (run: AgentRun) => Promise<void>;
  readonly now: () => number;
  readonly leaseFor?: number;
}

export class Agents {
  readonly #sessions = new Map<string, Promise<AgentSession>>();
  readonly #open = new Map<string, AgentSession>();
  #isClosing = false;

  constructor(private readonly options: AgentsOptions) {}

  /** The agent of an id, made when there is none; undefined for ids that never exist, and when there are too many. Rejects when its history cannot be read. */
  async open(id: string): Promise<AgentSession | undefined> {
    const known = this.#sessions.get(id);
    if (known) return known;
    if (this.#isClosing || id === MISSING || !/^[\w.-]{1,64}$/.test(id) || this.#sessions.size >= MAX_AGENTS)
      return undefined;
    const opening = this.#opened(id);
    this.#sessions.set(id, opening);
    try {
      const session = await opening;
      if (this.#sessions.get(id) === opening) this.#open.set(id, session);
      // It has been forgotten meanwhile.
      else session.kill();
      return session;
    } catch (error) {
      // The next one who comes tries again.
      if (this.#sessions.get(id) === opening) this.#sessions.delete(id);
      throw error;
    }
  }

  /** What there is to say about each agent that somebody has asked for since the start. */
  overview(): AgentOverview[] {
    return [...this.#open.values()].map((session) => session.overview);
  }

  /** Ends what runs. From now on there is no agent any more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const opened = await Promise.allSettled(this.#sessions.values());
    this.#open.clear();
    this.#sessions.clear();
    await Promise.all(opened.map((each) => each.status === "fulfilled" && each.value.close()));
  }

  /** Forgets them, runs in the middle, as if the process had been killed; who comes next finds what the store has. */
  restart(): void {
    for (const session of this.#open.values()) session.kill();
    this.#open.clear();
    this.#sessions.clear();
  }

  async #opened(id: string): Promise<AgentSession> {
    const { store, agent, now, leaseFor } = this.options;
    return AgentSession.open({
      id,
      store,
      agent,
      now,
      content: JSON.stringify(EMPTY_CONTENT),
      onError: (error) => console.error(`Agent ${id}:`, error),
      ...(leaseFor !== undefined && { leaseFor }),
      ...(id.startsWith(READ_ONLY) && { save: refuse }),
    });
  }
}

function refuse(): never {
  throw new Error("this agent's workflow is read-only");
}
