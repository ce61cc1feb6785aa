/** What the engine puts contents on: a plain canvas that the host reads and writes, or a live document. */
import { NO_EDITS, toEditList } from "./edits.js";
import { HeadwayError, wordsOf } from "./error.js";
import type { Engine } from "./loader.js";
import type { CanvasPlan, HandedOver } from "./records.js";
import type { DocumentHost, PlainCanvas } from "./types.js";

/** One of the two. */
export interface Surface {
  /** What is on it now, as JSON text. */
  text(engine: Engine): string;
  /** What the engine has to be told of it: the text of a plain canvas, nothing of a document. */
  shown(): string;
  /** Somebody's transaction is open: nothing can be put on it now. */
  isBusy(): boolean;
  /** Calls `run` once it is not. */
  whenIdle(run: () => void): void;
  /** It is no longer bound. */
  closed(): void;
  /**
   * Lets the engine decide and does what it says. Gives what the engine handed over, and whether anything was written. A callback may free
   * the engine in the middle.
   */
  look(
    engine: () => Engine | undefined,
    now: number,
  ): { readonly handed: readonly HandedOver[]; readonly isWritten: boolean };
}

/** A plain canvas. */
export function plainSurface(canvas: PlainCanvas): Surface {
  const read = (): string => {
    const text: unknown = canvas.read();
    if (typeof text === "string") return text;
    throw new HeadwayError("invalid_argument", "read() has to give the content as JSON text.");
  };
  return {
    text: read,
    shown: read,
    isBusy: () => false,
    whenIdle: (run) => run(),
    closed: () => {},
    look: (engine, now) => {
      const handed: HandedOver[] = [];
      try {
        const shown = read();
        const plan = engine()?.planCanvas(shown, now) as CanvasPlan | undefined;
        if (!plan) return { handed, isWritten: false };
        handed.push(plan.outcome);
        if (plan.write === undefined) return { handed, isWritten: false };
        if (canvas.apply) canvas.apply(toEditList(plan.edits ?? NO_EDITS));
        else canvas.replace?.(plan.write);
        handed.push((engine()?.canvasWritten() ?? false) as HandedOver);
        return { handed, isWritten: true };
      } catch (thrown) {
        handed.push((engine()?.canvasFailed(wordsOf(thrown)) ?? false) as HandedOver);
        return { handed, isWritten: false };
      }
    },
  };
}

/** A live document. `onUpdate` is told of what is written to it, too. */
export function documentSurface(host: DocumentHost, onUpdate: (update: Uint8Array) => void): Surface {
  return {
    text: (engine) => {
      host.beforeRead?.();
      const text = engine.documentText();
      if (text !== undefined) return text;
      throw new HeadwayError("busy", "The document cannot be read in the middle of a transaction.");
    },
    shown: () => {
      host.beforeRead?.();
      return "";
    },
    isBusy: () => host.isBusy(),
    whenIdle: (run) => host.whenIdle(run),
    closed: () => host.closed?.(),
    look: (engine, now) => {
      host.beforeRead?.();
      const handed = (engine()?.replay(now) ?? false) as HandedOver;
      const update = engine()?.takeUpdate();
      if (update) {
        // The replica has it. What a listener of somebody's throws does not take it back.
        guarded(() => host.write(update));
        guarded(() => onUpdate(update));
      }
      return { handed: [handed], isWritten: update !== undefined };
    },
  };
}

/** A callback that throws is reported like any other uncaught error, and the others still run. */
export function guarded(callback: () => void): void {
  try {
    callback();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
