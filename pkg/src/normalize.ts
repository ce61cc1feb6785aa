/** Contents as the host completes them before they meet the canvas (P15). */
import { wordsOf } from "./error.js";
import type { Engine } from "./loader.js";
import type { HandedOver } from "./records.js";
import type { HeadwayOptions } from "./types.js";

/** Lets the host complete a content and tells the engine. Gives what that hands over, and why it failed. The host may free the engine meanwhile. */
export function completed(
  normalize: HeadwayOptions["normalize"],
  text: string,
  engine: () => Engine | undefined,
): { readonly handed: HandedOver; readonly why?: string } {
  try {
    const made: unknown = normalize?.(text);
    if (typeof made !== "string") throw new TypeError("it has to give the content as JSON text");
    return { handed: (engine()?.normalized(made) ?? false) as HandedOver };
  } catch (thrown) {
    const why = wordsOf(thrown);
    return { handed: (engine()?.notNormalized(why) ?? false) as HandedOver, why };
  }
}
