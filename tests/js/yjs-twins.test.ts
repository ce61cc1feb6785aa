/**
 * Several people with a Headway each hear the same head change at the same moment: what their engines write is there once, nobody's words
 * are lost by that, and no undo manager sees it (P4, P6, P8). Rule ids are those of SPEC.md.
 */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { ORIGIN, bindYjs } from "headway/yjs";
import { made } from "./scene.js";
import {
  byId,
  contentOf,
  everything,
  exchange,
  goTo,
  heard,
  knowing,
  list,
  movedTo,
  onCanvas,
  properties,
  rootsOf,
  text,
  workflow,
} from "./canvas-doc.js";

const ages = (...texts: string[]) => texts.map((age) => workflow({ a: { age, cols: [age], limit: 1, note: "" } }));

/** People on one canvas that shows the last version, each on a document of their own. */
function people(count: number, versions: readonly unknown[], begin = versions.length - 1) {
  const first = new Y.Doc();
  const { headway } = knowing(versions);
  const unbind = bindYjs(headway, first);
  goTo(headway, begin);
  void headway.syncCanvas();
  unbind();
  return Array.from({ length: count }, () => {
    const doc = new Y.Doc();
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(first), "network");
    const undoManager = new Y.UndoManager(rootsOf(doc), { captureTimeout: 0 });
    const all = knowing(versions);
    movedTo(all.headway, begin);
    bindYjs(all.headway, doc, { undoManager });
    return { ...all, doc, undoManager };
  });
}

type Person = ReturnType<typeof people>[number];

/** All documents are the same, and so say all engines. */
function sayTheSame(all: readonly Person[]): void {
  exchange(...all.map(({ doc }) => doc));
  for (const { doc, headway } of all) {
    expect(everything(doc)).toEqual(everything(all[0]!.doc));
    expect(byId(onCanvas(headway))).toEqual(contentOf(doc));
  }
}

describe("what several replay at once (P8)", () => {
  test("is there once, in one transaction of ours for each that takes something away, and shows HEAD", () => {
    const all = people(3, ages("age > 40", "age > 30"));
    const told = all.map(({ doc }) => heard(doc));
    for (const { headway } of all) movedTo(headway, 0);
    sayTheSame(all);
    expect(contentOf(all[0]!.doc)).toEqual(byId(ages("age > 40")[0]!));
    for (const { headway, notices, undoManager } of all) {
      expect(headway.getView().canvas.equalsHead).toBe(true);
      expect([notices, headway.stashes(), undoManager.undoStack]).toEqual([[], [], []]);
    }
    for (const updates of told) for (const { origin } of updates) expect(["network", ORIGIN]).toContain(origin);
  });

  test("nobody who asks in the middle is told it twice", () => {
    const [one, two] = people(2, ages("age > 40", "age > 30")) as [Person, Person];
    movedTo(one.headway, 0);
    movedTo(two.headway, 0);
    const said: unknown[] = [];
    one.doc.on("update", () => said.push(onCanvas(one.headway).operators[0]!.operatorProperties["age"]));
    exchange(one.doc, two.doc);
    expect(new Set(said)).toEqual(new Set(["age > 40"]));
  });

  test("a version that comes late is no edit by hand: nothing is stashed or kept by the next replay (P6, P7)", () => {
    for (let round = 0; round < 6; round++) {
      const [one, two] = people(2, ages("age > 30", "age > 40", "age > 55"), 0) as [Person, Person];
      movedTo(two.headway, 1);
      const late = Y.encodeStateAsUpdate(two.doc);
      movedTo(one.headway, 1);
      movedTo(one.headway, 2);
      Y.applyUpdate(one.doc, late, "network");
      expect(text(one.doc, "a", "age").toString()).toBe("age > 55");
      movedTo(one.headway, 0);
      expect(one.headway.stashes()).toEqual([]);
      movedTo(two.headway, 2);
      movedTo(two.headway, 0);
      sayTheSame([one, two]);
      expect(one.headway.getView().canvas.equalsHead).toBe(true);
    }
  });

  test("what the person takes away at once does not come back with what comes late", () => {
    for (let round = 0; round < 6; round++) {
      const [one, two] = people(2, ages("say hello", "say ")) as [Person, Person];
      movedTo(one.headway, 0);
      movedTo(two.headway, 0);
      text(one.doc, "a", "age").delete(4, 5);
      sayTheSame([one, two]);
      expect(text(two.doc, "a", "age").toString()).toBe("say ");
      one.undoManager.undo();
      expect(text(one.doc, "a", "age").toString()).toBe("say hello");
    }
  });

  test("somebody else's words at the same place stay", () => {
    const all = people(3, ages("age > 40", "age > 30"));
    const last = all.at(-1)!;
    text(last.doc, "a", "age").insert(6, "not ");
    list(last.doc, "a", "cols").insert(0, [new Y.Text("mine")]);
    for (const { headway } of all.slice(0, -1)) movedTo(headway, 0);
    sayTheSame(all);
    expect(text(last.doc, "a", "age").toString()).toMatch(/^age > (not 4|4not )0$/);
    expect(list(last.doc, "a", "cols").toArray().map(String).sort()).toEqual(["age > 40", "mine"]);
  });

  test("in the middle of somebody's transaction it waits for the end", () => {
    const [one, two] = people(2, ages("age > 40", "age > 30")) as [Person, Person];
    movedTo(one.headway, 0);
    movedTo(two.headway, 0);
    for (const [to, from] of [
      [one, two],
      [two, one],
    ] as const) {
      to.doc.transact(() => {
        Y.applyUpdate(to.doc, Y.encodeStateAsUpdate(from.doc), "network");
        expect(onCanvas(to.headway).operators[0]!.operatorProperties["age"]).toBe("age > 40");
      });
    }
    sayTheSame([one, two]);
    expect(text(one.doc, "a", "age").toString()).toBe("age > 40");
  });
});

describe("who did not ask takes nobody's edits away (P6, P8)", () => {
  const both = () => people(2, ages("age > 40", "age > 30")) as [Person, Person];

  test("what the one who asked keeps stays, and what stands against the target is stashed by both", async () => {
    const [one, two] = both();
    properties(one.doc, "a").set("limit", 7);
    exchange(one.doc, two.doc);
    const moved = one.headway.redo("keep");
    movedTo(one.headway, 0);
    movedTo(two.headway, 0);
    sayTheSame([one, two]);
    expect(await moved).toMatchObject({ conflicts: [] });
    expect(properties(one.doc, "a").toJSON()).toMatchObject({ age: "age > 40", limit: 7 });
    expect([one, two].map(({ headway }) => headway.stashes())).toEqual([[], []]);
  });

  test("what the one who asked overwrites is overwritten", () => {
    const [one, two] = both();
    properties(one.doc, "a").set("limit", 7);
    exchange(one.doc, two.doc);
    goTo(one.headway, 0);
    movedTo(two.headway, 0);
    sayTheSame([one, two]);
    expect(contentOf(one.doc)).toEqual(byId(ages("age > 40")[0]!));
    expect(one.headway.stashes()).toHaveLength(1);
    for (const { headway } of [one, two]) expect(headway.getView().canvas.equalsHead).toBe(true);
  });
});

describe("people who type while engines replay (P3, P4, P8)", () => {
  const VERSIONS = ages("age > 30", "age > 40", "", "say 😀", "say 😁 twice", "age > 45");
  const person = fc.record({
    /** Whether this person asked, too. */
    asks: fc.boolean(),
    /** Where they type after the replay. */
    types: fc.array(fc.tuple(fc.nat(99), fc.boolean()), { maxLength: 3 }),
  });
  const round = fc.record({
    to: fc.nat(VERSIONS.length - 1),
    /** Who asked: nobody else takes anything of anybody's away. */
    asker: fc.nat(5),
    people: fc.array(person, { minLength: 3, maxLength: 3 }),
    hears: fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { maxLength: 4 }),
  });

  function together(count: number, rounds: readonly (typeof round extends fc.Arbitrary<infer R> ? R : never)[]): void {
    const all = people(count, VERSIONS);
    let word = 0;
    for (const { to, asker, people, hears } of rounds) {
      for (const [at, { headway }] of all.entries())
        (people[at]!.asks || at === asker % count ? goTo : movedTo)(headway, to);
      const typed = all.map(({ doc }, at) =>
        people[at]!.types.map(([where, inText]) => {
          const mine = `«${word++}»`;
          const age = text(doc, "a", "age");
          // Between whole characters, at either end.
          if (inText) age.insert(where % 2 === 0 ? 0 : age.length, mine);
          else list(doc, "a", "cols").insert(where % (list(doc, "a", "cols").length + 1), [new Y.Text(mine)]);
          return mine;
        }),
      );
      const undos = all.map(({ undoManager }) => undoManager.undoStack.length);
      for (const [a, b] of hears) {
        const [to, from] = [all[a % count]!.doc, all[b % count]!.doc];
        if (to !== from) Y.applyUpdate(to, Y.encodeStateAsUpdate(from, Y.encodeStateVector(to)), "network");
      }
      sayTheSame(all);
      const everybodys = JSON.stringify(everything(all[0]!.doc));
      for (const one of typed.flat()) expect(everybodys.split(one)).toHaveLength(2);
      expect(all.map(({ undoManager }) => undoManager.undoStack.length)).toEqual(undos);
      // Without what was typed it is HEAD's.
      const rest = JSON.parse(everybodys.replaceAll(/«\d+»/g, "")) as ReturnType<typeof everything>;
      const { age, cols } = VERSIONS[to]!.operators[0]!.operatorProperties as { age: string; cols: string[] };
      const shown = (rest["operatorIDMap"] as Record<string, { operatorProperties: Record<string, unknown> }>)["a"]!;
      expect(shown.operatorProperties["age"]).toBe(age);
      // An empty text of @y/y 14 could be anything, so it prints itself as an object.
      const there = (col: unknown) => typeof col === "string" && col !== "";
      expect((shown.operatorProperties["cols"] as unknown[]).filter(there)).toEqual(cols.filter(there));
      // One press takes back what one typed last, and nothing else.
      for (const [at, { undoManager, doc }] of all.entries()) {
        const last = typed[at]!.at(-1);
        if (last === undefined) continue;
        undoManager.undo();
        const left = JSON.stringify(everything(doc));
        expect(left).not.toContain(last);
        for (const others of typed.flat().filter((one) => one !== last && !typed.some((own) => own.at(-1) === one)))
          expect(left).toContain(others);
      }
      sayTheSame(all);
    }
  }

  test("nobody's words are lost, the agent's are there once, and each undo stack is as it was", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 3 }), fc.array(round, { minLength: 1, maxLength: 5 }), (count, rounds) => {
        try {
          together(count, rounds);
        } finally {
          for (const headway of made.splice(0)) headway.free();
        }
      }),
      { numRuns: 150, interruptAfterTimeLimit: 8_000 },
    );
  });
});
