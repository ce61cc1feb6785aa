/** The page: canvas on the left, conversation on the right, and what goes between them. */
import type { Turn } from "headway";
import { useCallback, useRef, useState } from "react";
import { Banners } from "./banners.tsx";
import { Canvas } from "./canvas/canvas.tsx";
import { ChatHeader } from "./chat/chat-header.tsx";
import { Composer } from "./chat/composer.tsx";
import { Conversation } from "./chat/conversation.tsx";
import { Notices } from "./chat/notices.tsx";
import { StageBar } from "./stage-bar.tsx";
import { Toasts } from "./toasts.tsx";
import { useHeadway } from "./use-headway.ts";
import type { Workbench } from "./workbench.ts";

export function App({ workbench }: { workbench: Workbench }) {
  const { headway, messages } = workbench;
  const view = useHeadway(headway);
  const [draft, setDraft] = useState("");
  // Callbacks that wait for an answer look at the draft as it is by then.
  const draftNow = useRef(draft);
  draftNow.current = draft;
  /** What a revert put into the box: a redo takes it out again, if nobody has changed it. */
  const returned = useRef<string | undefined>(undefined);

  const send = useCallback(
    async (prompt: string) => {
      if (prompt.trim() === "") return;
      const done = await workbench.attempt("The prompt was not sent", async () => {
        await headway.prompt(prompt);
        return true;
      });
      // Only what was sent is taken out of the box: a person may have typed on meanwhile.
      if (done && draftNow.current === prompt) setDraft("");
    },
    [workbench, headway],
  );

  const revert = useCallback(
    async (turn: Turn) => {
      // What somebody edited by hand stays, unless it stands against what was there; then it can be put back.
      const moved = await workbench.attempt("The turn was not reverted", () => headway.revert(turn.id, "keep"));
      // What was asked comes back to be asked better; a draft is never overwritten (R13).
      if (!moved?.prompt || draftNow.current.trim() !== "") return;
      returned.current = moved.prompt;
      setDraft(moved.prompt);
    },
    [workbench, headway],
  );

  const redo = useCallback(async () => {
    const moved = await workbench.attempt("Nothing was redone", () => headway.redo("keep"));
    if (moved && draftNow.current === returned.current) setDraft("");
  }, [workbench, headway]);
  const stop = useCallback(
    () => void workbench.attempt("The agent was not stopped", () => headway.stop()),
    [workbench, headway],
  );

  const isBusy = view.connection === "live" && (view.agentState === "GENERATING" || view.agentState === "STOPPING");
  return (
    <div className="app">
      <section className="stage">
        <StageBar workbench={workbench} />
        <Banners workbench={workbench} view={view} />
        <Canvas workbench={workbench} isBusy={isBusy} onExample={(prompt) => void send(prompt)} />
      </section>
      <aside className="chat" aria-label="Agent">
        <ChatHeader workbench={workbench} view={view} onRedo={() => void redo()} />
        <Conversation workbench={workbench} view={view} onRevert={revert} />
        <Notices messages={messages} />
        <Composer
          workbench={workbench}
          view={view}
          draft={draft}
          onDraft={setDraft}
          onSend={(prompt) => void send(prompt)}
          onStop={stop}
        />
      </aside>
      <Toasts messages={messages} />
    </div>
  );
}
