/** From "bar chart", "of count per city" and "after the filter" to the request for it. */
import { isChart, kindIn, type OperatorKind } from "./operators.ts";
import { column, columns, files, measure, number, predicates, sortKeys, takePlace } from "./phrases.ts";
import type { Place, Request } from "./requests.ts";

export const ARTICLE = "(?:an?|the|another|one|one more|some|new)";

/** Whether a phrase can mean an operator: by id, by kind, or as "it" or "the chart". */
export const namesOperator = (ref: string): boolean =>
  /\bit$|\bop\d+|\b(?:chart|graph|plot)s?\b/i.test(ref) || kindIn(ref) !== undefined;

/** A new operator of a kind, from what was said about it. */
export function describe(kind: OperatorKind, about: string, place?: Place): Request | undefined {
  const add = (properties: Record<string, unknown>): Request => ({
    kind: "add",
    type: kind.type,
    properties,
    ...(place && { place }),
  });
  if (isChart(kind.type)) return chart(kind, about, place);
  switch (kind.type) {
    case "CSVFileScan":
    case "JSONLFileScan": {
      const named = files(about)[0] ?? /\b(?:of|from|for|named|called|on)\s+["'“]?([\w-]+)["'”]?$/i.exec(about)?.[1];
      const extension = kind.type === "CSVFileScan" ? ".csv" : ".jsonl";
      const fileName = named === undefined ? `people${extension}` : named.includes(".") ? named : named + extension;
      return add({ fileName });
    }
    case "Filter": {
      const found = predicates(about.replace(/^(?:it |them |rows )?(?:by|on|for|to|with|where|that|keeping)\s+/i, ""));
      if (about === "") return add({ predicates: [{ attribute: "age", condition: ">", value: 30 }] });
      return found && add({ predicates: found });
    }
    case "Projection": {
      const isDrop = /^(?:drop|without)/i.test(about);
      const found = columns(about.replace(/^(?:drop|without|keep|of|to|on|for|with)\s+/i, ""));
      if (!found) return undefined;
      const attributes = found.map((originalAttribute) => ({ originalAttribute, alias: "" }));
      return add({ isDrop, attributes });
    }
    case "Sort": {
      const attributes = sortKeys(about === "" ? "by age" : about);
      return attributes && add({ attributes });
    }
    case "Limit":
      return add({ limit: number(about) ?? 10 });
    case "Aggregate": {
      const by = column(
        about
          .replace(/^(?:it |them |rows |data )?(?:by|on|per|with|for each)\s+/i, "")
          .split(/\s+(?:with|and)\s+/i)[0] ?? "",
      );
      const found = measure(about) ?? (about === "" ? measure("count per city") : by && measure(`count per ${by}`));
      return found ? { kind: "aggregate", measure: found, ...(place && { place }) } : undefined;
    }
    case "Distinct":
      return add({});
    case "KeywordSearch": {
      const match =
        /^(?:for |of |with )?["“'`]?(.+?)["”'`]?(?:\s+(?:in|on)\s+(?:the )?(?:column )?["“'`]?(\w+)["”'`]?(?: column)?)?$/i.exec(
          about,
        );
      const keyword = match?.[1] ?? "data";
      return add({ keyword, attribute: match?.[2] ?? "text" });
    }
    case "PythonUDFV2":
      return add({ code: PYTHON });
    default:
      return combine(kind.type === "Union" ? "Union" : "HashJoin", about);
  }
}

const PYTHON = `from pytexera import *

class ProcessTupleOperator(UDFOperatorV2):
    @overrides
    def process_tuple(self, tuple_: Tuple, port: int) -> Iterator[Optional[TupleLike]]:
        yield tuple_
`;

function chart(kind: OperatorKind, about: string, place?: Place): Request {
  const bare = about.replace(/^(?:of|for|with|showing|that shows|which shows|from|on)\s+(?:the\s+)?/i, "");
  const pair = /^([\w ]+?)\s+(?:vs\.?|versus|against|over|and|by)\s+([\w ]+)$/i.exec(bare);
  const found = bare === "" ? undefined : measure(bare);
  const two = pair && [column(pair[1] ?? ""), column(pair[2] ?? "")];
  const pairs = (two?.filter((one) => one !== undefined) ?? []).length === 2 ? (two as string[]) : undefined;
  const one = column(bare);
  const said = pairs ?? (one === undefined ? [] : [one]);
  return { kind: "chart", type: kind.type, columns: said, ...(found && { measure: found }), ...(place && { place }) };
}

export function combine(type: "HashJoin" | "Union", about: string): Request {
  const key = /\b(?:on|by|using)\s+(?:the )?(?:column |key )?["'“]?(\w+)["'”]?(?: column)?$/i.exec(about)?.[1] ?? "id";
  const named = files(about);
  const ref = /\b(?:with|and|to)\s+(?:the\s+)?(.+?)(?:\s+(?:on|by|using)\s+.+)?$/i.exec(about)?.[1];
  const other = named.length === 0 && ref !== undefined && !/^(?:another|a|an|one more)\b/i.test(ref) ? ref : undefined;
  return { kind: "combine", type, files: named, key, ...(other !== undefined && { ref: other }) };
}

/** "[add a] bar chart [of …] [after the filter]". */
export function fromNoun(text: string): Request | undefined {
  const { rest, place } = takePlace(text, namesOperator);
  const kind = kindIn(rest);
  if (!kind) return undefined;
  const noun = new RegExp(`^(.*?)\\b(?:${kind.words.source})\\b\\s*(?:operator|node|step)?\\s*(.*)$`, "i").exec(rest);
  const before = (noun?.[1] ?? "").replace(new RegExp(`^${ARTICLE}\\s*`, "i"), "").trim();
  const after = (noun?.[2] ?? "").trim();
  // "a people.csv scan", "an age > 30 filter", "count per city as a bar chart"
  const about = after !== "" ? after : before.replace(/\s+(?:as|in|with|using)(?:\s+an?)?$/i, "");
  return describe(kind, about, place);
}
