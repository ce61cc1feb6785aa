/** Edit lists as JavaScript sees them: frozen arrays that know their summary. */
import { freezeDeep } from "./freeze.js";
import type { Edit, EditList } from "./types.js";

/** Reads what the engine wrote. */
export function toEditList(json: string): EditList {
  const { edits, summary, sentences } = JSON.parse(json) as {
    edits: Edit[];
    summary: EditList["summary"];
    sentences: string[];
  };
  freezeDeep(summary);
  freezeDeep(sentences);
  // Beside the items, as `length` is: an edit list prints and compares as the array that it is.
  const list = Object.defineProperties(edits, { summary: { value: summary }, describe: { value: () => sentences } });
  return freezeDeep(list) as unknown as EditList;
}
