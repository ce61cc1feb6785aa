/** Refusals and failures in words. They leave by themselves, but not from under the pointer. */
import { useEffect, useState } from "react";
import type { Messages, Toast } from "./messages.ts";
import { useStore } from "./use-headway.ts";

const STAY_MS = 7_000;

export function Toasts({ messages }: { messages: Messages }) {
  const { toasts } = useStore(messages);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} onDone={() => messages.dismiss(toast.id)} />
      ))}
    </div>
  );
}

function ToastCard({ toast, onDone }: { toast: Toast; onDone: () => void }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(onDone, STAY_MS);
    return () => clearTimeout(timer);
    // `onDone` is another function on every render and always does the same.
  }, [isHeld, toast.id]);
  return (
    <div
      className={`toast toast-${toast.kind}`}
      data-testid="toast"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      <div>
        <strong>{toast.title}</strong>
        <p>{toast.text}</p>
      </div>
      <button type="button" aria-label="Dismiss" onClick={onDone}>
        ×
      </button>
    </div>
  );
}
