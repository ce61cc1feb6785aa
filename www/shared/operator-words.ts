/**
 * What an operator does, in one short line, from its type and properties. Used by the agent when it talks and by the canvas
 * when it draws, and written for workflows of any origin: whatever is missing or of another type is left out.
 */

type Properties = Readonly<Record<string, unknown>>;

/** `age > 30`, `people.csv`, `count by city`; `""` when there is nothing to say. */
export function summaryOf(operatorType: string, properties: Properties): string {
  const text = (key: string): string => words(properties[key]);
  switch (operatorType) {
    case "Filter":
      return list(
        properties.predicates,
        (one) => `${words(one.attribute)} ${words(one.condition)} ${words(one.value)}`,
        " and ",
      );
    case "Projection": {
      const names = list(properties.attributes, (one) => {
        const alias = words(one.alias);
        return alias === "" ? words(one.originalAttribute) : `${words(one.originalAttribute)} as ${alias}`;
      });
      return names !== "" && properties.isDrop === true ? `without ${names}` : names;
    }
    case "Sort":
      return list(
        properties.attributes,
        (one) => `${words(one.attribute)}${words(one.order ?? one.sortPreference) === "DESC" ? " ↓" : " ↑"}`,
      );
    case "Limit":
      return text("limit") === "" ? "" : `first ${text("limit")} rows`;
    case "Aggregate": {
      const made = list(properties.aggregations, (one) => {
        const attribute = words(one.attribute);
        return attribute === "" ? words(one.aggFunction) : `${words(one.aggFunction)} of ${attribute}`;
      });
      const keys = Array.isArray(properties.groupByKeys) ? properties.groupByKeys.map(words).join(", ") : "";
      return [made, keys === "" ? "" : `by ${keys}`].filter((part) => part !== "").join(" ");
    }
    case "KeywordSearch":
      return text("keyword") === "" ? "" : `“${text("keyword")}” in ${text("attribute")}`;
    case "HashJoin":
      return text("buildAttributeName") === "" ? "" : `${text("joinType") || "inner"} on ${text("buildAttributeName")}`;
    case "BarChart":
      return pair(text("value"), text("fields"));
    case "PieChart":
      return pair(text("value"), text("name"));
    case "LineChart":
      return list(properties.lines, (one) => pair(words(one.yValue), words(one.xValue)));
    case "Scatterplot":
      return text("xColumn") === "" ? "" : `${text("xColumn")} × ${text("yColumn")}`;
    case "Histogram":
      return text("value");
    case "WordCloud":
      return text("textColumn");
    case "PythonUDFV2":
      return firstCodeLine(text("code"));
    default:
      return text("fileName").replace(/^.*\//, "");
  }
}

const pair = (value: string, by: string): string => (value !== "" && by !== "" ? `${value} by ${by}` : value || by);

/** Plain values only; what is nested is no one-liner. */
function words(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function list(value: unknown, each: (one: Properties) => string, glue = ", "): string {
  if (!Array.isArray(value)) return "";
  return value
    .filter((one): one is Properties => typeof one === "object" && one !== null)
    .map(each)
    .filter((text) => text.trim() !== "")
    .join(glue);
}

function firstCodeLine(code: string): string {
  const line = code.split("\n").find((one) => /^\s*(?:def|class)\s/.test(one)) ?? code.split("\n")[0] ?? "";
  return line.trim().replace(/\(.*$/, "");
}
