/**
 * From a sentence to the requests in it. Pure: the same sentence is always understood in the same way.
 *
 * A sentence is cut at commas, "then", "and" and full stops; a piece that does not begin like a request ("city" in
 * "keep name, age and city") is glued back to the piece before it. What stands in quotes is never cut.
 */
import { OPERATOR_WORDS } from "./operators.ts";
import { hideQuoted } from "./phrases.ts";
import { RULES } from "./rules.ts";
import type { Request, Understood } from "./requests.ts";

/** What "build a workflow" means when nothing more is said. */
const SAMPLE = "csv scan people.csv, then filter age > 30, then a bar chart of count per city";

/** A long run, for trying the Stop button. */
const LONG_SAMPLE = [
  "read people.csv, filter age > 18, keep name, age, city and income, sort by age, limit to 1000",
  "group by city, bar chart of count per city, pie chart of count per city",
  "join with orders.csv on id, filter total > 50, average total per city, line chart of total per month",
  "union with archive.csv, remove duplicates, search for 'zürich' in text, word cloud of text, histogram of age",
].join(", then ");

const FILLER =
  /^(?:please|could you|can you|would you|will you|i(?:'d| would)? (?:want|like|need)(?: you)?(?: to)?|let'?s|let us|now|also|next|finally|first(?:ly)?|second(?:ly)?|lastly|after that|afterwards|and|then|so|ok(?:ay)?|just|maybe|go ahead and|try to|we (?:want|need)(?: to)?|help me|don't forget to|\d+[.)])(?=[\s,:]|$)[\s,:]*/i;
const TRAILING = /[\s,]*(?:\b(?:please|for me|thanks|thank you|now|as well|too|again|right away)\b)?[\s.!?,;:]*$/i;

/** "…that reads a file and shows a chart" */
const THIRD_PERSON =
  /^(add|read|load|scan|filter|keep|drop|sort|limit|group|join|merge|show|draw|plot|count|remove|take|rename|display|visualize)s(?=\s)/i;

const BUILD =
  /^(?:build|create|make|design|set up|construct|generate|give me|i need)(?: me)? (?:an? |the |another |some )?(?:new |small |simple |little |quick |big |large |long |huge |demo |sample |example |data )*(?:workflow|pipeline|dataflow|flow|demo|example)\b(?: (?:that|which|with|from|where|to|using|for|it))*\s*[:,-]?\s*/i;

const VERBS =
  /^(?:add|create|insert|put|make|include|append|draw|plot|chart|show|display|visuali[sz]e|graph|give|use|build|start|begin|load|reads?|open|import|scan|fetch|filters?|keeps?|select|project|drop|sorts?|order|limits?|take|top|first \d|groups?|aggregates?|join|merge|union|combine|stack|delete|remove|get rid|take out|clear|empty|wipe|reset|rename|call|name the|disable|enable|deactivate|activate|turn|switch|comment|note|leave|write|move|shift|tidy|clean|arrange|align|auto-?layout|lay|connect|link|wire|disconnect|unlink|change|set|update|modify|edit|adjust|increase|raise|lower|convert|replace|swap|fail|crash|help|describe|explain|dedup\w*|distinct|search|find|hi|hello|thanks|(?:count|average|sum|total)(?= \w)|compute|calculate)\b/i;
const NOUN = new RegExp(`^(?:(?:an?|the|another|one|two|some)\\s+)?(?:[\\w-]+\\s+)?(?:${OPERATOR_WORDS})s?\\b`, "i");

export function understand(words: string): Understood {
  // What is to be said is the speaker's own text, cuts, spaces, full stops and all.
  const speech = /^\s*(?:please )?(?:say|echo|repeat)\b[:\s]*([\s\S]*)$/i.exec(words);
  if (speech) return { slowly: false, requests: [{ kind: "talk", answer: speech[1] || "Say what?" }] };
  const sentence = words.replace(/[^\S\n]+/g, " ");
  const slow = /\b(?:very )?slow(?:ly)?\b|\btake your time\b|\bstep by step\b/i;
  const slowly = slow.test(sentence);
  const text = tidy(slowly ? sentence.replace(slow, " ") : sentence);
  return { slowly, requests: slowly && text === "" ? parse(LONG_SAMPLE) : parse(text) };
}

function parse(text: string): Request[] {
  const built = BUILD.exec(text);
  if (built && /\bundo|\bagent\b/i.test(text) === false) {
    const rest = tidy(text.slice(built[0].length));
    if (rest === "") return parse(/big|large|long|huge/i.test(built[0]) ? LONG_SAMPLE : SAMPLE);
    return parse(rest);
  }
  return pieces(text).map(toRequest);
}

function toRequest(piece: string): Request {
  const instead = /\s+instead$/i.test(piece);
  const text = piece.replace(/\s+instead$/i, "");
  for (const rule of RULES) {
    const match = rule.says.exec(text);
    const request = match && rule.means(match, text);
    if (request) return instead ? asChange(request, text) : request;
  }
  return { kind: "unknown", text: piece };
}

/** "limit to 20 instead" changes the limit that is there. */
function asChange(request: Request, text: string): Request {
  if (request.kind === "add") return { kind: "change", target: request.type, to: text };
  if (request.kind === "aggregate") return { kind: "change", target: "Aggregate", to: text };
  return request;
}

/** Cuts a sentence into pieces that each begin like a request. */
function pieces(text: string): string[] {
  const { hidden, show } = hideQuoted(text);
  const cut = /(\s*(?:[,;\n]|->|→|\|>|[.!?]+(?=\s)|\bfollowed by\b|\b(?:and )?then\b|\band\b|&)+\s*)/i;
  const parts = hidden.split(cut);
  const found: string[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const part = parts[i] ?? "";
    const cutBefore = i === 0 ? "" : (parts[i - 1] ?? "");
    const begins = tidy(part);
    if (found.length === 0 || VERBS.test(begins) || NOUN.test(begins)) found.push(part);
    else found[found.length - 1] += cutBefore + part;
  }
  return found.map((part) => tidy(show(part))).filter((part) => part !== "");
}

/** Without what people say around a request. */
function tidy(text: string): string {
  let bare = text.trim().replace(TRAILING, "");
  while (FILLER.test(bare)) bare = bare.replace(FILLER, "");
  return bare.trim().replace(THIRD_PERSON, "$1");
}
