// The scripted agent: what it understands, what it makes of it, and that it does the same thing every time.
import { describe, expect, it } from "vitest";
import { HELP } from "../../www/server/script/answers.ts";
import { EMPTY_CONTENT, type WorkflowContent } from "../../www/server/script/content.ts";
import { script } from "../../www/server/script/script.ts";
import { understand } from "../../www/server/script/understand.ts";

/** The content after some prompts, from an empty canvas. */
function after(...prompts: string[]): WorkflowContent {
  return prompts.reduce<WorkflowContent>(
    (content, prompt) => script(prompt, content, 0).at(-1)?.after ?? content,
    EMPTY_CONTENT,
  );
}

const kinds = (sentence: string): string[] => understand(sentence).requests.map((request) => request.kind);
const types = (content: WorkflowContent): string[] => content.operators.map((operator) => operator.operatorType);
const links = (content: WorkflowContent): string[] =>
  content.links.map((link) => `${link.source.operatorID}>${link.target.operatorID}`);
const properties = (content: WorkflowContent, type: string): Record<string, unknown> | undefined =>
  content.operators.find((operator) => operator.operatorType === type)?.operatorProperties;
const lastWords = (prompt: string, content: WorkflowContent = EMPTY_CONTENT): string =>
  script(prompt, content, 0).at(-1)?.text ?? "";

const BASE = "csv scan, then filter age > 30, then a bar chart of count per city, sort by age and limit to 5";

describe("what it understands", () => {
  it.each(HELP.map(({ say }) => say))("every sentence of its own help: %s", (say) => {
    expect(kinds(say)).not.toContain("unknown");
    const content = after(BASE, "add a pie chart of city", "describe the workflow");
    const last = script(say, content, 0).at(-1);
    expect(last?.text).toMatch(/^(?:Done: |There are |The model gave up)/);
  });

  const sentences: [sentence: string, kinds: string[]][] = [
    ["csv scan, then a filter age > 30, then a bar chart of count per city", ["add", "add", "chart"]],
    ["Please read people.csv and keep the adults!", ["add", "add"]],
    ["build a workflow that reads a.csv, filters age > 30 and shows a pie chart of city", ["add", "add", "chart"]],
    ["1. read people.csv 2. filter age > 3", ["add", "add"]],
    ["read a.csv -> sort by total desc -> limit 5", ["add", "add", "add"]],
    ["Add a filter age > 30. Then sort by age.", ["add", "add"]],
    ["add a filter for people older than 40 and a limit of 3", ["add", "add"]],
    ["keep name, age and city", ["add"]],
    ["keep only rows where age is at least 18", ["add"]],
    ["drop the column secret", ["add"]],
    ["order by age desc, name", ["add"]],
    ["take the first 5 rows", ["add"]],
    ["top 20", ["add"]],
    ["dedupe", ["add"]],
    ["search for 'data' in title", ["add"]],
    ["add a python udf", ["add"]],
    ["group by city and count", ["aggregate"]],
    ["how many per city", ["aggregate"]],
    ["sum of salary by department", ["aggregate"]],
    ["show me a bar chart of count per country", ["chart"]],
    ["plot average income by city", ["chart"]],
    ["scatter plot of age vs income", ["chart"]],
    ["histogram of age", ["chart"]],
    ["join people.csv and orders.csv on customer_id", ["combine"]],
    ["merge with orders.csv", ["combine"]],
    ["append b.csv", ["combine"]],
    ["make the filter age >= 18", ["change"]],
    ["set the limit to 25", ["change"]],
    ["use 40 instead of 30", ["change"]],
    ["limit to 20 instead", ["change"]],
    ["replace the pie chart with a line chart", ["replace"]],
    ["get rid of the sort", ["delete"]],
    ["delete all charts", ["delete"]],
    ["delete everything", ["clear"]],
    ["start over", ["clear"]],
    ["call the filter Adults", ["rename"]],
    ["turn the sort off", ["toggle"]],
    ["enable it", ["toggle"]],
    ['add a note: "a, b then c"', ["comment"]],
    ["move op2 to 100, 300", ["move"]],
    ["move the filter down", ["move"]],
    ["clean up", ["tidy"]],
    ["wire op1 to op3", ["connect"]],
    ["disconnect op1 from op2", ["disconnect"]],
    ["what is on the canvas?", ["describe"]],
    ["What can you do?", ["help"]],
    ["hello!", ["talk"]],
    ["thanks a lot", ["talk"]],
    ["undo that", ["talk"]],
    ["crash", ["fail"]],
    ["make me a sandwich", ["unknown"]],
    ["delete", ["unknown"]],
  ];
  it.each(sentences)("%s", (sentence, expected) => {
    expect(kinds(sentence)).toEqual(expected);
  });

  it("what is said is repeated as it is, markup and all", () => {
    expect(lastWords("say <b>hi</b>, and [x](javascript:alert(1))")).toBe("<b>hi</b>, and [x](javascript:alert(1))");
  });

  it("an unknown request changes nothing and is answered with what it does understand", () => {
    const content = after(BASE);
    const steps = script("make me a sandwich", content, 0);
    expect(steps).toHaveLength(1);
    expect(steps[0]?.after).toBe(content);
    expect(steps[0]?.text).toContain("I did not understand “make me a sandwich”");
    for (const { say } of HELP) expect(steps[0]?.text).toContain(say);
  });

  it.each(["", "   ", ",,,", "then", "\u0001", "(((", "x".repeat(5000), "age > > >", "rename to to to", "\\", "🙏"])(
    "never trips: %j",
    (sentence) => {
      expect(() => script(sentence, after(BASE), 0)).not.toThrow();
    },
  );
});

describe("what it makes of it", () => {
  it("a workflow in order, left to right, with the grouping that a chart needs", () => {
    const content = after("CSV scan, then a filter age > 30, then a bar chart of count per city");
    expect(types(content)).toEqual(["CSVFileScan", "Filter", "Aggregate", "BarChart"]);
    expect(links(content)).toEqual(["op1>op2", "op2>op3", "op3>op4"]);
    expect(properties(content, "Filter")).toEqual({ predicates: [{ attribute: "age", condition: ">", value: 30 }] });
    expect(properties(content, "BarChart")).toMatchObject({ value: "count", fields: "city" });
    const xs = content.operators.map(({ operatorID }) => content.operatorPositions[operatorID]?.x ?? 0);
    expect(xs).toEqual([...xs].sort((a, b) => a - b));
    expect(new Set(xs).size).toBe(4);
  });

  it("a second chart of the same grouping shares it", () => {
    const content = after("bar chart of count per city", "add a pie chart of city");
    expect(types(content)).toEqual(["CSVFileScan", "Aggregate", "BarChart", "PieChart"]);
    expect(links(content)).toEqual(["op1>op2", "op2>op3", "op2>op4"]);
  });

  it("a change touches that property and nothing else", () => {
    const before = after(BASE);
    const content = after(BASE, "change the filter to age > 40");
    expect(properties(content, "Filter")).toEqual({ predicates: [{ attribute: "age", condition: ">", value: 40 }] });
    expect({ ...content, operators: [] }).toEqual({ ...before, operators: [] });
    expect(properties(after(BASE, "use 40 instead of 30"), "Filter")).toEqual(properties(content, "Filter"));
    expect(properties(after(BASE, "limit to 20 instead"), "Limit")).toEqual({ limit: 20 });
  });

  it("a deletion joins the ends", () => {
    const content = after("csv scan, filter age > 30, limit to 5", "delete the filter");
    expect(types(content)).toEqual(["CSVFileScan", "Limit"]);
    expect(links(content)).toEqual(["op1>op3"]);
    expect(content.operatorPositions).not.toHaveProperty("op2");
  });

  it("an insertion takes over what followed", () => {
    const content = after("csv scan, filter age > 30, limit to 5", "add a sort by age after the filter");
    expect(links(content).sort()).toEqual(["op1>op2", "op2>op4", "op4>op3"]);
    const before = after("csv scan, limit to 5", "add a sort by age before the limit");
    expect(links(before).sort()).toEqual(["op1>op3", "op3>op2"]);
  });

  it("a join has two inputs on two ports, a union two on one", () => {
    const joined = after("read a.csv", "join with another file orders.csv on id");
    expect(joined.links.map((link) => link.target)).toEqual([
      { operatorID: "op3", portID: "input-0" },
      { operatorID: "op3", portID: "input-1" },
    ]);
    const united = after("read a.csv", "union with b.csv");
    expect(united.links.map((link) => link.target.portID)).toEqual(["input-0", "input-0"]);
  });

  it("renames, disables and comments", () => {
    const content = after(
      BASE,
      'rename the filter to "Only adults"',
      "disable it",
      "disable the sort",
      "add a comment see me",
    );
    expect(content.operators.find((one) => one.operatorType === "Filter")?.customDisplayName).toBe("Only adults");
    expect(content.operators.filter((one) => one.isDisabled).map((one) => one.operatorType)).toEqual(["Sort", "Limit"]);
    expect(content.commentBoxes[0]?.comments[0]?.content).toBe("see me");
  });

  it("clears everything in one step", () => {
    const steps = script("clear the canvas", after(BASE, "add a comment x"), 0);
    expect(steps).toHaveLength(2);
    expect(steps[0]?.after).toEqual(EMPTY_CONTENT);
  });

  it("refuses a circle and what is not there, in words and without a change", () => {
    const content = after(BASE);
    for (const prompt of [
      "connect the limit to the filter",
      "delete the hovercraft",
      "change the filter to blue cheese",
    ]) {
      const steps = script(prompt, content, 0);
      expect(steps.at(-1)?.after).toBe(content);
      expect(steps.at(-1)?.text).not.toMatch(/^Done/);
    }
  });

  it("slowly takes many steps, and the same ones in the end", () => {
    const steps = script("slowly add a filter age > 30", EMPTY_CONTENT, 0);
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.at(-1)?.after).toEqual(after("add a filter age > 30"));
  });

  it("the same prompts give the same contents, and every link finds its ends (deterministic)", () => {
    const prompts = HELP.map(({ say }) => say);
    let content: WorkflowContent = EMPTY_CONTENT;
    let again: WorkflowContent = EMPTY_CONTENT;
    for (const prompt of prompts) {
      const run = script(prompt, content, 0);
      expect(script(prompt, again, 0)).toEqual(run);
      for (const step of run) {
        const ids = step.after.operators.map((operator) => operator.operatorID);
        expect(new Set(ids).size).toBe(ids.length);
        expect(Object.keys(step.after.operatorPositions).sort()).toEqual([...ids].sort());
        for (const link of step.after.links) {
          expect(ids).toContain(link.source.operatorID);
          expect(ids).toContain(link.target.operatorID);
        }
      }
      content = run.at(-1)?.after ?? content;
      again = JSON.parse(JSON.stringify(content)) as WorkflowContent;
    }
  });
});
