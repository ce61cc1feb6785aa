/** Refusal codes in words, for buttons that will not do it now. */
import type { Refusal } from "headway";

const WORDS: Readonly<Record<string, string>> = {
  busy: "The agent is working: stop it, or wait until it is done",
  offline: "Not connected to the agent service",
  pending: "Still waiting for the answer to the last command",
  unknown_turn: "This turn is not known any more",
  not_on_path: "This turn is not on the current path",
  nothing_to_redo: "There is nothing to redo",
  not_running: "The agent is not running",
  empty_prompt: "Type what the agent should do first",
  unsupported: "This agent service cannot do that",
  agent_not_found: "The agent is gone",
};

export const refusalWords = (refusal: Refusal): string => WORDS[refusal] ?? `Not possible now (${refusal})`;
