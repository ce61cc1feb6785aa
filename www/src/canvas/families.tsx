/** How an operator looks, by what it does: a colour for the family and a drawing for the type. */
import type { ReactNode } from "react";

export type Family = "source" | "clean" | "shape" | "combine" | "code" | "chart" | "other";

const DRAWINGS = {
  file: <path d="M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6" />,
  funnel: <path d="M4 5h16l-6 8v6l-4 2v-8z" />,
  columns: <path d="M4 5h16v14H4zM9.5 5v14M15 5v14" />,
  sort: <path d="M8 5v14M5 16l3 3 3-3M14 7h6M14 12h4.5M14 17h3" />,
  limit: <path d="M5 6h14M5 10h14M5 14h9M18 14v6M15 17l3 3 3-3" />,
  sum: <path d="M17 5H7l6 7-6 7h10" />,
  twins: <path d="M5 9h10v10H5zM9 9V5h10v10h-4" />,
  search: <path d="M11 5a6 6 0 1 1 0 12 6 6 0 0 1 0-12M15.5 15.5L20 20" />,
  join: <path d="M9.5 6a6 6 0 1 1 0 12 6 6 0 0 1 0-12M14.5 6a6 6 0 1 1 0 12 6 6 0 0 1 0-12" />,
  union: <path d="M4 6h5l4 6-4 6H4M13 12h7" />,
  code: <path d="M9 7l-5 5 5 5M15 7l5 5-5 5" />,
  bars: <path d="M5 20V11M10 20V5M15 20v-6M20 20V8M3 20h18" />,
  pie: <path d="M12 4a8 8 0 1 0 8 8h-8zM16 3.5A8 8 0 0 1 20.5 8H16z" />,
  line: <path d="M4 4v16h16M7 15l4-5 3 3 5-7" />,
  dots: <path d="M4 4v16h16M9 15h.01M12 10h.01M15 13h.01M18 7h.01" />,
  cloud: <path d="M7 18a4 4 0 0 1 0-8 5.5 5.5 0 0 1 10.6-1A4.5 4.5 0 0 1 17 18z" />,
  box: <path d="M4 8l8-4 8 4v8l-8 4-8-4zM4 8l8 4 8-4M12 12v8" />,
} satisfies Record<string, ReactNode>;

type Drawing = keyof typeof DRAWINGS;

const LOOKS: Readonly<Record<string, readonly [Family, Drawing, string]>> = {
  CSVFileScan: ["source", "file", "CSV file"],
  JSONLFileScan: ["source", "file", "JSONL file"],
  Filter: ["clean", "funnel", "Filter"],
  Distinct: ["clean", "twins", "Distinct"],
  KeywordSearch: ["clean", "search", "Keyword search"],
  Projection: ["shape", "columns", "Projection"],
  Sort: ["shape", "sort", "Sort"],
  Limit: ["shape", "limit", "Limit"],
  Aggregate: ["shape", "sum", "Aggregate"],
  HashJoin: ["combine", "join", "Join"],
  Union: ["combine", "union", "Union"],
  PythonUDFV2: ["code", "code", "Python"],
  BarChart: ["chart", "bars", "Bar chart"],
  PieChart: ["chart", "pie", "Pie chart"],
  LineChart: ["chart", "line", "Line chart"],
  Histogram: ["chart", "bars", "Histogram"],
  Scatterplot: ["chart", "dots", "Scatter plot"],
  WordCloud: ["chart", "cloud", "Word cloud"],
};

/** Types that this page has never heard of are placed by their names. */
function guess(type: string): readonly [Family, Drawing] {
  if (/scan|source|reader|fetch/i.test(type)) return ["source", "file"];
  if (/chart|plot|graph|visuali[sz]|cloud|map$/i.test(type)) return ["chart", "bars"];
  if (/join|union|intersect|difference/i.test(type)) return ["combine", "join"];
  if (/python|udf|java|^r[A-Z]/.test(type)) return ["code", "code"];
  if (/filter|match|regex|search/i.test(type)) return ["clean", "funnel"];
  return ["other", "box"];
}

export const familyOf = (type: string): Family => (LOOKS[type] ?? guess(type))[0];

/** `BarChart` → "Bar chart"; an unknown type by its own words. */
export const typeName = (type: string): string =>
  LOOKS[type]?.[2] ?? type.replace(/(?<=[a-z])(?=[A-Z])/g, " ").replace(/^./, (first) => first.toUpperCase());

export function OperatorIcon({ type }: { type: string }) {
  const [, drawing] = LOOKS[type] ?? guess(type);
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      {DRAWINGS[drawing]}
    </svg>
  );
}
