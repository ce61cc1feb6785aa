/** What is not as it should be, said where it shows: above the canvas. */
import type { Stash, View } from "headway";
import type { ReactNode } from "react";
import { useStore } from "./use-headway.ts";
import type { Workbench } from "./workbench.ts";

interface Banner {
  key: string;
  kind: "warning" | "error";
  text: ReactNode;
  actions?: readonly { label: string; testId: string; run: () => void }[];
}

export function Banners({ workbench, view }: { workbench: Workbench; view: View }) {
  const { workflow } = useStore(workbench.canvas);
  const { notices } = useStore(workbench.messages);
  const { equalsHead, manualEdits, stashes, contentUnknown } = view.canvas;
  const sync = {
    label: "Bring canvas to HEAD",
    testId: "sync-canvas",
    run: () => void workbench.attempt("The canvas was not changed", () => workbench.headway.syncCanvas()),
  };
  const banners: Banner[] = [];
  if (view.agentState === "UNAVAILABLE" && notices.some(({ code }) => code === "agent_not_found")) {
    banners.push({
      key: "gone",
      kind: "error",
      text: (
        <>
          There is no agent “{workbench.agent}” on this service. <a href="?agent=demo">Open the agent “demo”</a>
        </>
      ),
    });
  }
  const broken = BROKEN[view.path.status];
  if (broken) banners.push({ key: "path", kind: "error", text: broken });
  if (view.diverged) {
    banners.push({
      key: "diverged",
      kind: "warning",
      text: "Steps came that belong to another branch. They are shown when the service says where HEAD is.",
    });
  }
  // A service that has forgotten everything says nothing about the canvas, which still shows what it once did.
  const isLeftOver =
    view.length === 0 &&
    view.canRedo !== "unknown" &&
    workflow.operators.length > 0 &&
    workbench.headway.content() === undefined;
  if (contentUnknown || isLeftOver) {
    banners.push({
      key: "unknown",
      kind: "warning",
      text: "No content is known for this point of the history, so the canvas was left as it is.",
    });
  } else if (view.length > 0 && !equalsHead) {
    banners.push({
      key: "differs",
      kind: "warning",
      text:
        manualEdits > 0
          ? `${things(manualEdits)} edited by hand. The agent does not see that; what it does next leaves it as it is, unless it changes the same.`
          : "The canvas differs from what the history says.",
      actions: [sync],
    });
  }
  const stash = stashes > 0 ? workbench.headway.stashes().at(-1) : undefined;
  if (stash) banners.push(stashBanner(workbench, stash));
  return (
    <div className="banners" aria-live="polite">
      {banners.map(({ key, kind, text, actions }) => (
        <div key={key} className={`banner banner-${kind}`} data-testid={`banner-${key}`}>
          <span>{text}</span>
          {actions?.map(({ label, testId, run }) => (
            <button key={testId} type="button" data-testid={testId} onClick={run}>
              {label}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Edits by hand that were overwritten: what they were, and how to have them back (P7). */
function stashBanner({ attempt, headway }: Workbench, { id, edits }: Stash): Banner {
  const [first, ...more] = edits.describe();
  return {
    key: "stash",
    kind: "warning",
    text: (
      <>
        Edited by hand and overwritten: <b>{first}</b>
        {more.length > 0 && ` and ${more.length} more`}
      </>
    ),
    actions: [
      {
        label: "Put back",
        testId: "put-back",
        // Whoever asks for it wants it there, whatever is there now.
        run: () => void attempt("Nothing was put back", () => headway.applyStash(id, "exact")),
      },
      {
        label: "Discard",
        testId: "discard",
        run: () => void attempt("Nothing was discarded", () => headway.dropStash(id)),
      },
    ],
  };
}

const things = (count: number): string => (count === 1 ? "One thing was" : `${count} things were`);

const BROKEN: Readonly<Record<View["path"]["status"], string | undefined>> = {
  ok: undefined,
  unknown_head: "The service points at a step that it has not sent. What was known last stays on show.",
  broken_parent: "A step of this history is missing. What comes after it is shown.",
  cycle: "The history that the service sent runs in a circle. The part that makes sense is shown.",
};
