/** Who the agent is, what it is doing, whether we hear it, and Redo. */
import type { TurnId, View } from "headway";
import { useRef } from "react";
import { HintButton } from "../hint-button.tsx";
import { refusalWords } from "../refusals.ts";
import type { Workbench } from "../workbench.ts";

interface Props {
  workbench: Workbench;
  view: View;
  onRedo: () => void;
}

const STATES: Readonly<Record<View["agentState"], string>> = {
  AVAILABLE: "Ready",
  GENERATING: "Working",
  STOPPING: "Stopping",
  UNAVAILABLE: "Unavailable",
};

export function ChatHeader({ workbench, view, onRedo }: Props) {
  const { headway, agent, messages } = workbench;
  const wasLive = useRef(false);
  if (view.connection === "live") wasLive.current = true;
  const can = headway.can("redo");
  const leadsTo = useTitleOf(view, view.redoLeadsTo);
  const connection = view.connection === "live" ? "Live" : wasLive.current ? "Reconnecting…" : "Connecting…";
  const agentState = view.staleStopping ? "Stuck stopping" : STATES[view.agentState];
  return (
    <header className="chat-head">
      <div className="agent">
        <span className="agent-name" title="The agent's id">
          {agent}
        </span>
        <span className={`pill state-${view.agentState.toLowerCase()}`} data-testid="agent-state" aria-live="polite">
          {agentState}
        </span>
        <span className={`pill connection-${view.connection}`} data-testid="connection" aria-live="polite">
          {connection}
        </span>
      </div>
      <HintButton
        className="redo"
        testId="redo"
        refusal={can === true ? undefined : refusalWords(can)}
        hint={leadsTo === undefined ? "Take the latest revert back" : `Return to “${leadsTo}”`}
        onClick={onRedo}
        onRefused={(why) => messages.toast("info", "Redo is not possible now", why)}
      >
        <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M15 5l5 5-5 5M20 10H9a5 5 0 0 0 0 10h3" />
        </svg>
        Redo
        {can === true && leadsTo !== undefined && <span className="leads-to">{leadsTo}</span>}
      </HintButton>
    </header>
  );
}

/** The title of a turn that may have left the path: remembered from when it was on it. */
function useTitleOf(view: View, turn: TurnId | undefined): string | undefined {
  const titles = useRef(new Map<TurnId, string>());
  const seen = useRef<View["turns"] | undefined>(undefined);
  if (seen.current !== view.turns) {
    seen.current = view.turns;
    for (const { id, title } of view.turns) titles.current.set(id, title);
  }
  return turn === undefined ? undefined : titles.current.get(turn);
}
