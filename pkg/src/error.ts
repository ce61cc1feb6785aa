import type { Refusal } from "./types.js";

/**
 * What a refused or failed call throws or rejects with (X2). Nothing was changed by the call.
 *
 * `code` is stable; `message` is a sentence for a person; `detail` is what the call was about, when there is more to
 * say.
 */
export class HeadwayError extends Error {
  override readonly name = "HeadwayError";
  readonly code: Refusal;
  readonly detail?: unknown;

  constructor(code: Refusal, message: string, detail?: unknown) {
    super(message);
    this.code = code;
    if (detail !== undefined) this.detail = detail;
  }
}

/** The engine throws plain records; everything else is passed on as it is. */
export function asHeadwayError(thrown: unknown): unknown {
  if (thrown instanceof Error || typeof thrown !== "object" || thrown === null) return thrown;
  const { code, message } = thrown as { code?: unknown; message?: unknown };
  if (typeof code !== "string" || typeof message !== "string") return thrown;
  return new HeadwayError(code, message);
}

/** What the engine throws, as an error of ours. */
export function throwing<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw asHeadwayError(thrown);
  }
}

/** The words of something that was thrown, whatever it is. */
export function wordsOf(thrown: unknown): string {
  try {
    const error = asHeadwayError(thrown);
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "something that cannot be put in words was thrown";
  }
}
