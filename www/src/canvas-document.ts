/**
 * The page's own document: the workflow on the canvas. Headway reads it and replaces it as JSON text, the person moves
 * things in it. Kept whole, unknown keys included, so that what is read back is what was put there.
 */
import type { PlainCanvas } from "headway";
import { readWorkflow, type Point, type WorkflowView } from "./workflow.ts";

const EMPTY = {
  operators: [],
  operatorPositions: {},
  links: [],
  commentBoxes: [],
  settings: { dataTransferBatchSize: 400, executionMode: "PIPELINED" },
};

export interface CanvasState {
  readonly workflow: WorkflowView;
  /** Something was moved by hand since the canvas was last written. */
  readonly isEdited: boolean;
}

export class CanvasStore implements PlainCanvas {
  #document: Readonly<Record<string, unknown>> = EMPTY;
  #text: string | undefined;
  #state: CanvasState = { workflow: readWorkflow(EMPTY), isEdited: false };
  #isUntouched = true;
  readonly #listeners = new Set<() => void>();

  /** Nobody has put anything on the canvas yet: neither a person nor the engine. */
  get isUntouched(): boolean {
    return this.#isUntouched;
  }

  read = (): string => (this.#text ??= JSON.stringify(this.#document));

  replace = (content: string): void => {
    const document: unknown = JSON.parse(content);
    if (typeof document !== "object" || document === null) throw new TypeError("A workflow has to be an object");
    this.#text = content;
    this.#set(document as Record<string, unknown>, false);
  };

  /** A person moved operators or comments. Everything else of the document stays as it is. */
  move(moved: ReadonlyMap<string, Point>): void {
    const document = { ...this.#document };
    const positions = { ...(document.operatorPositions as Record<string, Point> | undefined) };
    for (const { id } of this.#state.workflow.operators) {
      const to = moved.get(id);
      if (to) positions[id] = to;
    }
    document.operatorPositions = positions;
    if (this.#state.workflow.comments.some(({ id }) => moved.has(id))) {
      document.commentBoxes = (document.commentBoxes as { commentBoxID: string }[]).map((box) => {
        const to = moved.get(box.commentBoxID);
        return to ? { ...box, commentBoxPosition: to } : box;
      });
    }
    this.#text = undefined;
    this.#set(document, true);
  }

  /** What was moved by hand turned out to be what it should be. */
  confirm(): void {
    if (this.#state.isEdited) this.#set(this.#document, false);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  getState = (): CanvasState => this.#state;

  #set(document: Readonly<Record<string, unknown>>, isEdited: boolean): void {
    this.#isUntouched = false;
    this.#document = document;
    this.#state = { workflow: readWorkflow(document), isEdited };
    for (const listener of [...this.#listeners]) listener();
  }
}
