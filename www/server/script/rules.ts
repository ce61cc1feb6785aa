/**
 * The sentences that are understood, as a table: what a piece looks like, and what it means. The first rule that makes
 * something of a piece wins, so the special ones stand before the general ones.
 */
import { SMALL_TALK } from "./answers.ts";
import { ARTICLE, combine, describe, fromNoun, namesOperator } from "./describe.ts";
import { kindIn, kindOf, OPERATOR_WORDS } from "./operators.ts";
import { measure, takePlace, unquote } from "./phrases.ts";
import type { Request } from "./requests.ts";

export interface Rule {
  says: RegExp;
  means: (match: RegExpExecArray, text: string) => Request | undefined;
}

const ADD =
  "(?:add|create|insert|put|make|include|append|draw|plot|show|display|give me|use|build|start with|begin with|visuali[sz]e|graph|chart)(?: me)?";
const REF = "(.+?)";

const byKind = (type: string, about: (match: RegExpExecArray) => string) => (match: RegExpExecArray) => {
  const { rest, place } = takePlace(about(match), namesOperator);
  const kind = kindOf(type);
  return kind && describe(kind, rest.trim(), place);
};

const whole = (type: string) => byKind(type, (match) => match[1] ?? "");
const talk = (answer: string) => (): Request => ({ kind: "talk", answer });

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  up: [0, -1],
  down: [0, 1],
  left: [-1, 0],
  right: [1, 0],
};

export const RULES: readonly Rule[] = [
  // Talk
  {
    says: /^(?:help|\?+|what can you do|what (?:do|can) you (?:understand|know)|commands?|examples?|how does this work|what (?:can|should) i (?:say|ask|do))\b.*$/i,
    means: () => ({ kind: "help" }),
  },
  ...SMALL_TALK.map(([says, answer]): Rule => ({ says, means: talk(answer) })),
  {
    says: /^(?:fail|crash|break|throw|raise|produce|give me|make)?\s*(?:an? )?(?:error|fail|crash|failure|exception)?(?: (?:please|now|on purpose|at once|yourself|the run))*$/i,
    means: (_, text) => (/fail|crash|error|exception|break/i.test(text) ? { kind: "fail" } : undefined),
  },
  {
    says: /^(?:describe|explain|summari[sz]e|list|show(?: me)?|what(?:'s| is| are)(?: on)?|what do we have(?: on)?|what does)(?: all)?(?: the| this| my)? ?(?:current )?(?:workflow|canvas|operators|pipeline|there)(?: do(?:es)?| now)?$/i,
    means: () => ({ kind: "describe" }),
  },

  // The canvas as a whole
  {
    says: /^(?:clear|empty|wipe|reset|delete|remove|erase|start)(?: (?:the|this|my|whole|entire|out))* ?(?:canvas|workflow|everything|all(?: of it| operators| nodes)?|it all|over|afresh|from scratch|pipeline)(?: on (?:the|this) canvas)?$/i,
    means: () => ({ kind: "clear" }),
  },
  { says: /^clear$/i, means: () => ({ kind: "clear" }) },
  {
    says: /^(?:tidy|clean|arrange|align|order|organi[sz]e|auto-?layout|auto-?arrange|lay ?out|re-?arrange|straighten|sort out)(?: up| out)?(?: (?:the|this|my|all))*(?: (?:layout|canvas|workflow|nodes|operators|everything|it|them|positions|up))*$/i,
    means: () => ({ kind: "tidy" }),
  },

  // Comments
  {
    says: /^(?:add|leave|write|put|make|create|attach)?\s*(?:an? |the )?(?:sticky )?(?:comment|note)(?: box)?(?:\s*[:-]\s*|\s+(?:saying|that says|which says|about|with(?: the text)?|reading|that)\s*:?\s*|\s+(?!on\b))(.+)$/i,
    means: ([, text = ""]) => ({ kind: "comment", text: unquote(text) }),
  },
  {
    says: /^(?:add|leave|write|put|make|create)\s+(?:an? )?(?:sticky )?(?:comment|note)$/i,
    means: () => ({ kind: "comment", text: "Remember to check the data" }),
  },

  // One operator that is there
  {
    says: new RegExp(`^(?:rename|relabel)\\s+${REF}\\s+(?:to|as|into)\\s+(.+)$`, "i"),
    means: ([, target = "", name = ""]) => ({ kind: "rename", target, name: unquote(name) }),
  },
  {
    says: new RegExp(
      `^(?:call|name)\\s+((?:the |this |my )?(?:\\w+ )?(?:${OPERATOR_WORDS}|op\\d+|it|last one))\\s+(.+)$`,
      "i",
    ),
    means: ([, target = "", name = ""]) => ({ kind: "rename", target, name: unquote(name) }),
  },
  {
    says: /^(?:disable|deactivate|turn off|switch off|mute|skip)\s+(.+)$/i,
    means: ([, target = ""]) => ({ kind: "toggle", target, on: false }),
  },
  {
    says: /^(?:enable|re-?enable|activate|reactivate|turn on|switch on|unmute)\s+(.+)$/i,
    means: ([, target = ""]) => ({ kind: "toggle", target, on: true }),
  },
  {
    says: /^(?:turn|switch)\s+(.+?)\s+(off|on)$/i,
    means: ([, target = "", how]) => ({ kind: "toggle", target, on: how === "on" }),
  },
  {
    says: /^(?:move|shift|drag|nudge|put)\s+(.+?)\s+(?:to\s+)?\(?\s*(-?\d+)\s*[,;]\s*(-?\d+)\s*\)?$/i,
    means: ([, target = "", x, y]) => ({ kind: "move", target, dx: 0, dy: 0, to: { x: Number(x), y: Number(y) } }),
  },
  {
    says: /^(?:move|shift|drag|nudge|push|pull)\s+(.+?)\s+(?:a bit |a little |further )?(?:to the )?(up|down|left|right)(?:wards)?(?:\s+(?:by\s+)?(\d+).*)?$/i,
    means: ([, target = "", way = "", by]) => {
      const [x, y] = DIRECTIONS[way.toLowerCase()] ?? [0, 0];
      const far = by === undefined ? 120 : Number(by);
      return { kind: "move", target, dx: x * far, dy: y * far };
    },
  },
  {
    says: /^(?:disconnect|unlink|detach)\s+(.+?)\s+(?:from|and)\s+(.+)$/i,
    means: ([, from = "", to = ""]) => ({ kind: "disconnect", from, to }),
  },
  {
    says: /^(?:connect|link|wire|attach)\s+(.+?)\s+(?:to|with|into|and)\s+(.+)$/i,
    means: ([, from = "", to = ""]) => ({ kind: "connect", from, to }),
  },
  {
    says: /^(?:turn|convert|change|make|replace|swap|transform)\s+(.+?)\s+(?:in)?(?:to|with|by|for)\s+(?:an?\s+)?([\w ]+)$/i,
    means: ([, target = "", what = ""]) => {
      const kind = kindIn(what);
      const isName = kind !== undefined && new RegExp(`^(?:${kind.words.source})$`, "i").test(what.trim());
      return isName && namesOperator(target) ? { kind: "replace", target, type: kind.type } : undefined;
    },
  },
  { says: /^use\s+(.+?)\s+instead of\s+(.+)$/i, means: ([, to = "", target = ""]) => ({ kind: "change", target, to }) },
  {
    says: /^(?:change|set|update|modify|edit|adjust|increase|decrease|raise|lower|switch)\s+(.+?)\s+(?:to be|to|so that it (?:is|says|keeps)|into|from .+? to|:|=|as|by)\s+(.+)$/i,
    means: ([, target = "", to = ""]) => ({ kind: "change", target, to }),
  },
  {
    says: new RegExp(`^make\\s+(the (?:\\w+ )?(?:${OPERATOR_WORDS})|op\\d+)\\s+(?:be |to |say |keep )?(.+)$`, "i"),
    means: ([, target = "", to = ""]) => ({ kind: "change", target, to }),
  },

  // Taking away
  {
    says: /^(?:remove|drop|delete|eliminate|filter out)\s+(?:all |the |any )?(?:duplicates?|duplicate rows|double rows)(.*)$/i,
    means: byKind("Distinct", () => ""),
  },
  { says: /^(?:de-?dup\w*|distinct|unique)(?: .*)?$/i, means: byKind("Distinct", () => "") },
  {
    says: /^(?:drop|remove|hide|exclude)\s+(?:the )?(?:columns?|attributes?|fields?)\s+(.+)$/i,
    means: byKind("Projection", (match) => `drop ${match[1] ?? ""}`),
  },
  {
    says: /^(?:delete|remove|get rid of|take out|drop|erase|kill)\s+(.+)$/i,
    means: ([, target = ""]) => ({
      kind: "delete",
      target: target.replace(/^all (?:the )?|^both |^every /i, ""),
      all: /^(?:all|both|every)\b/i.test(target),
    }),
  },

  // Verbs that name their operator
  {
    says: /^(?:reads?|loads?|open|import|scan|fetch|start (?:with|from)|begin with|use)\s+(.*\.(?:csv|jsonl?|tsv|txt)\b.*)$/i,
    means: ([, rest = ""]) => {
      const kind = kindOf(/\.jsonl?\b/i.test(rest) ? "JSONLFileScan" : "CSVFileScan");
      return kind && describe(kind, rest);
    },
  },
  {
    says: /^(?:load|read|open|import|scan)\s+(?:an? |the |some )?(?:csv|data|file|csv file|people)(?: file| data)?$/i,
    means: byKind("CSVFileScan", () => ""),
  },
  { says: /^(?:filters?|restrict)\b\s*(.*)$/i, means: whole("Filter") },
  {
    says: /^(?:keeps?|take|show|only|get|limits?(?: it)?(?: to)?)\s+(?:only )?(?:the )?(?:first|top)\s+(\w+)\b.*$/i,
    means: whole("Limit"),
  },
  { says: /^(?:top|first)\s+(\w+)\b.*$/i, means: whole("Limit") },
  { says: /^(?:add |put )?(?:an? )?limits?\b\s*(.*)$/i, means: whole("Limit") },
  { says: /^keeps?\s+(?:only )?(.+)$/i, means: (match) => whole("Filter")(match) ?? whole("Projection")(match) },
  { says: /^(?:select|project|pick)\s+(?:only )?(.+)$/i, means: whole("Projection") },
  { says: /^(?:sorts?|order)\b\s*(.*)$/i, means: whole("Sort") },
  { says: /^(?:groups?|aggregates?)\b\s*(.*)$/i, means: whole("Aggregate") },
  { says: /^(?:join|merge)s?\b\s*(.*)$/i, means: ([, about = ""]) => combine("HashJoin", about) },
  {
    says: /^(?:union|combine|stack|concatenate|append)s?\b\s*(.*\b(?:with|and|another|other)\b.*|.*\.csv.*|)$/i,
    means: ([, about = ""]) => combine("Union", about),
  },
  { says: /^(?:search|find|look)\s+(?:for )?(.+)$/i, means: whole("KeywordSearch") },

  // "[add a] bar chart of …", "csv scan", "count per city"
  { says: new RegExp(`^(?:${ADD}\\s+)?(?:${ARTICLE}\\s+)*(.+)$`, "i"), means: ([, rest = ""]) => fromNoun(rest) },
  {
    says: new RegExp(`^(?:(?:${ADD}|compute|calculate|find|get)\\s+)?(?:${ARTICLE}\\s+)*(.+)$`, "i"),
    means: ([, rest = ""], text) => {
      const found = measure(rest);
      if (!found?.by) return undefined;
      return /^(?:plot|chart|graph|draw|visuali[sz]e)/i.test(text)
        ? { kind: "chart", type: "BarChart", measure: found, columns: [] }
        : { kind: "aggregate", measure: found };
    },
  },
];
