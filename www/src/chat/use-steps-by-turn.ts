/** The visible steps of each turn. By turn and not by stretch: two runs that overlap mix their steps on one path. */
import type { Step, TurnId, View } from "headway";
import { useRef } from "react";

const NONE: readonly Step[] = [];

/** Gives the same array for a turn for as long as its steps are the same. */
export function useStepsByTurn(view: View): (turn: TurnId) => readonly Step[] {
  const last = useRef<{ steps: readonly Step[]; byTurn: Map<TurnId, Step[]> }>({ steps: NONE, byTurn: new Map() });
  const { steps } = view;
  if (last.current.steps !== steps) {
    const byTurn = new Map<TurnId, Step[]>();
    for (const step of steps) {
      const list = byTurn.get(step.turnId);
      if (list) list.push(step);
      else byTurn.set(step.turnId, [step]);
    }
    for (const [turn, list] of byTurn) {
      const old = last.current.byTurn.get(turn);
      if (old?.length === list.length && old.every((step, index) => step === list[index])) byTurn.set(turn, old);
    }
    last.current = { steps, byTurn };
  }
  return (turn) => last.current.byTurn.get(turn) ?? NONE;
}
