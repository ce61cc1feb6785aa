/**
 * Values that are changed without being written to: what a change does not reach stays the same object, and what an edit brings is
 * copied, since edits are frozen and a host's values are its own.
 *
 * A host's value may hold more than its content says: functions, dates, `undefined`, fields that it leaves out. That stays wherever an
 * edit does not say otherwise.
 */
import type { PathStep } from "./types.js";

/** Why an edit does not fit. Who applies edits tells the host which one it is. */
export class Misfit extends Error {}

/** What happens at the end of a path. */
export type Change =
  | { readonly kind: "insert"; readonly to: unknown }
  | { readonly kind: "replace"; readonly from: unknown; readonly to: unknown }
  | { readonly kind: "remove" };

type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value with a change at a path. Throws a {@link Misfit} when the path leads nowhere. */
export function changed(value: unknown, path: readonly PathStep[], change: Change): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return changedWhole(value, change);
  if (Array.isArray(value) && typeof step === "number") return changedItem(value, step, rest, change);
  if (isObject(value) && typeof step === "string") return changedField(value, step, rest, change);
  throw nowhere();
}

function changedWhole(value: unknown, change: Change): unknown {
  if (change.kind === "replace") return replaced(value, change.from, change.to);
  throw nowhere();
}

function changedItem(list: readonly unknown[], at: number, rest: readonly PathStep[], change: Change): unknown[] {
  const isInserted = rest.length === 0 && change.kind === "insert";
  if (!Number.isInteger(at) || at < 0 || at >= list.length + (isInserted ? 1 : 0)) throw nowhere();
  const copy = [...list];
  if (isInserted) copy.splice(at, 0, own(change.to));
  else if (rest.length === 0 && change.kind === "remove") copy.splice(at, 1);
  else copy[at] = changed(list[at], rest, change);
  return copy;
}

function changedField(fields: Fields, key: string, rest: readonly PathStep[], change: Change): Fields {
  // The content has no such key; what a host keeps under it without saying so gives way.
  if (rest.length === 0 && change.kind === "insert") return { ...fields, [key]: own(change.to) };
  if (!Object.hasOwn(fields, key)) throw nowhere();
  if (rest.length > 0 || change.kind !== "remove") return { ...fields, [key]: changed(fields[key], rest, change) };
  const { [key]: _, ...others } = fields;
  return others;
}

const nowhere = () => new Misfit("the path leads nowhere");

/** How deep two values are compared to keep what a host holds beside them. Edits reach no deeper either (C4). */
const DEPTH = 48;

/**
 * What a host has where a content had `from` and now has `to`: `to`, with all that is the same before and after left as it is, and with
 * the fields that `from` knows nothing of.
 */
export function replaced(there: unknown, from: unknown, to: unknown, depth = DEPTH): unknown {
  if (from === to) return there;
  if (depth > 0 && Array.isArray(there) && Array.isArray(from) && Array.isArray(to)) {
    return replacedItems(there, from, to, depth);
  }
  if (depth > 0 && isObject(there) && isObject(from) && isObject(to)) return replacedFields(there, from, to, depth);
  return own(to);
}

/** Of a list only what is the same before and after: what an item holds beside it may belong to another one now. */
function replacedItems(
  there: readonly unknown[],
  from: readonly unknown[],
  to: readonly unknown[],
  depth: number,
): readonly unknown[] {
  const items = to.map((item, at) => {
    const kept = at < Math.min(there.length, from.length) ? replaced(there[at], from[at], item, depth - 1) : undefined;
    return kept !== undefined && kept === there[at] ? kept : own(item);
  });
  const isSame = items.length === there.length && items.every((item, at) => item === there[at]);
  return isSame ? there : items;
}

function replacedFields(there: Fields, from: Fields, to: Fields, depth: number): Fields {
  const kept = Object.keys(there).filter((key) => Object.hasOwn(to, key) || !Object.hasOwn(from, key));
  const come = Object.keys(to).filter((key) => !Object.hasOwn(there, key));
  const inside = (key: string) => {
    if (!Object.hasOwn(to, key)) return there[key];
    return Object.hasOwn(from, key) ? replaced(there[key], from[key], to[key], depth - 1) : own(to[key]);
  };
  const fields = Object.fromEntries([...kept, ...come].map((key) => [key, inside(key)]));
  const isSame =
    come.length === 0 && kept.length === Object.keys(there).length && kept.every((key) => fields[key] === there[key]);
  return isSame ? there : fields;
}

/** A copy that can be written to, all the way down. Does not recurse. */
export function own<T>(value: T): T {
  const whole: Record<string, unknown> = { value };
  const todo = [whole];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    for (const key of Object.keys(next)) {
      const inner = next[key];
      if (typeof inner !== "object" || inner === null) continue;
      const copy = (Array.isArray(inner) ? [...(inner as unknown[])] : { ...inner }) as Record<string, unknown>;
      next[key] = copy;
      todo.push(copy);
    }
  }
  return whole["value"] as T;
}
