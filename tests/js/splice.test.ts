// What was typed into a field of the workbench.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { moved, spliceOf } from "../../www/src/splice.ts";

describe("a splice", () => {
  it.each([
    ["", "", { at: 0, gone: 0, come: "" }],
    ["age > 30", "age > 40", { at: 6, gone: 1, come: "4" }],
    ["aaa", "aa", { at: 2, gone: 1, come: "" }],
    ["ab", "aXb", { at: 1, gone: 0, come: "X" }],
    // 😀 and 😁 begin with the same half.
    ["😀", "😁", { at: 0, gone: 2, come: "😁" }],
    // 😀 and 🨀 end with the same half.
    ["😀", "🨀", { at: 0, gone: 2, come: "🨀" }],
  ])("from %j to %j", (from, to, splice) => {
    expect(spliceOf(from, to)).toEqual(splice);
  });

  const text = fc.string({ unit: fc.constantFrom("a", "b", "😀", "😁", "🨀", "é"), maxLength: 8 });

  it("leads there, cuts no character in two, and moves what is behind it", () => {
    fc.assert(
      fc.property(text, text, (from, to) => {
        const splice = spliceOf(from, to);
        const { at, gone, come } = splice;
        expect(from.slice(0, at) + come + from.slice(at + gone)).toBe(to);
        for (const part of [from.slice(0, at), from.slice(at, at + gone), come, from.slice(at + gone)]) {
          expect(part).not.toMatch(/\p{Surrogate}/u);
        }
        expect(moved(at, splice)).toBe(at);
        expect(moved(from.length, splice)).toBe(from.length === at ? at : to.length);
      }),
    );
  });
});
