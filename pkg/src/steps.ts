/**
 * Steps as JavaScript sees them: made when somebody looks, and the same object until the step changes (T8).
 *
 * A pair (handle, revision) names one version of one step, and revisions only grow, so an object that was made is right
 * for as long as nobody asks for a newer version. Asked late for a version that is gone, the engine gives the step as it
 * is now; for a step that is gone it gives nothing.
 */
import type { Engine } from "../generated/headway.js";
import { freezeDeep } from "./freeze.js";
import { handleAt, revisionAt, single, type Stretch } from "./path.js";
import type { Step } from "./types.js";

interface Made {
  readonly revision: number;
  readonly step: Step;
}

interface Window {
  readonly stretch: Stretch;
  readonly from: number;
  readonly steps: readonly Step[];
}

/** Fields that have a place of their own in {@link Step}; everything else goes to `extra`. */
const KNOWN = new Set([
  "id",
  "parentId",
  "messageId",
  "stepId",
  "timestamp",
  "role",
  "content",
  "isBegin",
  "isEnd",
  "toolCalls",
  "toolResults",
  "usage",
  "messageSource",
]);

export class Steps {
  readonly #engine: Engine;
  readonly #made = new Map<number, Made>();
  #all: Window | undefined;
  #window: Window | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** All steps of a stretch; the same array while they are the same. */
  all(stretch: Stretch): readonly Step[] {
    return (this.#all = this.#look(stretch, 0, stretch.length, this.#all)).steps;
  }

  /** The steps from one position to before another; the same array while they are the same and asked for in turn. */
  window(stretch: Stretch, from: number, to: number): readonly Step[] {
    return (this.#window = this.#look(stretch, from, to, this.#window)).steps;
  }

  /** One step by its id. */
  find(id: string): Step | undefined {
    const pair = this.#engine.findStep(id);
    return pair.length < 2 ? undefined : this.#look(single(pair), 0, 1, undefined).steps[0];
  }

  #look(stretch: Stretch, from: number, to: number, last: Window | undefined): Window {
    if (
      last?.from === from &&
      last.stretch.blocks === stretch.blocks &&
      last.stretch.length === stretch.length &&
      last.steps.length === to - from
    )
      return last;
    const missing: number[] = [];
    for (let at = from; at < to; at++) {
      const made = this.#made.get(handleAt(stretch, at));
      if (made === undefined || made.revision < revisionAt(stretch, at)) missing.push(at);
    }
    const gone = missing.length > 0 ? this.#make(stretch, missing) : undefined;
    const steps: Step[] = [];
    for (let at = from; at < to; at++) {
      if (!gone?.has(at)) steps.push(this.#made.get(handleAt(stretch, at))!.step);
    }
    const isSame = last?.steps.length === steps.length && steps.every((step, at) => step === last.steps[at]);
    return { stretch, from, steps: isSame ? last.steps : Object.freeze(steps) };
  }

  /** Makes the steps at some positions. Gives the positions of those that are gone. */
  #make(stretch: Stretch, positions: readonly number[]): Set<number> {
    const pairs = new Uint32Array(2 * positions.length);
    positions.forEach((at, index) => {
      pairs[2 * index] = handleAt(stretch, at);
      pairs[2 * index + 1] = revisionAt(stretch, at);
    });
    const texts = JSON.parse(this.#engine.stepTexts(pairs)) as unknown[];
    const gone = new Set<number>();
    positions.forEach((at, index) => {
      const [revision, changed, raw] = texts.slice(3 * index, 3 * index + 3) as [number, boolean, unknown];
      const handle = handleAt(stretch, at);
      if (raw === null) gone.add(at);
      else if (this.#made.get(handle)?.revision !== revision)
        this.#made.set(handle, { revision, step: toStep(raw as Record<string, unknown>, changed) });
    });
    return gone;
  }
}

/** The engine has checked the types of all known fields; only absence and null are left to deal with. */
function toStep(raw: Record<string, unknown>, changed: boolean): Step {
  const extra = Object.entries(raw).filter(([key]) => !KNOWN.has(key));
  const step: Record<string, unknown> = {
    id: raw["id"],
    turnId: raw["messageId"],
    stepId: raw["stepId"] ?? 0,
    timestamp: raw["timestamp"] ?? 0,
    role: raw["role"],
    content: raw["content"] ?? "",
    isBegin: raw["isBegin"] ?? false,
    isEnd: raw["isEnd"] ?? false,
    changed,
  };
  for (const key of ["parentId", "toolCalls", "toolResults", "usage", "messageSource"]) {
    if (raw[key] !== undefined && raw[key] !== null) step[key] = raw[key];
  }
  // fromEntries defines the fields, so that even `__proto__` is only a name.
  if (extra.length > 0) step["extra"] = Object.fromEntries(extra);
  return freezeDeep(step) as unknown as Step;
}
