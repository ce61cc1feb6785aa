/** What a turn did to the workflow, in sentences. */
import { HeadwayError, type EditList, type Headway, type Turn } from "headway";
import { memo, useMemo } from "react";

/** Longer lists end with how many more there are. */
const SHOWN = 30;

export const TurnChanges = memo(function TurnChanges({
  headway,
  turn,
  index,
}: {
  headway: Headway;
  turn: Turn;
  index: number;
}) {
  const edits = useMemo(() => editsOf(headway, turn), [headway, turn]);
  if (!edits || edits.length === 0) return null;
  const sentences = edits.describe();
  const more = sentences.length - SHOWN;
  return (
    <details className="changes" data-testid={`changes-${index}`}>
      <summary>{counts(edits)}</summary>
      <ul>
        {sentences.slice(0, SHOWN).map((sentence, at) => (
          <li key={at}>{sentence}</li>
        ))}
        {more > 0 && <li className="more">and {more} more</li>}
      </ul>
    </details>
  );
});

/** Nothing while it is running: what it has done so far is not what it did. */
function editsOf(headway: Headway, turn: Turn): EditList | undefined {
  if (!turn.changed || turn.ended === "running") return undefined;
  try {
    return headway.diff(turn.parentId, turn.lastStep);
  } catch (error) {
    // The content from before may not be known here; the steps tell what was done all the same.
    if (error instanceof HeadwayError) return undefined;
    throw error;
  }
}

function counts({ summary }: EditList): string {
  const words = (["added", "changed", "removed", "moved"] as const)
    .filter((kind) => summary[kind] > 0)
    .map((kind) => `${summary[kind]} ${kind}`);
  return `Workflow: ${words.length > 0 ? words.join(", ") : "changed"}`;
}
