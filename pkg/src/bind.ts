/**
 * A live `Y.Doc` as the canvas.
 *
 * The engine holds a replica of the document. What people write reaches it update by update; what a revert, a redo or the agent changes
 * comes back as one update, applied as one transaction with {@link ORIGIN}, which no `Y.UndoManager` tracks (P1, P4).
 *
 * Nothing of yjs is imported here: there are two packages of it, and an application has one. `headway/yjs` and `headway/y` say which.
 */
import type { Headway } from "./headway.js";
import { guarded } from "./surface.js";
import type { DocumentHost } from "./types.js";
import { pressByPress, type PressByPress, type UndoStacks } from "./undo.js";

/** The origin of every transaction that Headway makes. */
export const ORIGIN: unique symbol = Symbol("headway");

/** What a document calls for each transaction: whether somebody at this document made it is in the transaction. */
type UpdateListener = (update: Uint8Array, origin: unknown, doc: never, transaction: never) => void;

/** What is needed of a document, which one of yjs 13.6 has, and one of @y/y 14. */
export interface YDoc {
  readonly clientID: number;
  readonly store: { readonly clients: { has(client: number): boolean } };
  on(event: "update", listener: UpdateListener): unknown;
  on(event: "afterAllTransactions" | "destroy", listener: () => void): unknown;
  off(event: "update", listener: UpdateListener): unknown;
  off(event: "afterAllTransactions" | "destroy", listener: () => void): unknown;
}

/** What is needed of an undo manager. */
export interface YUndoManager extends UndoStacks {
  stopCapturing(): void;
}

/** What is needed of the module. */
export interface Yjs {
  applyUpdate(doc: YDoc, update: Uint8Array, origin?: unknown): void;
  encodeStateAsUpdate(doc: YDoc, stateVector?: Uint8Array): Uint8Array;
}

/** How a document is bound. */
export interface BindOptions {
  /** The undo manager of the person in front of the canvas. A replay adds nothing to it, merges nothing in it, and takes nothing from it. */
  readonly undoManager?: YUndoManager;
  /** The module that made the document, when it is another copy than the one that the entry imports. */
  readonly Y?: Yjs;
}

/** What `bindYjs` does, with the module that made the document. */
export function bind(headway: Headway, doc: YDoc, Y: Yjs, undoManager?: YUndoManager): () => void {
  const waiting = new Set<() => void>();
  let undo: PressByPress | undefined;
  let isBound = true;
  /** The next update with our origin is the one that we are writing. */
  let isOurs = false;
  /** What yjs never takes down again, since a listener threw where none may. */
  let stuck: Open | undefined;

  // P8: a replay waits for the end of somebody's transaction.
  const isBusy = () => {
    const { transaction, cleanups } = openIn(doc);
    return (
      (transaction !== null && transaction !== stuck?.transaction) ||
      (cleanups.length > 0 && cleanups !== stuck?.cleanups)
    );
  };
  const runAll = () => {
    doc.off("afterAllTransactions", runAll);
    const runs = [...waiting];
    waiting.clear();
    for (const run of runs) run();
  };
  const whenIdle = (run: () => void) => {
    if (waiting.size === 0) {
      doc.on("afterAllTransactions", runAll);
      // No microtask runs inside of a transaction: one that is still open will never be over.
      queueMicrotask(() => {
        if (waiting.size === 0) return;
        stuck = openIn(doc);
        runAll();
      });
    }
    waiting.add(run);
  };
  const write = (update: Uint8Array) => {
    undoManager?.stopCapturing();
    isOurs = true;
    try {
      Y.applyUpdate(doc, update, ORIGIN);
    } finally {
      isOurs = false;
      undo?.replayed();
    }
  };
  /** Must not throw: yjs would never end this transaction. */
  const hear = (update: Uint8Array, isHere = false) => {
    try {
      headway.document.applyUpdate(update, isHere);
    } catch {
      reopen();
    }
  };
  const relay = (update: Uint8Array, origin: unknown, _: unknown, transaction: { readonly local: boolean }) => {
    if (!isBound) return;
    if (origin !== ORIGIN) return hear(update, transaction.local);
    if (isOurs) {
      isOurs = false;
      return;
    }
    // Another Headway's.
    undoManager?.stopCapturing();
    undo?.replayed();
    hear(update);
  };
  const beforeRead = () => {
    // What is written in a transaction is told when it is over, and never in one that is stuck.
    const { transaction, cleanups } = openIn(doc);
    if (transaction === null && cleanups.length === 0) return;
    hear(Y.encodeStateAsUpdate(doc, headway.document.stateVector()));
  };

  let current: DocumentHost | undefined;
  const open = () => {
    const state = Y.encodeStateAsUpdate(doc);
    const closed = () => host === current && detach();
    const host: DocumentHost = {
      clientId: newClientId(doc),
      state,
      isUnified: isUnified(doc),
      isBusy,
      whenIdle,
      write,
      beforeRead,
      closed,
    };
    const close = headway.document.open(host);
    current = host;
    return close;
  };
  /** The replica cannot take an update in: another one is made of all that is there. If that does not work either, the canvas is unbound. */
  const reopen = () => {
    current = undefined;
    const before = close;
    try {
      close = open();
    } catch (thrown) {
      detach();
      before();
      guarded(() => {
        throw thrown;
      });
    }
  };
  const detach = () => {
    if (!isBound) return;
    isBound = false;
    doc.off("update", relay);
    doc.off("destroy", unbind);
    undo?.restore();
    runAll();
  };
  const unbind = () => {
    close();
    detach();
  };

  let close = open();
  undo = undoManager && pressByPress(undoManager);
  doc.on("update", relay);
  doc.on("destroy", unbind);
  return unbind;
}

/** What is open in a document. yjs has no other name for it. */
interface Open {
  readonly transaction: unknown;
  /** Those whose listeners are being called. */
  readonly cleanups: readonly unknown[];
}

function openIn(doc: YDoc): Open {
  const { _transaction, _transactionCleanups } = doc as unknown as {
    _transaction: unknown;
    _transactionCleanups: readonly unknown[];
  };
  return { transaction: _transaction, cleanups: _transactionCleanups };
}

/** @y/y 14 has one shared type for all. yjs 13 has one for each, and a name to get each by. */
const isUnified = (doc: YDoc): boolean => !("getXmlFragment" in doc);

/** As yjs draws its own: 32 bits, since each writing carries it (P9). Nobody in the document has it. */
function newClientId(doc: YDoc): number {
  for (;;) {
    const [id = 0] = crypto.getRandomValues(new Uint32Array(1));
    if (id !== doc.clientID && !doc.store.clients.has(id)) return id;
  }
}
