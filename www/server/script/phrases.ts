/** The small phrases inside a request: conditions, columns, measures, file names, numbers. */
import type { AggregateFunction, Measure, Place, Predicate } from "./requests.ts";

const SYMBOLS: Readonly<Record<string, string>> = {
  ">=": ">=",
  "≥": ">=",
  "<=": "<=",
  "≤": "<=",
  "!=": "!=",
  "<>": "!=",
  "≠": "!=",
  "==": "=",
  "=": "=",
  ">": ">",
  "<": "<",
};

/** Ways to compare in words, the longest first so that "is not" is not read as "is". */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/(?:is )?at least|is (?:no|not) less than/, ">="],
  [/(?:is )?at most|is (?:no|not) more than|up to/, "<="],
  [/is not equal to|is not|isn't|not equal to|other than/, "!="],
  [/(?:is )?(?:greater|more|larger|bigger|higher|older) than|(?:is )?(?:above|over)|exceeds/, ">"],
  [/(?:is )?(?:less|fewer|smaller|lower|younger) than|(?:is )?(?:below|under)/, "<"],
  [/does not contain|doesn't contain/, "does not contain"],
  [/contains?/, "contains"],
  [/is equal to|equals?(?: to)?|is/, "="],
];

const LEADING =
  /^(?:the|only|all|rows?|records?|people|those|where|with|whose|that|which|who|have|has|are|by|on|for|to|so|it|keeps?|says?|shows?|of|column|attribute|condition|be|=|:)\s+/i;

/** "age > 30 and city is Paris". Undefined when any part is no condition. */
export function predicates(text: string): Predicate[] | undefined {
  const { hidden, show } = hideQuoted(text);
  const parts = hidden.split(/\s*(?:,|\band\b|&&)\s*/i).filter((part) => part !== "");
  const found = parts.map((part) => predicate(show(part)));
  return found.length > 0 && found.every((one) => one !== undefined) ? found : undefined;
}

function predicate(text: string): Predicate | undefined {
  const bare = strip(text, LEADING);
  if (/^adults$/i.test(bare)) return { attribute: "age", condition: ">=", value: 18 };
  const [, before = "", symbol = "", after = ""] = /^(.*?)\s*(>=|<=|!=|<>|==|[≥≤≠=><])\s*(.+)$/u.exec(bare) ?? [];
  if (symbol !== "") return compared(before, SYMBOLS[symbol] ?? symbol, after);
  for (const [words, condition] of WORDS) {
    const match = new RegExp(`^(?:(.+?)\\s+)?(${words.source})\\s+(.+)$`, "iu").exec(bare);
    if (!match) continue;
    const [, left = "", how = "", right = ""] = match;
    // "older than 30" names its column by itself.
    return compared(left === "" && /older|younger/i.test(how) ? "age" : left, condition, right);
  }
  return undefined;
}

function compared(left: string, condition: string, right: string): Predicate | undefined {
  const attribute = column(left);
  return attribute === undefined ? undefined : { attribute, condition, value: value(right) };
}

/** One column name: a word, or words in quotes. */
export function column(text: string): string | undefined {
  const bare = unquote(text.trim().replace(/^(?:the|their|each|every)\s+/i, ""));
  return /^[\p{L}_][\p{L}\p{N}_ .()-]{0,60}$/u.test(bare) ? bare.trim() : undefined;
}

/** "name, age and city". Undefined when one of them is no column name, or is more than two words. */
export function columns(text: string): string[] | undefined {
  const bare = text.replace(/^(?:only |just |the |columns?|attributes?|fields?)\s*/gi, "").replace(/\s+columns?$/i, "");
  const found = bare
    .split(/\s*(?:,|\band\b|&)\s*/i)
    .filter((part) => part !== "")
    .map((part) => column(strip(part, /^(?:the|columns?)\s+/i)));
  const whole = found.length > 0 && found.every((one) => one !== undefined && one.split(" ").length <= 2);
  return whole ? (found as string[]) : undefined;
}

const FUNCTIONS: readonly (readonly [RegExp, AggregateFunction])[] = [
  [/count|number|how many|frequency|occurrences|distribution/, "count"],
  [/sum|total/, "sum"],
  [/average|avg|mean/, "average"],
  [/min(?:imum)?|lowest|smallest/, "min"],
  [/max(?:imum)?|highest|largest/, "max"],
];

/** "count per city", "average of age by city", "age per city" (an average), "total sales for each region". */
export function measure(text: string): Measure | undefined {
  const bare = text.trim().replace(/^(?:the|of|showing|with|for|a|an)\s+/i, "");
  const [what = "", by] = split2(bare, /\s*\b(?:per|by|for each|for every|in each|grouped by|over|across)\b\s*/i);
  const key = by === undefined ? undefined : column(by.replace(/^(?:the|each)\s+/i, ""));
  if (by !== undefined && key === undefined) return undefined;
  for (const [words, fn] of FUNCTIONS) {
    const match = new RegExp(`^(?:the )?(?:${words.source})s?\\b\\s*(?:of\\s+)?(?:the\\s+)?(.*)$`, "i").exec(what);
    if (!match) continue;
    const of = column(match[1] ?? "");
    // "total per month" measures a column that is called total.
    if (fn !== "count" && of === undefined) continue;
    const each = key ?? (fn === "count" ? of : undefined);
    return { fn, attribute: fn === "count" ? "" : (of ?? ""), ...(each !== undefined && { by: each }) };
  }
  const attribute = column(what);
  if (attribute === undefined || key === undefined) return undefined;
  return { fn: "average", attribute, by: key };
}

/** The name of the column that a measure makes. */
export const resultOf = ({ fn, attribute }: Measure): string => (fn === "count" ? "count" : `${fn}_${attribute}`);

/** "by age descending, name": what to sort by. */
export function sortKeys(text: string): { attribute: string; order: "ASC" | "DESC" }[] | undefined {
  const bare = text.replace(/^(?:it |them |rows |everything |the \w+ )?(?:by|on|to|be)\s+/i, "").replace(/^by\s+/i, "");
  const keys = bare
    .split(/\s*(?:,|\band\b|\bthen by\b)\s*/i)
    .filter((part) => part !== "")
    .map((part) => {
      const down = /\b(?:desc(?:ending)?|down(?:wards)?|highest first|largest first|reversed?|z-a)\b/i.test(part);
      const words =
        /\s*\b(?:in\s+)?(?:(?:desc|asc)(?:ending)?(?: order)?|down(?:wards)?|up(?:wards)?|(?:high|low|larg|small)est first|reversed?|z-a|a-z)\b/gi;
      const attribute = column(part.replace(words, ""));
      return attribute === undefined ? undefined : { attribute, order: down ? ("DESC" as const) : ("ASC" as const) };
    });
  return keys.length > 0 && keys.every((key) => key !== undefined) ? keys : undefined;
}

/** The file names in a phrase, in their order. */
export const files = (text: string): string[] => text.match(/[\p{L}\p{N}_./-]+\.(?:csv|jsonl?|tsv|txt)\b/giu) ?? [];

/** The first whole number in a phrase, in digits or as a small word. */
export function number(text: string): number | undefined {
  const digits = /-?\d+/.exec(text.replace(/(\d)[,_](?=\d{3}\b)/g, "$1"));
  if (digits) return Number(digits[0]);
  const words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
  const at = words.findIndex((word) => new RegExp(`\\b${word}\\b`, "i").test(text));
  if (at >= 0) return at;
  return /\b(?:a )?hundred\b/i.test(text) ? 100 : undefined;
}

/** Takes "after the filter" off the end of a request. "Before 2020" is no place: a place names an operator. */
export function takePlace(text: string, namesOperator: (ref: string) => boolean): { rest: string; place?: Place } {
  const match =
    /^(.*?)[ ,]+(?:right |directly |just )?(after|before|behind|below|onto|to|on|from) ((?:the |op)[\w .-]*|it)$/i.exec(
      text,
    );
  const [, rest = "", word = "", ref = ""] = match ?? [];
  if (!match || !namesOperator(ref)) return { rest: text };
  return { rest, place: { where: word.toLowerCase() === "before" ? "before" : "after", ref } };
}

/** Puts marks in the place of what stands in quotes, so that it is not cut; `show` puts it back. */
export function hideQuoted(text: string): { hidden: string; show: (part: string) => string } {
  const quoted: string[] = [];
  const hidden = text.replace(/"[^"]*"|“[^”]*”|`[^`]*`|(?<=^|[\s(])'[^']*'(?=$|[\s.,;:!?)])/g, (part) => {
    quoted.push(part);
    return `\u0001${quoted.length - 1}\u0001`;
  });
  return {
    hidden,
    show: (part) => part.replace(/\u0001(\d+)\u0001/g, (_, index: string) => quoted[Number(index)] ?? ""),
  };
}

export const unquote = (text: string): string => text.trim().replace(/^["“”'`]+|["“”'`]+$/g, "");

function value(text: string): string | number {
  const bare = unquote(text.trim());
  return /^-?\d+(?:\.\d+)?$/.test(bare) ? Number(bare) : bare;
}

function strip(text: string, leading: RegExp): string {
  let bare = text.trim();
  while (leading.test(bare)) bare = bare.replace(leading, "").trim();
  return bare;
}

function split2(text: string, at: RegExp): [string, string | undefined] {
  const match = at.exec(text);
  return match ? [text.slice(0, match.index), text.slice(match.index + match[0].length)] : [text, undefined];
}
