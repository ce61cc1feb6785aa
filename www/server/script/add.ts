/** Adding operators: where they go, what feeds them, and what they need above them. Each function gives the new id. */
import { linksInto, linksOutOf, nextOperatorId, type Operator } from "./content.ts";
import type { Draft } from "./draft.ts";
import { autoName } from "./names.ts";
import { isChart, kindOf } from "./operators.ts";
import { resultOf } from "./phrases.ts";
import { meant } from "./refer.ts";
import type { Measure, Place, Request } from "./requests.ts";
import type { Call } from "./tools.ts";

/** Adds an operator below the newest one that passes rows on, or where the request says. Gives its id. */
export function add(draft: Draft, type: string, properties: Record<string, unknown>, place?: Place): string {
  const full = { ...kindOf(type)?.defaults, ...properties };
  const needsInput = (kindOf(type)?.inputs.length ?? 0) > 0;
  const beside = place && meant(draft.content, place.ref).at(-1);
  let sources: string[] = [];
  const rewire: Call[] = [];
  const id = () => nextOperatorId(draft.content);
  if (needsInput && beside && place?.where === "before") {
    const into = linksInto(draft.content, beside.operatorID).filter((link) => portNumber(link.target.portID) === 0);
    sources = into.map((link) => link.source.operatorID);
    rewire.push(...into.map((link): Call => ({ toolName: "deleteLink", input: { linkId: link.linkID } })));
    rewire.push({ toolName: "addLink", input: { sourceOperatorId: id(), targetOperatorId: beside.operatorID } });
  } else if (needsInput) {
    sources = [beside?.operatorID ?? tip(draft) ?? source(draft)];
    if (beside && !isChart(type)) rewire.push(...onwards(draft, beside.operatorID, id()));
  }
  const operatorId = id();
  draft.step(
    {
      toolName: "addOperator",
      input: {
        operatorId,
        operatorType: type,
        properties,
        ...(sources.length > 0 && { inputOperatorIds: { "0": sources } }),
        summary: autoName(type, full),
      },
    },
    ...rewire,
    ...(rewire.length > 0 ? [{ toolName: "autoLayout", input: {} } as const] : []),
  );
  return operatorId;
}

/** What followed an operator follows the new one from now on. */
function onwards(draft: Draft, from: string, via: string): Call[] {
  return linksOutOf(draft.content, from).flatMap((link): Call[] => [
    { toolName: "deleteLink", input: { linkId: link.linkID } },
    {
      toolName: "addLink",
      input: {
        sourceOperatorId: via,
        targetOperatorId: link.target.operatorID,
        targetPort: portNumber(link.target.portID),
      },
    },
  ]);
}

export const portNumber = (portID: string): number => Number(/\d+$/.exec(portID)?.[0] ?? 0);

/** The newest operator that passes rows on. */
const tip = (draft: Draft): string | undefined =>
  draft.content.operators.filter((operator) => !isChart(operator.operatorType)).at(-1)?.operatorID;

/** Nothing can start from nothing: an empty canvas gets a file first. */
const source = (draft: Draft, fileName = "people.csv"): string =>
  add(draft, /\.jsonl?$/.test(fileName) ? "JSONLFileScan" : "CSVFileScan", { fileName });

export function aggregate(draft: Draft, measure: Measure, place?: Place): string {
  const properties = {
    groupByKeys: measure.by === undefined ? [] : [measure.by],
    aggregations: [{ aggFunction: measure.fn, attribute: measure.attribute, resultAttribute: resultOf(measure) }],
  };
  return add(draft, "Aggregate", properties, place);
}

/** A chart, below the grouping that it needs: the one that is there when it fits, else a new one. */
export function chart(draft: Draft, request: Extract<Request, { kind: "chart" }>): string {
  const { type, columns } = request;
  let { measure, place } = request;
  const [first, second] = columns;
  const grouped = type === "BarChart" || type === "PieChart" || (type === "LineChart" && second === undefined);
  if (grouped && measure?.by === undefined && second === undefined) {
    measure = { fn: "count", attribute: "", by: measure?.by ?? first ?? "city" };
  }
  if (measure?.by === undefined) {
    const [x, y] = [first ?? "age", second ?? "income"];
    return add(draft, type, plainChart(type, x, y), place);
  }
  const beside = place && meant(draft.content, place.ref).at(-1)?.operatorID;
  const above = draft.operator(beside ?? tip(draft) ?? "");
  const fits = above?.operatorType === "Aggregate" && madeBy(above, measure);
  const id = fits ? above.operatorID : aggregate(draft, measure, place?.where === "after" ? place : undefined);
  return add(draft, type, plainChart(type, measure.by, resultOf(measure)), { where: "after", ref: id });
}

export function plainChart(type: string, x: string, y: string): Record<string, unknown> {
  switch (type) {
    case "BarChart":
      return { value: y, fields: x };
    case "PieChart":
      return { value: y, name: x };
    case "LineChart":
      return { xLabel: x, yLabel: y, lines: [{ xValue: x, yValue: y, mode: "line" }] };
    case "Scatterplot":
      return { xColumn: x, yColumn: y };
    case "WordCloud":
      return { textColumn: x };
    default:
      return { value: x };
  }
}

const madeBy = ({ operatorProperties }: Operator, measure: Measure): boolean =>
  JSON.stringify(operatorProperties.groupByKeys) === JSON.stringify([measure.by]) &&
  JSON.stringify(operatorProperties.aggregations).includes(`"resultAttribute":${JSON.stringify(resultOf(measure))}`);

/** Two inputs: what is there and another file, two files, or an operator that the request names. */
export function combine(draft: Draft, request: Extract<Request, { kind: "combine" }>): string {
  const [one, two] = request.files;
  const left = two !== undefined && one !== undefined ? source(draft, one) : (tip(draft) ?? source(draft));
  const named = request.ref === undefined ? undefined : meant(draft.content, request.ref).at(-1)?.operatorID;
  const right = named !== undefined && named !== left ? named : source(draft, two ?? one ?? "other.csv");
  const properties =
    request.type === "Union"
      ? {}
      : { joinType: "inner", buildAttributeName: request.key, probeAttributeName: request.key };
  const operatorId = nextOperatorId(draft.content);
  draft.step({
    toolName: "addOperator",
    input: {
      operatorId,
      operatorType: request.type,
      properties,
      inputOperatorIds: request.type === "Union" ? { "0": [left, right] } : { "0": [left], "1": [right] },
      summary: autoName(request.type, properties),
    },
  });
  return operatorId;
}
