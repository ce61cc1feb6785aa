/**
 * The scripted agent: a sentence and the content at HEAD give the whole run, step by step, before the first one is sent.
 * Deterministic: no clock (but for the date of a comment), no chance, nothing remembered between runs.
 */
import { act, type Came } from "./act.ts";
import { FAILURE, HELP_OPENING, helpText, notUnderstood, TOO_LONG } from "./answers.ts";
import type { WorkflowContent } from "./content.ts";
import { Draft, type DraftStep } from "./draft.ts";
import { inventory } from "./names.ts";
import { understand } from "./understand.ts";

/** One step that will be told, after a pause of `pace` times `slowness`. */
export interface ScriptStep {
  text: string;
  calls: DraftStep["calls"];
  after: WorkflowContent;
  slowness: number;
  /** The run ends here, with this text as its error. */
  fails?: true;
}

/** A slow run takes at least this many steps before its last words. */
const SLOW_STEPS = 24;
/** More than this in one run and the agent stops by itself. */
const MAX_STEPS = 100;
/** Longer than this is no request, and would keep the one thread busy. */
const MAX_SENTENCE = 2_000;

export function script(sentence: string, content: WorkflowContent, now: number): ScriptStep[] {
  if (sentence.length > MAX_SENTENCE) return [{ text: TOO_LONG, calls: [], after: content, slowness: 1 }];
  const { slowly, requests } = understand(sentence);
  const draft = new Draft(content, now);
  const done: Exclude<Came, { problem: string }>[] = [];
  const answers: string[] = [];
  const unknown: string[] = [];
  let fails = false;
  for (const request of requests) {
    if (request.kind === "fail") {
      fails = true;
      break;
    }
    if (request.kind === "talk") answers.push(request.answer);
    else if (request.kind === "help") answers.push(helpText(HELP_OPENING));
    else if (request.kind === "describe") answers.push(inventory(draft.content));
    else if (request.kind === "unknown") unknown.push(request.text);
    else {
      const came = act(draft, request);
      if ("problem" in came) answers.push(came.problem);
      else done.push(came);
    }
    if (draft.steps.length > MAX_STEPS) break;
  }

  if (unknown.length > 0) answers.push(notUnderstood(unknown, done.length > 0));

  const slowness = slowly ? 2 : 1;
  const steps = (slowly ? lookingAround(draft, content) : draft.steps)
    .slice(0, MAX_STEPS)
    .map((step): ScriptStep => ({ ...step, text: "", slowness }));
  const first = steps[0];
  if (first) first.text = opening(done.length, slowly);
  const after = steps.at(-1)?.after ?? content;
  if (fails) return [...steps, { text: FAILURE, calls: [], after, slowness, fails: true }];
  return [...steps, { text: closing(done, answers), calls: [], after, slowness: slowness * 0.6 }];
}

/** The same steps with looks at the operators between them, so that there is time to press Stop. */
function lookingAround(draft: Draft, before: WorkflowContent): DraftStep[] {
  const steps: DraftStep[] = [];
  const looks = Math.ceil((SLOW_STEPS - draft.steps.length) / Math.max(1, draft.steps.length));
  const look = (content: WorkflowContent, index: number): void => {
    const one = new Draft(content, 0);
    const id = content.operators[index % Math.max(1, content.operators.length)]?.operatorID;
    if (id === undefined) steps.push({ calls: [], after: content });
    else {
      one.step({ toolName: "getOperatorSchema", input: { operatorId: id } });
      steps.push(...one.steps);
    }
  };
  for (const step of draft.steps) {
    steps.push(step);
    for (let i = 0; i < looks; i += 1) look(step.after, steps.length);
  }
  while (steps.length < SLOW_STEPS) look(steps.at(-1)?.after ?? before, steps.length);
  return steps;
}

function opening(things: number, slowly: boolean): string {
  const pace = slowly ? " I take my time: press Stop whenever you like." : "";
  return things > 1 ? `I will do ${things} things, one after the other.${pace}` : pace.trim();
}

/** More things than this in a row are counted, not listed. */
const MOST_LISTED = 5;

function closing(done: readonly Exclude<Came, { problem: string }>[], answers: readonly string[]): string {
  const did: string[] = [];
  let added: string[] = [];
  const sumUp = (): void => {
    if (added.length > MOST_LISTED) did.push(`added ${added.length} operators`);
    else if (added.length > 0) did.push(`added ${listed(added)}`);
    added = [];
  };
  for (const came of done) {
    if ("added" in came) added = [...added, ...came.added];
    else {
      sumUp();
      did.push(came.did);
    }
  }
  sumUp();
  const words = did.length === 0 ? "" : `Done: I ${listed(did)}.`;
  return [words, ...answers].filter((part) => part !== "").join("\n\n") || "There was nothing to do.";
}

function listed(things: readonly string[]): string {
  const last = things.at(-1) ?? "";
  return things.length < 2 ? last : `${things.slice(0, -1).join(", ")} and ${last}`;
}
