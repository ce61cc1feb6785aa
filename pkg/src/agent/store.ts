/**
 * Where the histories of agents are kept: a log for each agent, to which whole entries are added at the end and nowhere else.
 *
 * An entry is added at a position, and only by who knows all before it: of two that add at the same one, one is told no and looks again. That is the
 * whole lock of a history, and it holds between processes, too. What is in an entry is nobody's business here.
 */

/** An entry of a log and its position; the first one is at 1. */
export interface LogEntry {
  readonly at: number;
  readonly text: string;
}

/**
 * Keeps the logs of agents. Everything may reject when what it stands on cannot be reached. An entry may be there all the same then: it is found when the log is read
 * again, and done. A promise that is never settled holds up the session.
 */
export interface AgentStore {
  /** The entries after a position, oldest first. What was let go when a log started anew is missing. */
  read(agent: string, after: number): Promise<readonly LogEntry[]>;
  /**
   * Adds an entry at a position; false when there is one already, and then nothing was added. `startsAnew`: nothing before it is needed any more. Resolves once it
   * will be there after a restart, as far as the store outlives one.
   */
  append(agent: string, at: number, text: string, startsAnew: boolean): Promise<boolean>;
  /** The agents that have a log, for the host: a session does not ask. */
  agents?(): Promise<readonly string[]>;
  /** Calls `onNews` when another process may have added something to a log; now and then too often. Gives what ends it. */
  follow?(agent: string, onNews: () => void): () => void;
  /**
   * Takes the lease of that name for so many ms, or takes it for longer: false when another holder has it. There is one for each run, and who has it is at
   * work on the run. Without leases there is one session of each agent only.
   */
  lease?(name: string, holder: string, ms: number): Promise<boolean>;
  /** Gives the lease back; nothing happens when another holder has it. */
  release?(name: string, holder: string): Promise<void>;
}

/** What one agent has in a {@link memoryStore}. */
interface Kept {
  readonly entries: LogEntry[];
  readonly followers: Set<() => void>;
}

/** Keeps the logs in memory. Several sessions on one of them are what several processes are on another store. `now` gives the time in ms. */
export function memoryStore(now: () => number = Date.now): AgentStore {
  const all = new Map<string, Kept>();
  const leases = new Map<string, { readonly holder: string; readonly until: number }>();
  const kept = (agent: string): Kept => {
    const known = all.get(agent) ?? { entries: [], followers: new Set() };
    all.set(agent, known);
    return known;
  };
  return {
    read: async (agent, after) => kept(agent).entries.filter(({ at }) => at > after),
    async append(agent, at, text, startsAnew) {
      const { entries, followers } = kept(agent);
      if (at !== (entries.at(-1)?.at ?? 0) + 1) return false;
      if (startsAnew) entries.length = 0;
      entries.push({ at, text });
      for (const onNews of followers) onNews();
      return true;
    },
    agents: async () => [...all].filter(([, { entries }]) => entries.length > 0).map(([agent]) => agent),
    follow(agent, onNews) {
      const own = () => onNews();
      const { followers } = kept(agent);
      followers.add(own);
      return () => void followers.delete(own);
    },
    async lease(name, holder, ms) {
      // Those that ran out are nobody's.
      for (const [each, { until }] of leases) if (until <= now()) leases.delete(each);
      const lease = leases.get(name);
      if (lease && lease.holder !== holder) return false;
      leases.set(name, { holder, until: now() + ms });
      return true;
    },
    async release(name, holder) {
      if (leases.get(name)?.holder === holder) leases.delete(name);
    },
  };
}
