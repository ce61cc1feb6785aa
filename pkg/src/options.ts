/** What a host hands in, checked: a mistake is told where it is made, not where it hurts (X2). */
import { HeadwayError } from "./error.js";
import type { HeadwayOptions } from "./types.js";

/** Options with nothing left open but `send` and `onNotice`, which may be missing. */
export type Checked = HeadwayOptions &
  Required<
    Pick<
      HeadwayOptions,
      | "authority"
      | "schema"
      | "stoppingLimit"
      | "now"
      | "commandTimeout"
      | "keepInputMessages"
      | "memoryBudget"
      | "validation"
    >
  >;

/** Fills in what is missing. */
export function checkedOptions(options: HeadwayOptions): Checked {
  if (typeof options !== "object" || options === null) {
    throw new HeadwayError("invalid_argument", "Headway.create takes an object with options, or nothing.");
  }
  for (const name of ["send", "now", "normalize", "onNotice"] as const) {
    if (options[name] !== undefined) checkFunction(name, options[name]);
  }
  const { commandTimeout = 30_000 } = options;
  if (typeof commandTimeout !== "number" || !(commandTimeout > 0)) {
    throw new HeadwayError("invalid_argument", '"commandTimeout" has to be a number of ms above 0.');
  }
  const { stoppingLimit = 60_000 } = options;
  if (typeof stoppingLimit !== "number" || !(stoppingLimit > 0)) {
    throw new HeadwayError("invalid_argument", '"stoppingLimit" has to be a number of ms above 0.');
  }
  const { memoryBudget = 256 * 2 ** 20, validation = "repair" } = options;
  if (typeof memoryBudget !== "number" || !(memoryBudget > 0)) {
    throw new HeadwayError("invalid_argument", '"memoryBudget" has to be a number of bytes above 0.');
  }
  if (validation !== "repair" && validation !== "strict") {
    throw new HeadwayError("invalid_argument", '"validation" has to be "repair" or "strict".');
  }
  const { authority = "server", content } = options;
  if (authority !== "server" && authority !== "local") {
    throw new HeadwayError("invalid_argument", '"authority" has to be "server" or "local".');
  }
  if (content !== undefined && (typeof content !== "string" || authority !== "local")) {
    throw new HeadwayError("invalid_argument", '"content" is JSON text, for an authority that is "local".');
  }
  const keepInputMessages = options.keepInputMessages === true;
  const { schema = "texera", now = Date.now } = options;
  return {
    ...options,
    authority,
    schema,
    now,
    commandTimeout,
    stoppingLimit,
    keepInputMessages,
    memoryBudget,
    validation,
  };
}

export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== "function") throw new HeadwayError("invalid_argument", `"${name}" has to be a function.`);
}

export function checkBytes(name: string, value: unknown): void {
  if (!(value instanceof Uint8Array)) throw new HeadwayError("invalid_argument", `"${name}" has to be a Uint8Array.`);
}

export function checkText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new HeadwayError("invalid_argument", `"${name}" has to be a string.`);
}
