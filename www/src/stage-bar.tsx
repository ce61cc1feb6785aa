/** Above the canvas: undo and redo of one's own edits, and who else is here. */
import { useEffect, type ReactNode } from "react";
import type { CanvasDocument } from "./canvas-document.ts";
import type { Collaboration, Person } from "./collaboration.ts";
import { useStore } from "./use-headway.ts";
import type { Workbench } from "./workbench.ts";

export function StageBar({ workbench: { canvas, collaboration } }: { workbench: Workbench }) {
  return (
    <header className="stage-bar">
      <span className="brand" aria-hidden="true">
        <img src="./favicon.svg" alt="" width="22" height="22" /> Headway
      </span>
      <OwnEdits canvas={canvas} />
      <People collaboration={collaboration} />
    </header>
  );
}

function OwnEdits({ canvas }: { canvas: CanvasDocument }) {
  const { canUndo, canRedo } = useStore(canvas);
  useUndoKeys(canvas);
  return (
    <div className="own-edits" role="group" aria-label="Your own edits">
      <EditButton testId="undo-edit" label="Undo your last edit" keys="Ctrl+Z" isOn={canUndo} onClick={canvas.undo}>
        <path d="M9 5L4 10l5 5M4 10h11a5 5 0 0 1 0 10h-3" />
      </EditButton>
      <EditButton testId="redo-edit" label="Redo your edit" keys="Ctrl+Shift+Z" isOn={canRedo} onClick={canvas.redo}>
        <path d="M15 5l5 5-5 5M20 10H9a5 5 0 0 0 0 10h3" />
      </EditButton>
    </div>
  );
}

function EditButton(props: {
  testId: string;
  label: string;
  keys: string;
  isOn: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  const { testId, label, keys, isOn, onClick, children } = props;
  return (
    <button
      type="button"
      data-testid={testId}
      title={`${label} (${keys})`}
      aria-label={label}
      disabled={!isOn}
      onClick={onClick}
    >
      <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
        {children}
      </svg>
    </button>
  );
}

/** The canvas's own keys, unless somebody is writing to the agent. */
function useUndoKeys(canvas: CanvasDocument): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      const isRedo = key === "y" || (key === "z" && event.shiftKey);
      if (!isRedo && key !== "z") return;
      if (event.target instanceof HTMLTextAreaElement) return;
      event.preventDefault();
      if (isRedo) canvas.redo();
      else canvas.undo();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [canvas]);
}

const STATUS = {
  waiting: "Opening the canvas…",
  shared: undefined,
  offline: "Canvas offline: edits are kept here",
  alone: "Canvas not shared: only this page has it",
} as const;

function People({ collaboration }: { collaboration: Collaboration }) {
  const { status, me, others } = useStore(collaboration);
  const words = STATUS[status];
  return (
    <div className="people" data-testid="people" data-status={status}>
      <Avatar person={me} title={`${me.name} (you)`} />
      {others.map((person) => (
        <Avatar key={person.id} person={person} title={`${person.name} is here, too`} />
      ))}
      {words !== undefined && (
        <span className="pill" role="status" data-testid="canvas-status">
          {words}
        </span>
      )}
    </div>
  );
}

function Avatar({ person: { name, colour }, title }: { person: Person; title: string }) {
  return (
    <span className="avatar" title={title} style={{ background: colour }}>
      <span aria-hidden="true">{name.slice(0, 1)}</span>
      <span className="only-read">{title}</span>
    </span>
  );
}
