/** The operator catalogue: the types the scripted agent can put on a canvas, and the words people use for them. */
import type { Operator, Port } from "./content.ts";

export interface OperatorKind {
  type: string;
  /** How a person calls it; also the display name of one that has nothing better. */
  name: string;
  inputs: readonly { name?: string; many?: boolean; needs?: number }[];
  defaults: Readonly<Record<string, unknown>>;
  /** Words for it, as a regular expression over lower-case text. */
  words: RegExp;
}

const ONE = [{}] as const;

export const KINDS: readonly OperatorKind[] = [
  {
    type: "CSVFileScan",
    name: "CSV file scan",
    inputs: [],
    defaults: { fileEncoding: "UTF_8", customDelimiter: ",", hasHeader: true, fileName: "people.csv" },
    words: /csv(?: file)?(?: scan| source| reader| file)?|file scan|scan|source/,
  },
  {
    type: "JSONLFileScan",
    name: "JSONL file scan",
    inputs: [],
    defaults: { fileEncoding: "UTF_8", flatten: false, fileName: "people.jsonl" },
    words: /jsonl?(?: file)?(?: scan| source| reader| file)?/,
  },
  { type: "Filter", name: "Filter", inputs: ONE, defaults: { predicates: [] }, words: /filter/ },
  {
    type: "Projection",
    name: "Projection",
    inputs: ONE,
    defaults: { isDrop: false, attributes: [] },
    words: /projection|column selection/,
  },
  { type: "Sort", name: "Sort", inputs: ONE, defaults: { attributes: [] }, words: /sort(?:ing)?/ },
  { type: "Limit", name: "Limit", inputs: ONE, defaults: { limit: 10 }, words: /limit/ },
  {
    type: "Aggregate",
    name: "Aggregate",
    inputs: ONE,
    defaults: { groupByKeys: [], aggregations: [] },
    words: /aggregat(?:e|ion)|group(?:ing)?|group ?by/,
  },
  { type: "Distinct", name: "Distinct", inputs: ONE, defaults: {}, words: /distinct|dedup(?:lication)?/ },
  {
    type: "KeywordSearch",
    name: "Keyword search",
    inputs: ONE,
    defaults: { attribute: "text", keyword: "" },
    words: /keyword search|search/,
  },
  {
    type: "HashJoin",
    name: "Hash join",
    inputs: [{ name: "left" }, { name: "right", needs: 0 }],
    defaults: { joinType: "inner", buildAttributeName: "id", probeAttributeName: "id" },
    words: /(?:hash )?join/,
  },
  { type: "Union", name: "Union", inputs: [{ many: true }], defaults: {}, words: /union/ },
  {
    type: "PythonUDFV2",
    name: "Python UDF",
    inputs: [{ many: true }],
    defaults: { code: "", workers: 1, retainInputColumns: true },
    words: /python(?: udf| code| script| function)?|udf/,
  },
  {
    type: "BarChart",
    name: "Bar chart",
    inputs: ONE,
    defaults: { value: "", fields: "" },
    words: /bar ?(?:chart|graph|plot)/,
  },
  {
    type: "PieChart",
    name: "Pie chart",
    inputs: ONE,
    defaults: { value: "", name: "" },
    words: /(?:pie|donut) ?(?:chart|graph|plot)?/,
  },
  {
    type: "LineChart",
    name: "Line chart",
    inputs: ONE,
    defaults: { xLabel: "", yLabel: "", lines: [] },
    words: /line ?(?:chart|graph|plot)/,
  },
  { type: "Histogram", name: "Histogram", inputs: ONE, defaults: { value: "" }, words: /histogram/ },
  {
    type: "Scatterplot",
    name: "Scatter plot",
    inputs: ONE,
    defaults: { xColumn: "", yColumn: "" },
    words: /scatter ?(?:plot|chart)?/,
  },
  {
    type: "WordCloud",
    name: "Word cloud",
    inputs: ONE,
    defaults: { textColumn: "text", topN: 50 },
    words: /word ?cloud/,
  },
];

const CHARTS = new Set(["BarChart", "PieChart", "LineChart", "Histogram", "Scatterplot", "WordCloud"]);
const BY_TYPE = new Map(KINDS.map((kind) => [kind.type, kind]));

export const isChart = (type: string): boolean => CHARTS.has(type);
export const kindOf = (type: string): OperatorKind | undefined => BY_TYPE.get(type);
export const nameOf = (type: string): string => BY_TYPE.get(type)?.name ?? type;

/** All words for operators, longest alternatives of a kind first; for telling where a request begins. */
export const OPERATOR_WORDS = KINDS.map((kind) => kind.words.source).join("|");

/** The kind that a phrase names, e.g. "the bar chart" or "csv scan". The earliest word wins. */
export function kindIn(phrase: string): OperatorKind | undefined {
  let best: { kind: OperatorKind; at: number } | undefined;
  for (const kind of KINDS) {
    const at = phrase.search(new RegExp(`\\b(?:${kind.words.source})s?\\b`, "i"));
    if (at >= 0 && (best === undefined || at < best.at)) best = { kind, at };
  }
  return best?.kind;
}

/** A new operator of a kind, complete as a workbench expects it. */
export function makeOperator(
  kind: OperatorKind,
  id: string,
  properties: Record<string, unknown>,
  name: string,
): Operator {
  return {
    operatorID: id,
    operatorType: kind.type,
    operatorVersion: "N/A",
    operatorProperties: { ...kind.defaults, ...properties },
    inputPorts: kind.inputs.map((input, index): Port => ({
      portID: `input-${index}`,
      displayName: input.name ?? "",
      disallowMultiInputs: !input.many,
      isDynamicPort: false,
      dependencies: input.needs === undefined ? [] : [{ id: input.needs, internal: false }],
    })),
    outputPorts: [{ portID: "output-0", displayName: "", disallowMultiInputs: false, isDynamicPort: false }],
    showAdvanced: false,
    isDisabled: false,
    customDisplayName: name,
    dynamicInputPorts: false,
    dynamicOutputPorts: false,
  };
}
