/** Display names that the agent gives, and how it talks about operators. */
import { summaryOf } from "../../shared/operator-words.ts";
import type { Operator, WorkflowContent } from "./content.ts";
import { isChart, nameOf } from "./operators.ts";

/** The display name of an operator that nobody has named: "Filter by age", "First 10". */
export function autoName(type: string, properties: Record<string, unknown>): string {
  const names = (key: string, field: string): string => {
    const value = properties[key];
    const found = Array.isArray(value) ? value.map((one: Record<string, unknown>) => one[field]) : [];
    return [...new Set(found)].join(", ");
  };
  switch (type) {
    case "CSVFileScan":
    case "JSONLFileScan":
      return `Read ${String(properties.fileName)}`;
    case "Filter":
      return `Filter by ${names("predicates", "attribute")}`;
    case "Projection":
      return `${properties.isDrop === true ? "Drop" : "Keep"} ${names("attributes", "originalAttribute")}`;
    case "Sort":
      return `Sort by ${names("attributes", "attribute")}`;
    case "Limit":
      return `First ${String(properties.limit)}`;
    case "Aggregate":
      return `Group by ${(properties.groupByKeys as string[]).join(", ")}`;
    case "Distinct":
      return "Remove duplicates";
    case "KeywordSearch":
      return `Search ${String(properties.attribute)}`;
    case "HashJoin":
      return `Join on ${String(properties.buildAttributeName)}`;
    default:
      return nameOf(type);
  }
}

/** "Filter (age > 30)": how an operator is spoken of. */
export function spoken(type: string, properties: Record<string, unknown>): string {
  const summary = summaryOf(type, properties);
  return summary === "" ? nameOf(type) : `${nameOf(type)} (${summary})`;
}

/** "a filter (age > 30)", "the sort": lower case inside a sentence unless it is an abbreviation. */
export function inSentence(text: string): string {
  return /^[A-Z]{2}/.test(text) || /^Python/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

/** What is on the canvas, in one sentence. */
export function inventory(content: WorkflowContent): string {
  if (content.operators.length === 0) return "The canvas is empty.";
  const names = content.operators.map((operator) => `${operator.operatorID} “${operator.customDisplayName}”`);
  const charts = content.operators.filter((operator) => isChart(operator.operatorType)).length;
  const count = names.length === 1 ? "one operator" : `${names.length} operators`;
  const ending = charts === 0 ? "" : charts === 1 ? ", one of them a chart" : `, ${charts} of them charts`;
  return `There ${names.length === 1 ? "is" : "are"} ${count} on the canvas${ending}: ${names.join(", ")}.`;
}

/** Whether the display name is still the one that the agent would give. */
export const isAutoNamed = (operator: Operator): boolean =>
  operator.customDisplayName === autoName(operator.operatorType, operator.operatorProperties);
