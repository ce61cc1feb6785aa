/**
 * `headway/agent`: the side of the agent. A session for each agent, which owns its history, runs it, and tells any number of sockets in the words of the
 * protocol. Needs nothing of Node.js but what browsers have, too; the sockets and the store are the host's.
 */
export { AgentSession } from "./agent/session.js";
export type { AgentOverview } from "./agent/session.js";
export type { AgentSessionOptions } from "./agent/options.js";
export { HeadwayError } from "./error.js";
export type { RecordedStep, Step, StepId, TurnId } from "./types.js";
export type { AgentClient, JoinOptions } from "./agent/audience.js";
export type { AgentRun } from "./agent/run.js";
export type { Contents } from "./agent/history.js";
export { DIALECTS, errorFrame, type AgentDialect, type ToldState } from "./agent/words.js";
export { memoryStore, type AgentStore, type LogEntry } from "./agent/store.js";
