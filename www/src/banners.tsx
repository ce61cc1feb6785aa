/** What is not as it should be, said where it shows: above the canvas. */
import type { View } from "headway";
import type { ReactNode } from "react";
import { useStore } from "./use-headway.ts";
import type { Workbench } from "./workbench.ts";

interface Banner {
  key: string;
  kind: "warning" | "error";
  text: ReactNode;
  action?: { label: string; testId: string; run: () => void };
}

export function Banners({ workbench, view }: { workbench: Workbench; view: View }) {
  const { isEdited, workflow } = useStore(workbench.canvas);
  const { notices } = useStore(workbench.messages);
  const sync = {
    label: "Bring canvas to HEAD",
    testId: "sync-canvas",
    run: () =>
      void workbench.attempt("The canvas was not changed", async () => {
        await workbench.headway.syncCanvas();
        workbench.canvas.confirm();
      }),
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
  if (view.canvas.contentUnknown || isLeftOver) {
    banners.push({
      key: "unknown",
      kind: "warning",
      text: "No content is known for this point of the history, so the canvas was left as it is.",
    });
  } else if (view.length > 0 && (!view.canvas.equalsHead || isEdited)) {
    banners.push({
      key: "differs",
      kind: "warning",
      text: isEdited
        ? "You moved things by hand. The agent does not see that, and its next change puts its own positions back."
        : "The canvas differs from what the history says.",
      action: sync,
    });
  }
  return (
    <div className="banners" aria-live="polite">
      {banners.map(({ key, kind, text, action }) => (
        <div key={key} className={`banner banner-${kind}`} data-testid={`banner-${key}`}>
          <span>{text}</span>
          {action && (
            <button type="button" data-testid={action.testId} onClick={action.run}>
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

const BROKEN: Readonly<Record<View["path"]["status"], string | undefined>> = {
  ok: undefined,
  unknown_head: "The service points at a step that it has not sent. What was known last stays on show.",
  broken_parent: "A step of this history is missing. What comes after it is shown.",
  cycle: "The history that the service sent runs in a circle. The part that makes sense is shown.",
};
