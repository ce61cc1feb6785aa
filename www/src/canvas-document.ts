/**
 * The live canvas: a `Y.Doc` in Texera's layout, which everybody who has the page open shares. It is the truth, and the picture follows it.
 *
 * What a person does here is one transaction each, and goes onto that person's undo stack. What the agent or a revert does comes through
 * Headway, which no undo stack sees.
 */
import * as Y from "yjs";
import { spliceOf } from "./splice.ts";
import {
  NO_WORKFLOW,
  readComment,
  readLink,
  readOperator,
  readPoint,
  type EndView,
  type Point,
  type WorkflowView,
} from "./workflow.ts";

export interface CanvasState {
  readonly workflow: WorkflowView;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

/** A key, or an index of a list. */
export type Path = readonly (string | number)[];

/** Edits within this time are one item on the undo stack. */
const ONE_UNDO_MS = 500;

export class CanvasDocument {
  readonly doc = new Y.Doc();
  readonly undoManager: Y.UndoManager;
  readonly #operators = new Drawn(this.doc.getMap("operatorIDMap"), readOperator);
  readonly #positions = new Drawn(this.doc.getMap("elementPositionMap"), (_, value) => readPoint(value));
  readonly #links = new Drawn(this.doc.getMap("operatorLinkMap"), readLink);
  readonly #comments = new Drawn(this.doc.getMap("commentBoxMap"), readComment);
  #state: CanvasState = { workflow: NO_WORKFLOW, canUndo: false, canRedo: false };
  readonly #listeners = new Set<() => void>();

  constructor() {
    const drawn = [this.#operators, this.#positions, this.#links, this.#comments];
    this.undoManager = new Y.UndoManager(
      drawn.map(({ map }) => map),
      { captureTimeout: ONE_UNDO_MS },
    );
    this.doc.on("afterAllTransactions", () => {
      const isChanged = drawn.map((one) => one.update()).includes(true);
      if (isChanged) this.#set({ workflow: this.#draw() });
    });
    for (const event of ["stack-item-added", "stack-item-popped", "stack-cleared"] as const) {
      this.undoManager.on(event, () => this.#set({}));
    }
  }

  /** Nobody has ever written anything on it. */
  get isBlank(): boolean {
    return Y.encodeStateVector(this.doc).byteLength === 1;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  getState = (): CanvasState => this.#state;

  // ── what a person does by hand ───────────────────────────────────────────────────────────────────────────────────

  /** Moves operators or comments. */
  move(moved: ReadonlyMap<string, Point>): void {
    this.#edit(() => {
      for (const [id, { x, y }] of moved) {
        this.#positions.map.set(id, { x, y });
        const comment = this.#comments.map.get(id);
        if (comment instanceof Y.Map) comment.set("commentBoxPosition", { x, y });
      }
    });
  }

  /** Takes operators, comments and links away, and the links that would lead nowhere then. */
  remove(ids: readonly string[], links: readonly string[]): void {
    this.#edit(() => {
      const gone = new Set(ids);
      for (const { id, source, target } of this.#state.workflow.links) {
        if (gone.has(source.operator) || gone.has(target.operator) || links.includes(id)) this.#links.map.delete(id);
      }
      for (const id of gone) {
        for (const { map } of [this.#operators, this.#positions, this.#comments]) map.delete(id);
      }
    });
  }

  /** Draws a link. */
  connect(source: EndView, target: EndView): void {
    const linkID = `link-${crypto.randomUUID()}`;
    const end = ({ operator, port }: EndView) => ({ operatorID: operator, portID: port });
    this.#edit(() => this.#links.map.set(linkID, { linkID, source: end(source), target: end(target) }));
  }

  /** Whether a link may be drawn: not to itself, not twice, and not into a port that takes one and has one. */
  canConnect(source: EndView, target: EndView): boolean {
    const { operators, links } = this.#state.workflow;
    const port = operators.find(({ id }) => id === target.operator)?.inputs.find(({ id }) => id === target.port);
    const into = links.filter((link) => isSameEnd(link.target, target));
    if (!port || source.operator === target.operator || (port.isSingle && into.length > 0)) return false;
    return !into.some((link) => isSameEnd(link.source, source));
  }

  /** Sets a value inside of an operator. A text changes by what was typed, so that two people can type in it. */
  setValue(operator: string, path: Path, value: string | number | boolean): void {
    const key = path.at(-1);
    let parent: unknown = this.#operators.map.get(operator);
    for (const step of path.slice(0, -1)) parent = inside(parent, step);
    const before = key === undefined ? undefined : inside(parent, key);
    this.#edit(() => {
      if (before instanceof Y.Text && typeof value === "string") {
        const { at, gone, come } = spliceOf(before.toString(), value);
        if (gone > 0) before.delete(at, gone);
        if (come !== "") before.insert(at, come);
      } else if (parent instanceof Y.Map && typeof key === "string") {
        parent.set(key, shared(value));
      } else if (parent instanceof Y.Array && typeof key === "number") {
        parent.delete(key);
        parent.insert(key, [shared(value)]);
      }
    });
  }

  undo = (): void => void this.undoManager.undo();
  redo = (): void => void this.undoManager.redo();

  #edit(write: () => void): void {
    this.doc.transact(write);
  }

  // ── the picture ──────────────────────────────────────────────────────────────────────────────────────────────────

  #draw(): WorkflowView {
    const operators = this.#operators.all;
    const positions = this.#positions.all;
    const comments = [...this.#comments.all.values()];
    return {
      // A shared map has no order, and the keyboard goes through the canvas in one.
      operators: [...operators.values()].sort((a, b) => byId.compare(a.id, b.id)),
      positions,
      links: [...this.#links.all.values()].filter(
        ({ source, target }) => operators.has(source.operator) && operators.has(target.operator),
      ),
      comments: comments.map((comment) => {
        const position = positions.get(comment.id);
        return position ? { ...comment, position } : comment;
      }),
    };
  }

  #set(change: Partial<CanvasState>): void {
    const [canUndo, canRedo] = [this.undoManager.canUndo(), this.undoManager.canRedo()];
    this.#state = { ...this.#state, ...change, canUndo, canRedo };
    for (const listener of [...this.#listeners]) listener();
  }
}

/** A root map, and what of it is drawn: read anew where something changed. */
class Drawn<View> {
  readonly #changed = new Set<string>();
  #all: ReadonlyMap<string, View> = new Map();

  constructor(
    readonly map: Y.Map<unknown>,
    private readonly read: (id: string, value: unknown) => View | undefined,
  ) {
    map.observeDeep((events) => {
      for (const { path, keys } of events) {
        if (path[0] !== undefined) this.#changed.add(String(path[0]));
        else for (const key of keys.keys()) this.#changed.add(key);
      }
    });
  }

  get all(): ReadonlyMap<string, View> {
    return this.#all;
  }

  /** Whether anything is others than it was. */
  update(): boolean {
    if (this.#changed.size === 0) return false;
    const all = new Map(this.#all);
    for (const id of this.#changed) {
      const value = this.map.get(id);
      const view = this.read(id, value instanceof Y.AbstractType ? value.toJSON() : value);
      if (view === undefined) all.delete(id);
      else all.set(id, view);
    }
    this.#changed.clear();
    this.#all = all;
    return true;
  }
}

const byId = new Intl.Collator("en", { numeric: true });

const isSameEnd = (a: EndView, b: EndView): boolean => a.operator === b.operator && a.port === b.port;

/** As Texera keeps a value. */
const shared = (value: string | number | boolean): unknown => (typeof value === "string" ? new Y.Text(value) : value);

function inside(parent: unknown, step: string | number): unknown {
  if (parent instanceof Y.Map && typeof step === "string") return parent.get(step);
  return parent instanceof Y.Array && typeof step === "number" ? parent.get(step) : undefined;
}
