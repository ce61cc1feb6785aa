/**
 * One press of undo takes back one item.
 *
 * yjs pops items off the stack until one of them changes something. An item whose target a replay has deleted or overwritten changes
 * nothing, so the same press would go on and undo an older, unrelated one (P4). Where a replay came since, an item is therefore popped alone.
 */

type StackName = "undoStack" | "redoStack";
type Item = object;

/** What is needed of an undo manager. */
export interface UndoStacks {
  undoStack: Item[];
  redoStack: Item[];
  undo(): Item | null;
  redo(): Item | null;
}

/** What a binding does with an undo manager. */
export interface PressByPress {
  /** A replay came: what lies on the stacks now may have lost its target. */
  replayed(): void;
  /** Leaves the undo manager as it was found. */
  restore(): void;
}

/** The undo managers that have `undo` and `redo` of ours, and how many bindings want it. */
const shared = new WeakMap<UndoStacks, PressByPress & { bindings: number }>();

/** Puts `undo` and `redo` of its own on an undo manager, once for all bindings that it is in. */
export function pressByPress(manager: UndoStacks): PressByPress {
  const known = shared.get(manager) ?? { ...patched(manager), bindings: 0 };
  shared.set(manager, known);
  known.bindings += 1;
  return {
    replayed: known.replayed,
    restore: () => {
      known.bindings -= 1;
      if (known.bindings > 0) return;
      shared.delete(manager);
      known.restore();
    },
  };
}

function patched(manager: UndoStacks): PressByPress {
  const older = new WeakSet<Item>();
  const restores = [patch(manager, "undo", "undoStack", older), patch(manager, "redo", "redoStack", older)];
  return {
    replayed: () => {
      for (const item of [...manager.undoStack, ...manager.redoStack]) older.add(item);
    },
    restore: () => restores.forEach((restore) => restore()),
  };
}

function patch(manager: UndoStacks, method: "undo" | "redo", name: StackName, older: WeakSet<Item>): () => void {
  // The prototype's, or what somebody else put there.
  const original = manager[method];
  const wasOwn = Object.hasOwn(manager, method);
  const patched = (): Item | null => {
    const top = manager[name].at(-1);
    return top && older.has(top) ? alone(manager, name, () => original.call(manager)) : original.call(manager);
  };
  manager[method] = patched;
  return () => {
    if (manager[method] !== patched) return;
    if (wasOwn) manager[method] = original;
    else delete (manager as Partial<UndoStacks>)[method];
  };
}

/**
 * Pops the item on top of a stack as if it were the only one. yjs reads the stack once to pop from it, and then again to see what else is on
 * it, which has to be the truth.
 */
function alone(manager: UndoStacks, name: StackName, press: () => Item | null): Item | null {
  let rest = manager[name];
  let isFirst = true;
  const top = rest.pop();
  if (!top) return press();
  Object.defineProperty(manager, name, {
    configurable: true,
    enumerable: true,
    get: () => {
      if (!isFirst) return rest;
      isFirst = false;
      return [top];
    },
    set: (stack: Item[]) => {
      rest = stack;
    },
  });
  try {
    return press();
  } finally {
    Object.defineProperty(manager, name, { configurable: true, enumerable: true, writable: true, value: rest });
  }
}
