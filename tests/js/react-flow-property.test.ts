/** Whatever two contents there are, the changes lead from one to the other, in React Flow's own hands. Rule ids are those of SPEC.md. */
import { deepStrictEqual } from "node:assert/strict";
import type { Edge, Node } from "@xyflow/react";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toContent, toEdgeChanges, toNodeChanges } from "headway/react-flow";
import { applied, boundStore, editsBetween, type Flow } from "./flow.js";
import { canvasOf, blank } from "./scene.js";
import { goTo, versioned } from "./canvas-doc.js";

// ── contents ──────────────────────────────────────────────────────────────────────────────────────────────────────

const key = fc.constantFrom("a", "b", "label", "", "0", "__proto__", "constructor", "\0é");
const small = fc.constantFrom<unknown>(null, true, 0, 1, 2.5, "", "x", "age > 30", 1e21);

/** Objects by their keys, since fast-check's dictionaries have no `__proto__` of their own. */
const fields = (value: fc.Arbitrary<unknown>) =>
  fc.uniqueArray(fc.tuple(key, value), { maxLength: 4, selector: ([name]) => name }).map(Object.fromEntries<unknown>);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    small,
    fc.array(tie("value"), { maxLength: 5 }),
    fields(tie("value")),
  ),
}));

const IDS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const id = fc.constantFrom(...IDS);
const optional = { requiredKeys: ["id", "position", "data"] as ["id", "position", "data"] };
const anyNode = fc.record(
  {
    id,
    position: fc.record({ x: fc.nat(2), y: fc.nat(1) }),
    data: fields(value),
    type: fc.constantFrom("input", "output"),
    parentId: id,
    width: fc.nat(2),
    style: fields(small),
    selected: fc.boolean(),
    measured: fc.record({ width: fc.nat(1) }),
  },
  optional,
) as fc.Arbitrary<Node>;
const anyEdge = fc.record(
  {
    id,
    source: fc.constantFrom("a", "b"),
    target: fc.constantFrom("a", "b"),
    label: fc.constantFrom("x", "y"),
    data: fields(value),
    selected: fc.boolean(),
  },
  { requiredKeys: ["id", "source", "target"] },
) as fc.Arbitrary<Edge>;

const list = <E extends { id: string }>(one: fc.Arbitrary<E>) =>
  fc.uniqueArray(one, { selector: (each) => each.id, maxLength: 8 });
/** As they come off the wire: plain objects. */
const content = fc
  .record({ nodes: list(anyNode), edges: list(anyEdge) })
  .map((made) => JSON.parse(JSON.stringify(made)) as Flow);

/** Two contents that have much in common: some of the second is the first's, in another order. */
const pair = fc.tuple(content, content, fc.infiniteStream(fc.nat(5)), fc.nat(3)).map(([a, b, dice, mix]) => {
  const shared = <E extends { id: string }>(mine: readonly E[], theirs: readonly E[]) => {
    const kept = mine.filter(() => dice.next().value! > 0);
    if (mix === 0) kept.reverse();
    if (mix === 1) kept.push(...kept.splice(0, 2));
    const come = theirs.filter((each) => !kept.some((one) => one.id === each.id) && dice.next().value! < 3);
    const all = [...kept];
    for (const each of come) all.splice(dice.next().value! % (all.length + 1), 0, each);
    return all.map((each) => (dice.next().value! > 3 ? (theirs.find((one) => one.id === each.id) ?? each) : each));
  };
  return mix === 3 ? [a, b] : [a, { nodes: shared(a.nodes, b.nodes), edges: shared(a.edges, b.edges) }];
}) as fc.Arbitrary<[Flow, Flow]>;

// ── what is on a canvas besides ───────────────────────────────────────────────────────────────────────────────────

interface Besides {
  readonly selected?: boolean;
  readonly dragging?: boolean;
  readonly measured?: { readonly width: number; readonly height: number };
}

const besides: fc.Arbitrary<Besides> = fc.record(
  { selected: fc.boolean(), dragging: fc.boolean(), measured: fc.record({ width: fc.nat(9), height: fc.nat(9) }) },
  { requiredKeys: [] },
);
const onClick = () => undefined;

/** With what a host and React Flow keep on it, which no content knows of. */
const decorated = <E extends Node | Edge>(entity: E, more: Besides): E => ({
  ...entity,
  ...more,
  hidden: undefined,
  ...(entity.data && { data: { ...entity.data, onClick } }),
});

const decoration = fc.array(besides, { minLength: IDS.length, maxLength: IDS.length });

const withBesides = <E extends Node | Edge>(
  entities: readonly E[],
  more: readonly Besides[],
  there: readonly E[] = entities,
) =>
  entities.map((one) => {
    const old = there.find((each) => each.id === one.id);
    if (!old) return one;
    const whole = decorated(one, more[IDS.indexOf(one.id)] ?? {});
    // Data that was not there had nothing besides.
    return old.data ? whole : { ...whole, ...(one.data && { data: one.data }) };
  });

/** The length of the longest run that rises, the slow way. */
function longest(numbers: readonly number[]): number {
  const ending: number[] = [];
  for (const [at, number] of numbers.entries()) {
    ending.push(1 + Math.max(0, ...ending.filter((_, before) => before < at && numbers[before]! < number)));
  }
  return Math.max(0, ...ending);
}

describe("P10 P11: toNodeChanges and toEdgeChanges", () => {
  test("lead from any content to any other, in order, and keep what no content knows of and what is the user's", () => {
    fc.assert(
      fc.property(pair, decoration, ([a, b], more) => {
        const [mine, theirs] = [toContent(a), toContent(b)];
        const selection = more.map(({ selected }) => (selected === undefined ? {} : { selected }));
        const flow = { nodes: withBesides(mine.nodes, more), edges: withBesides(mine.edges, selection) };
        const after = applied(editsBetween(a, b), flow);
        // Not `toStrictEqual`: a key may be called `constructor`, and `undefined` and what is not there are two things.
        deepStrictEqual(after, {
          nodes: withBesides(theirs.nodes, more, mine.nodes),
          edges: withBesides(theirs.edges, selection, mine.edges),
        });
        deepStrictEqual(JSON.parse(JSON.stringify(toContent(after))), theirs);
      }),
      { numRuns: 1500 },
    );
  });

  test("touch as little as can be: one change for each, the fewest out of their places, the rest the same objects", () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const edits = editsBetween(a, b);
        const changes = [toNodeChanges(edits, a.nodes), toEdgeChanges(edits, a.edges)];
        for (const [at, name] of (["nodes", "edges"] as const).entries()) {
          const [before, after] = [a[name] as readonly Node[], applied(edits, a)[name] as readonly Node[]];
          const named = changes[at]!.filter((change) => change.type !== "add").map(({ id }) => id as string);
          const added = changes[at]!.flatMap((change) => (change.type === "add" ? [change.item.id] : []));
          expect(new Set(named).size).toBe(named.length);
          expect(new Set(added).size).toBe(added.length);
          const places = after.map(({ id }) => before.findIndex((one) => one.id === id)).filter((place) => place >= 0);
          const gone = before.length - places.length;
          const removed = changes[at]!.filter(({ type }) => type === "remove");
          expect(removed).toHaveLength(gone + places.length - longest(places));
          for (const one of after) {
            const old = before.find(({ id }) => id === one.id);
            if (named.includes(one.id) || !old) continue;
            expect(one).toBe(old);
          }
          for (const id of named) {
            const [old, now] = [a, b].map((content) => toContent(content)[name].filter((one) => one.id === id));
            const isChanged = editsBetween({ nodes: old }, { nodes: now }).length > 0;
            expect(isChanged || added.includes(id)).toBe(true);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  test("write into nothing that they are given, and give what can be written to", () => {
    const frozen = <T>(value: T): T => {
      if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
      return value;
    };
    const isFrozen = (value: unknown): boolean =>
      typeof value === "object" && value !== null && (Object.isFrozen(value) || Object.values(value).some(isFrozen));
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const edits = editsBetween(a, b);
        const thawed = structuredClone(a);
        expect(isFrozen(applied(edits, thawed))).toBe(false);
        expect(thawed).toEqual(a);
        applied(edits, frozen(structuredClone(a)));
      }),
      { numRuns: 200 },
    );
  });
});

describe("P10: a flow as the canvas", () => {
  test("shows what a canvas shows that takes whole contents, whatever HEAD does and whatever is edited by hand", () => {
    const event = fc.record({
      goesTo: fc.nat(2),
      edit: fc.option(fc.tuple(fc.nat(7), fc.nat(9))),
      selects: fc.nat(7),
      merges: fc.boolean(),
    });
    const run = (
      versions: readonly Flow[],
      events: readonly { goesTo: number; edit: [number, number] | null; selects: number; merges: boolean }[],
    ) => {
      const [mine, theirs] = [blank({ schema: "react-flow" }).headway, blank({ schema: "react-flow" }).headway];
      for (const headway of [mine, theirs]) headway.receive(versioned(versions));
      const store = boundStore(mine);
      const { canvas } = canvasOf(theirs, { nodes: [], edges: [] });
      for (const headway of [mine, theirs]) void headway.syncCanvas();
      const same = () =>
        expect(JSON.parse(JSON.stringify(toContent(store.getState())))).toEqual(JSON.parse(canvas.text));
      same();
      for (const { goesTo, edit, selects, merges } of events) {
        const selectedAt = store.getState().nodes[selects]?.id;
        store.setState(({ nodes }) => ({ nodes: nodes.map((one) => ({ ...one, selected: one.id === selectedAt })) }));
        if (edit) {
          const drag = <E extends Node>(nodes: readonly E[]) =>
            nodes.map((one, at) => (at === edit[0] ? { ...one, position: { x: edit[1], y: 1 } } : one));
          store.setState(({ nodes }) => ({ nodes: drag(nodes) }));
          const content = JSON.parse(canvas.text) as Flow;
          canvas.text = JSON.stringify({ ...content, nodes: drag(content.nodes) });
        }
        for (const headway of [mine, theirs]) {
          if (merges) void headway.syncCanvas("keep");
          goTo(headway, goesTo);
        }
        same();
        expect(mine.stashes()).toHaveLength(theirs.stashes().length);
        const selected = store
          .getState()
          .nodes.filter((one) => one.selected)
          .map((one) => one.id);
        const isThere = store.getState().nodes.some((one) => one.id === selectedAt);
        expect(selected).toEqual(isThere && selectedAt !== undefined ? [selectedAt] : []);
      }
      for (const headway of [mine, theirs]) headway.free();
    };
    const versions = fc.tuple(pair, content).map(([[a, b], c]) => [a, b, c].map(toContent));
    fc.assert(fc.property(versions, fc.array(event, { maxLength: 6 }), run), { numRuns: 200 });
  });
});
