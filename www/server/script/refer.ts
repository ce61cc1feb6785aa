/** Which operators a phrase means: "the filter", "op2", "it", "the second chart", "Keep adults", "age > 30". */
import { summaryOf } from "../../shared/operator-words.ts";
import type { Operator, WorkflowContent } from "./content.ts";
import { isChart, kindIn } from "./operators.ts";
import { unquote } from "./phrases.ts";

const ORDINALS: Readonly<Record<string, number>> = {
  first: 0,
  second: 1,
  third: 2,
  fourth: 3,
  last: -1,
  latest: -1,
  newest: -1,
};

/** The operators meant, the best one last; empty when there is none. */
export function meant(content: WorkflowContent, phrase: string): Operator[] {
  const ref = unquote(phrase.trim().replace(/^(?:the|this|that|my|our|an?)\s+/i, ""));
  const lower = ref.toLowerCase();
  const { operators } = content;
  const id = /\bop\d+\b/i.exec(ref)?.[0].toLowerCase();
  if (id !== undefined) return operators.filter((operator) => operator.operatorID === id);
  if (/^(?:it|that|this|one|that one|(?:last|latest|newest)(?: one| operator| node| step)?)$/.test(lower))
    return operators.slice(-1);
  const named = operators.filter((operator) => operator.customDisplayName.toLowerCase() === lower);
  if (named.length > 0) return named;

  const kind = kindIn(lower);
  const ofKind = kind
    ? operators.filter((operator) => operator.operatorType === kind.type)
    : /\b(?:chart|graph|plot|visuali[sz]ation)s?\b/.test(lower)
      ? operators.filter((operator) => isChart(operator.operatorType))
      : [];
  if (ofKind.length > 0) return narrowed(ofKind, lower);
  // Not a kind of operator: perhaps words of its name or of its properties.
  const bare = lower.replace(/\s*\b(?:operator|node|step)\b/g, "");
  return bare === "" ? [] : operators.filter((operator) => said(operator).includes(bare));
}

/** Picks by ordinal ("the second filter") or by what else the phrase says ("the age filter"). */
function narrowed(candidates: Operator[], phrase: string): Operator[] {
  for (const [word, index] of Object.entries(ORDINALS)) {
    if (!new RegExp(`\\b${word}\\b`).test(phrase)) continue;
    const picked = candidates.at(index);
    return picked ? [picked] : [];
  }
  const words = phrase.split(/\s+/).filter((word) => word.length > 1);
  const scores = candidates.map((operator) => words.filter((word) => said(operator).includes(word)).length);
  const best = Math.max(...scores);
  return candidates.filter((_, index) => scores[index] === best);
}

const said = (operator: Operator): string =>
  `${operator.customDisplayName} ${summaryOf(operator.operatorType, operator.operatorProperties)}`.toLowerCase();
