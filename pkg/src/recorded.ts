/** What a host records of its agent (R14), checked. */
import { HeadwayError } from "./error.js";
import { checkText } from "./options.js";
import type { RecordedStep } from "./types.js";

/** What the engine is handed: the fields of the step as JSON text, and the content by itself. */
export function recordedFields(step: RecordedStep): { readonly fields: string; readonly after: string | undefined } {
  if (typeof step !== "object" || step === null) {
    throw new HeadwayError("invalid_argument", "recordStep takes an object with what the step did, or nothing.");
  }
  const { content = "", toolCalls, toolResults, usage, after, extra, ...others } = step;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new HeadwayError(
      "invalid_argument",
      `recordStep knows no "${unknown}"; what else belongs to a step goes into "extra".`,
    );
  }
  checkText("content", content);
  return {
    fields: asJson({ ...extra, content, toolCalls, toolResults, usage }),
    after: after === undefined ? undefined : checkText("after", after),
  };
}

function asJson(fields: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(fields);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new HeadwayError("invalid_argument", `A step has to be JSON: ${why}`);
  }
}

/** Where a prompt was written. */
export function isFromFeedback(source: unknown): boolean {
  if (source === "chat" || source === "feedback") return source === "feedback";
  throw new HeadwayError("invalid_argument", '"source" has to be "chat" or "feedback".');
}
