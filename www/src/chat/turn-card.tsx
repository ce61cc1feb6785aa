/** One turn: what was asked, what the agent did and said, and how to take it back. */
import type { Headway, Step, Turn } from "headway";
import { memo, useState } from "react";
import { HintButton } from "../hint-button.tsx";
import { refusalWords } from "../refusals.ts";
import { MessageText } from "./message-text.tsx";
import { ToolLine } from "./tool-line.tsx";
import { toolLines } from "./tool-words.ts";
import { TurnChanges } from "./turn-changes.tsx";

interface Props {
  headway: Headway;
  turn: Turn;
  steps: readonly Step[];
  /** Its place on the path, from 0. */
  index: number;
  onRevert: (turn: Turn) => void;
  onRefused: (what: string, why: string) => void;
}

/** More steps than this and the older ones are folded away. */
const SHOWN_STEPS = 14;

export const TurnCard = memo(function TurnCard({ headway, turn, steps, index, onRevert, onRefused }: Props) {
  const [isUnfolded, setUnfolded] = useState(false);
  const agentSteps = steps.filter((step) => step.role !== "user");
  const folded = isUnfolded ? 0 : Math.max(0, agentSteps.length - SHOWN_STEPS);
  const others = turn.branches.length;
  return (
    <article className={`turn turn-${turn.ended}`} data-testid={`turn-${index}`} aria-label={`Turn: ${turn.title}`}>
      {turn.prompt !== "" && (
        <p className="prompt" data-testid="prompt">
          <MessageText text={turn.prompt} />
        </p>
      )}
      <div className="did">
        {folded > 0 && (
          <button type="button" className="link-button" onClick={() => setUnfolded(true)}>
            Show {folded} earlier steps
          </button>
        )}
        {agentSteps.slice(folded).map((step) => (
          <StepRow key={step.id} headway={headway} step={step} />
        ))}
        {turn.ended === "running" && (
          <p className="working" role="status">
            <span className="dots" aria-hidden="true">
              <i />
              <i />
              <i />
            </span>
            Working…
          </p>
        )}
      </div>
      <TurnChanges headway={headway} turn={turn} index={index} />
      <footer className="turn-foot">
        <span className={`ended ended-${turn.ended}`} data-testid={`ended-${index}`}>
          {ENDED[turn.ended]}
        </span>
        <span className="facts">{facts(turn)}</span>
        {others > 0 && (
          <span className="facts" title="Other turns began at the same step and were left">
            {others === 1 ? "1 other branch" : `${others} other branches`}
          </span>
        )}
        <HintButton
          className="revert"
          testId={`revert-${index}`}
          refusal={turn.canRevert === true ? undefined : refusalWords(turn.canRevert)}
          hint={`Go back to before “${turn.title}”`}
          onClick={() => onRevert(turn)}
          onRefused={(why) => onRefused("Revert is not possible now", why)}
        >
          Revert
        </HintButton>
      </footer>
    </article>
  );
});

const StepRow = memo(function StepRow({ headway, step }: { headway: Headway; step: Step }) {
  const notice = /^Error: /.test(step.content) ? " is-error" : step.content === STOPPED ? " is-stop" : "";
  return (
    <>
      {step.content !== "" && (
        <p className={`said${notice}`}>
          <MessageText text={step.content} />
        </p>
      )}
      {toolLines(headway, step).map((line) => (
        <ToolLine key={line.key} line={line} />
      ))}
    </>
  );
});

const STOPPED = "Generation stopped by user.";

const ENDED: Readonly<Record<Turn["ended"], string>> = {
  running: "Running",
  done: "Done",
  stopped: "Stopped",
  failed: "Failed",
};

function facts(turn: Turn): string {
  const tokens = turn.usage?.totalTokens;
  const steps = turn.steps === 1 ? "1 step" : `${turn.steps} steps`;
  const time = turn.endedAt === undefined ? undefined : duration(turn.endedAt - turn.startedAt);
  return [steps, tokens === undefined ? undefined : `${tokens.toLocaleString("en")} tokens`, time]
    .filter((fact) => fact !== undefined)
    .join(" · ");
}

function duration(ms: number): string {
  if (ms < 60_000) return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
