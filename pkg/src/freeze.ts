/** Freezes a plain JSON value and everything in it: views share steps, so nobody may write into one. Does not recurse. */
export function freezeDeep<T>(value: T): T {
  const todo: unknown[] = [value];
  while (todo.length > 0) {
    const next = todo.pop();
    if (typeof next !== "object" || next === null) continue;
    Object.freeze(next);
    for (const inner of Object.values(next)) {
      if (typeof inner === "object" && inner !== null) todo.push(inner);
    }
  }
  return value;
}
