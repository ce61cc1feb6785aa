/**
 * What an entry in the log of an agent says. The log is what happened, in the order in which it was decided; whoever does it all again, one after the other, has the
 * same history, down to the last name and time.
 */
import { HeadwayError } from "../error.js";
import type { RecordedStep, StepId, TurnId } from "../types.js";

/** The number of this format. */
export const FORMAT = 1;

/** One thing that happened, and when, in ms since the epoch. */
export type Entry = { readonly now: number } & (
  | {
      /** A history begins, with this content. Whatever came before is over. */
      readonly do: "open";
      readonly format: typeof FORMAT;
      readonly content?: string;
    }
  | { readonly do: "begin"; readonly turn: TurnId; readonly prompt: string; readonly source: "chat" | "feedback" }
  | { readonly do: "step"; readonly step: RecordedStep }
  | { readonly do: "stop" }
  | { readonly do: "end"; readonly how: "done" | "stopped" | "failed"; readonly reason: string }
  | { readonly do: "revert"; readonly turn: TurnId }
  | { readonly do: "redo" }
  | { readonly do: "checkout"; readonly step: StepId }
);

const KNOWN = new Set<unknown>(["open", "begin", "step", "stop", "end", "revert", "redo", "checkout"]);

/** Reads an entry. Throws `unreadable_log`. */
export function readEntry(text: string, at: number): Entry {
  const entry = parsed(text);
  if (!KNOWN.has(entry?.do) || (entry?.do === "open" && entry.format !== FORMAT)) {
    throw new HeadwayError(
      "unreadable_log",
      `Entry ${at} of the log is none that this version can read; nothing was changed. A newer version may have written it.`,
    );
  }
  return entry as unknown as Entry;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
