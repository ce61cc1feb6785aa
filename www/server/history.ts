/**
 * What one agent remembers: the tree of steps, HEAD, and the stack of HEADs that reverts left. No sockets, no clock.
 *
 * Invariants: the parent of a step is known before the step; ids are never re-used; the redo stack holds known steps and is
 * emptied by every new turn.
 */
import { EMPTY_CONTENT, type WorkflowContent } from "./script/content.ts";
import { ROOT, TEXT, type ReActStep } from "./protocol.ts";

/** Why HEAD did not move, in the words of the protocol. */
export class Refused extends Error {}

export class History {
  #steps = new Map<string, ReActStep>();
  #turns = new Set<string>();
  #redo: string[] = [];
  #head = ROOT;

  get headId(): string {
    return this.#head;
  }

  get canRedo(): boolean {
    return this.#redo.length > 0;
  }

  get size(): number {
    return this.#steps.size;
  }

  /** All steps in the order of their making, abandoned branches included. */
  steps(): ReActStep[] {
    return [...this.#steps.values()];
  }

  /** The content at HEAD. */
  content(): WorkflowContent {
    return this.contentAt(this.#head);
  }

  contentAt(stepId: string): WorkflowContent {
    return this.#steps.get(stepId)?.afterWorkflowContent ?? EMPTY_CONTENT;
  }

  /** Puts a step below HEAD and moves HEAD to it. The first step of a turn empties the redo stack. */
  append(step: ReActStep): void {
    if (!this.#turns.has(step.messageId)) {
      this.#turns.add(step.messageId);
      this.#redo = [];
    }
    this.#steps.set(step.id, step);
    this.#head = step.id;
  }

  /** The last step of a run is told again with `isEnd`. Replaces it in place; HEAD stays. */
  markEnd(stepId: string): ReActStep | undefined {
    const step = this.#steps.get(stepId);
    if (!step) return undefined;
    const ended = { ...step, isEnd: true };
    this.#steps.set(stepId, ended);
    return ended;
  }

  /** Where a revert of the turn leads: the parent of its first step on the path. */
  revertTarget(turnId: string): string {
    if (!this.#turns.has(turnId)) throw new Refused(TEXT.unknownTurn(turnId));
    let target: string | undefined;
    for (let step = this.#steps.get(this.#head); step; step = this.#steps.get(step.parentId)) {
      if (step.messageId === turnId) target = step.parentId;
    }
    if (target === undefined) throw new Refused(TEXT.notOnPath);
    return target;
  }

  /** Where a redo leads: the HEAD that the latest revert left. */
  redoTarget(): string {
    const target = this.#redo.at(-1);
    if (target === undefined) throw new Refused(TEXT.nothingToRedo);
    return target;
  }

  /** Going back any number of turns pushes ONE entry, so that one redo returns over all of them. */
  revertTo(target: string): void {
    this.#redo.push(this.#head);
    this.#head = target;
  }

  redoTo(target: string): void {
    this.#redo.pop();
    this.#head = target;
  }
}
