/** Where one types. Enter sends, Shift+Enter makes a new line; while the agent works, Stop stands where Send was. */
import type { View } from "headway";
import { useLayoutEffect, useRef } from "react";
import { HintButton } from "../hint-button.tsx";
import { refusalWords } from "../refusals.ts";
import type { Workbench } from "../workbench.ts";

interface Props {
  workbench: Workbench;
  view: View;
  draft: string;
  onDraft: (draft: string) => void;
  onSend: (prompt: string) => void;
  onStop: () => void;
}

const MOST_PIXELS = 180;

export function Composer({ workbench, view, draft, onDraft, onSend, onStop }: Props) {
  const { headway, messages } = workbench;
  const box = useRef<HTMLTextAreaElement>(null);
  const isRunning = view.connection === "live" && view.agentState === "GENERATING";
  const canSend = headway.can("prompt");
  const refusal = canSend === true ? (draft.trim() === "" ? "empty_prompt" : undefined) : canSend;
  const canStop = headway.can("stop");

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(MOST_PIXELS, element.scrollHeight + 2)}px`;
  }, [draft]);

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(draft);
      }}
    >
      <textarea
        ref={box}
        data-testid="composer"
        aria-label="Prompt"
        placeholder="Tell the agent what to do…"
        rows={1}
        value={draft}
        onChange={(event) => onDraft(event.target.value)}
        onKeyDown={(event) => {
          // An Enter that ends the composition of a character is not an Enter.
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          onSend(draft);
        }}
      />
      {isRunning ? (
        <HintButton
          className="stop"
          testId="stop"
          refusal={canStop === true ? undefined : refusalWords(canStop)}
          hint="Stop the agent; what it has done so far stays"
          onClick={onStop}
          onRefused={(why) => messages.toast("info", "Stop is not possible now", why)}
        >
          Stop
        </HintButton>
      ) : (
        <HintButton
          className="send"
          testId="send"
          refusal={refusal === undefined ? undefined : refusalWords(refusal)}
          hint="Send (Enter)"
          onClick={() => onSend(draft)}
          onRefused={(why) => messages.toast("info", "Send is not possible now", why)}
        >
          Send
        </HintButton>
      )}
      <p className="composer-hint">
        <span>Enter sends · Shift+Enter: new line</span>
        <span title="On this path; in brackets with the branches that were left">{spent(view)}</span>
      </p>
    </form>
  );
}

function spent({ usage }: View): string {
  const [path = 0, total = 0] = [usage.path.totalTokens, usage.total.totalTokens];
  if (total === 0) return "";
  const count = path.toLocaleString("en");
  return path === total ? `${count} tokens` : `${count} tokens (${total.toLocaleString("en")})`;
}
