/** The commands that move HEAD, side by side. */
import type { Engine } from "./loader.js";
import type { StepId, TurnId } from "./types.js";

/** The code that each is refused with now, and how it is asked. `keep` says that edits by hand stay where they can. */
export const MOVES = {
  revert: {
    cannot: (engine: Engine, turn: TurnId) => engine.cannotRevert(turn),
    ask: (engine: Engine, turn: TurnId, keep: boolean, now: number): unknown => engine.revert(turn, keep, now),
  },
  redo: {
    cannot: (engine: Engine) => engine.cannotRedo(),
    ask: (engine: Engine, _: string, keep: boolean, now: number): unknown => engine.redo(keep, now),
  },
  checkout: {
    cannot: (engine: Engine, step: StepId) => engine.cannotCheckout(step),
    ask: (engine: Engine, step: StepId, keep: boolean, now: number): unknown => engine.checkout(step, keep, now),
  },
  revertStep: {
    cannot: (engine: Engine, step: StepId) => engine.cannotRevertStep(step),
    ask: (engine: Engine, step: StepId, keep: boolean, now: number): unknown => engine.revertStep(step, keep, now),
  },
} as const;

/** One of them. */
export type MoveName = keyof typeof MOVES;
