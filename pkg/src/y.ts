/**
 * `headway/y`: a live `Y.Doc` of @y/y 14 as the canvas. yjs need not be there.
 *
 * The package is the host's own copy: a second one would make types that the first does not know.
 */
import * as y from "@y/y";
import { bind, type BindOptions, type YDoc } from "./bind.js";
import type { Headway } from "./headway.js";

export { ORIGIN, type BindOptions, type YDoc, type Yjs, type YUndoManager } from "./bind.js";

/**
 * Binds a live document as the canvas of a Headway, in place of the one that was bound. Binding by itself writes nothing (P14). Gives
 * what unbinds it and leaves no listener behind; nor does another canvas in its place, `doc.destroy()` or `headway.free()`.
 */
export function bindYjs(headway: Headway, doc: YDoc, { undoManager, Y = y }: BindOptions = {}): () => void {
  return bind(headway, doc, Y, undoManager);
}
