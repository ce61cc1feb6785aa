/** What "change the filter to age > 40" does to the properties of the operator that is meant. */
import type { Operator } from "./content.ts";
import { column, columns, files, measure, number, predicates, resultOf, sortKeys, unquote } from "./phrases.ts";
import type { Predicate } from "./requests.ts";

const VERB =
  /^(?:filters?|limits?|sorts?|groups?|order|keeps?|join|search|aggregate|be|it|read|value|threshold)\b\s*(?:it |them )?(?:to |by |on |for |with )?/i;

/** The properties that change; undefined when the words make no sense for this operator. */
export function changedProperties(
  { operatorType, operatorProperties: was }: Operator,
  to: string,
): Record<string, unknown> | undefined {
  const said = to.trim().replace(VERB, "");
  switch (operatorType) {
    case "Filter":
      return filtered(was.predicates as Predicate[], said);
    case "Limit": {
      const limit = number(said);
      return limit === undefined ? undefined : { limit };
    }
    case "Sort":
      return sorted(was.attributes as { attribute: string; order: string }[], said);
    case "Projection": {
      const found = columns(said);
      return found && { attributes: found.map((originalAttribute) => ({ originalAttribute, alias: "" })) };
    }
    case "Aggregate": {
      const found = measure(said);
      if (found?.by !== undefined) {
        const { fn: aggFunction, attribute, by } = found;
        return { groupByKeys: [by], aggregations: [{ aggFunction, attribute, resultAttribute: resultOf(found) }] };
      }
      const key = column(said);
      return key === undefined ? undefined : { groupByKeys: [key] };
    }
    case "KeywordSearch":
      return { keyword: unquote(said) };
    case "HashJoin": {
      const joinType = /\b(?:inner|(?:left|right|full) outer)\b/i.exec(said)?.[0].toLowerCase();
      if (joinType !== undefined) return { joinType };
      const key = column(said);
      return key === undefined ? undefined : { buildAttributeName: key, probeAttributeName: key };
    }
    case "CSVFileScan":
    case "JSONLFileScan": {
      const fileName = files(said)[0];
      return fileName === undefined ? undefined : { fileName };
    }
    case "BarChart":
    case "PieChart":
      return charted(operatorType === "BarChart" ? "fields" : "name", said);
    case "Histogram": {
      const value = column(said);
      return value === undefined ? undefined : { value };
    }
    case "WordCloud": {
      const topN = number(said);
      const textColumn = column(said);
      return topN !== undefined ? { topN } : textColumn === undefined ? undefined : { textColumn };
    }
    default:
      return undefined;
  }
}

/** A whole condition replaces all; a bare value goes into the last one. */
function filtered(was: Predicate[], said: string): Record<string, unknown> | undefined {
  const found = predicates(said);
  if (found) return { predicates: found };
  const last = was.at(-1);
  const bare = unquote(said);
  if (!last || !/^[\p{L}\p{N}._-]+$/u.test(bare)) return undefined;
  const value = /^-?\d+(?:\.\d+)?$/.test(bare) ? Number(bare) : bare;
  return { predicates: [...was.slice(0, -1), { ...last, value }] };
}

/** "descending" alone turns the order that is there. */
function sorted(was: { attribute: string; order: string }[], said: string): Record<string, unknown> | undefined {
  const alone = /^(asc|desc)(?:ending)?(?: order)?$/i.exec(said);
  if (alone) return { attributes: was.map((key) => ({ ...key, order: alone[1]?.toUpperCase() })) };
  const found = sortKeys(said);
  return found && { attributes: found };
}

function charted(nameKey: string, said: string): Record<string, unknown> | undefined {
  const found = measure(said);
  if (found?.by !== undefined) return { value: resultOf(found), [nameKey]: found.by };
  const name = column(said);
  return name === undefined ? undefined : { [nameKey]: name };
}
