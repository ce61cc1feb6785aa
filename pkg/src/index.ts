/**
 * Headway: the state engine behind an AI agent's turn history on a live canvas.
 *
 * This entry carries its WebAssembly inlined and is ready as soon as it is imported.
 */
export { HeadwayError } from "./error.js";
export { Headway } from "./headway.js";
export type * from "./types.js";
