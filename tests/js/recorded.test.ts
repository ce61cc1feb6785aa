/** Sessions as they were recorded. They are read from files, so these tests run in Node.js only. */
import { describe, expect, test } from "vitest";
import { fixture, lines } from "./recordings.js";
import { blank, ids } from "./scene.js";

describe("recorded sessions", () => {
  test.each(["texera/snap-20x5.json.gz", "texera/snap-50x3.json.gz"])("%s loads whole", (name) => {
    const { headway, notices } = blank();
    const text = fixture(name);
    headway.receive(text);
    const frame = JSON.parse(text) as { steps: { id: string; afterWorkflowContent: unknown }[]; headId: string };
    expect(notices).toEqual([]);
    expect(ids(headway)).toEqual(frame.steps.map((one) => one.id));
    expect(JSON.parse(headway.content() ?? "")).toEqual(frame.steps.at(-1)?.afterWorkflowContent);
    const view = headway.getView();
    headway.receive(text);
    expect(headway.getView()).toBe(view);
  });

  test("a live session is told step by step", () => {
    const { headway, notices } = blank();
    const lengths = lines("texera/live-3turns.jsonl").map((line) => {
      headway.receive(line);
      return headway.getView().length;
    });
    expect(lengths).toEqual([0, 0, 1, 2, 3, 4, 4, 4, 4, 5, 6, 7, 8, 8, 8, 8, 9, 10, 11, 12, 12, 12]);
    expect(notices).toEqual([]);
    expect(headway.getView().turns.map((turn) => [turn.title, turn.ended, turn.steps])).toEqual([
      ["ADD2#1", "done", 4],
      ["ADD2#2", "done", 4],
      ["ADD2#3", "done", 4],
    ]);
  });

  test("the turns of a recorded session change what they say they change", () => {
    const { headway } = blank();
    headway.receive(fixture("texera/reconnect-after-3turns.jsonl"));
    const summaries = headway.getView().turns.map((turn) => headway.diff(turn.parentId, turn.lastStep).summary);
    expect(summaries).toEqual([
      { added: 3, removed: 0, changed: 0, moved: 0 },
      { added: 4, removed: 0, changed: 0, moved: 0 },
      { added: 4, removed: 0, changed: 0, moved: 0 },
    ]);
  });
});
