/** Edit lists, merges and faults as JavaScript sees them: frozen. An edit list is an array that knows its summary. */
import { freezeDeep } from "./freeze.js";
import type { Conflict, Edit, EditList, Fault, Merge, Moved } from "./types.js";

/** What the engine writes of a comparison. */
interface Comparison {
  readonly edits: Edit[];
  readonly summary: EditList["summary"];
  readonly sentences: string[];
}

/** Reads the edits that the engine wrote. */
export function toEditList(json: string): EditList {
  return asEditList(JSON.parse(json) as Comparison);
}

/** Reads the merge that the engine wrote. */
export function toMerge(json: string): Merge {
  const { comparison, conflicts } = JSON.parse(json) as { comparison: Comparison; conflicts: Conflict[] };
  return freezeDeep({ edits: asEditList(comparison), conflicts });
}

/** What a replay did to the canvas. */
export type Replayed = Pick<Moved, "canvasWritten" | "edits" | "conflicts" | "stash">;

/** The comparison of two contents that are the same. */
export const NO_EDITS = '{"edits":[],"summary":{"added":0,"removed":0,"changed":0,"moved":0},"sentences":[]}';

/** Reads what a replay did. */
export function toReplayed(json: string, canvasWritten: boolean): Replayed {
  const { comparison, ...rest } = JSON.parse(json) as {
    comparison: Comparison;
    conflicts: Conflict[];
    stash?: string;
  };
  return { canvasWritten, edits: asEditList(comparison), ...freezeDeep(rest) };
}

/** Reads conflicts. */
export function toConflicts(json: string): readonly Conflict[] {
  return freezeDeep(JSON.parse(json) as Conflict[]);
}

/** Reads the faults that the engine wrote. */
export function toFaults(json: string): readonly Fault[] {
  return freezeDeep(JSON.parse(json) as Fault[]);
}

function asEditList({ edits, summary, sentences }: Comparison): EditList {
  freezeDeep(summary);
  freezeDeep(sentences);
  // Beside the items, as `length` is: an edit list prints and compares as the array that it is.
  const list = Object.defineProperties(edits, { summary: { value: summary }, describe: { value: () => sentences } });
  return freezeDeep(list) as unknown as EditList;
}
