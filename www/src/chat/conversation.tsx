/** The turns on the path, newest at the bottom and in sight. */
import type { Turn, View } from "headway";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Workbench } from "../workbench.ts";
import { TurnCard } from "./turn-card.tsx";
import { useStepsByTurn } from "./use-steps-by-turn.ts";

/** So many turns are drawn at first; the browser skips those out of sight, React cannot. */
const PAGE = 40;

interface Props {
  workbench: Workbench;
  view: View;
  onRevert: (turn: Turn) => void;
}

export function Conversation({ workbench, view, onRevert }: Props) {
  const [pages, setPages] = useState(1);
  const { turns } = view;
  const stepsOf = useStepsByTurn(view);
  const hidden = Math.max(0, turns.length - pages * PAGE);
  const { list, inner, onScroll } = useStickToEnd(view);
  const onRefused = useRef((what: string, why: string) => workbench.messages.toast("info", what, why)).current;
  return (
    <div className="conversation" ref={list} onScroll={onScroll} tabIndex={0} role="log" aria-label="Conversation">
      <div ref={inner}>
        {hidden > 0 && (
          <button type="button" className="link-button" onClick={() => setPages(pages + 1)}>
            Show {Math.min(PAGE, hidden)} earlier turns
          </button>
        )}
        {turns.length === 0 && (
          <p className="hello">
            Nothing has been asked yet. Try <q>what can you do?</q>
          </p>
        )}
        {turns.slice(hidden).map((turn, index) => (
          <TurnCard
            key={turn.id}
            headway={workbench.headway}
            turn={turn}
            steps={stepsOf(turn.id)}
            index={hidden + index}
            onRevert={onRevert}
            onRefused={onRefused}
          />
        ))}
      </div>
    </div>
  );
}

/** Follows the end of the conversation, unless the person has scrolled away from it. */
function useStickToEnd(view: View) {
  const list = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const turnCount = useRef(0);
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    // A new turn is always worth seeing.
    const isNewTurn = view.turns.length > turnCount.current;
    turnCount.current = view.turns.length;
    if (isNewTurn || isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [view]);
  useEffect(() => {
    const element = list.current;
    if (!element || !inner.current) return;
    // Turns take their true size only when they come into sight, and the box shrinks when the composer grows.
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    observer.observe(inner.current);
    return () => observer.disconnect();
  }, []);
  const onScroll = () => {
    const element = list.current;
    if (element) isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 48;
  };
  return { list, inner, onScroll };
}
