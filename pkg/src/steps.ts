/**
 * Steps as JavaScript sees them: made when somebody looks, and the same object until the step changes (T8).
 *
 * The engine hands out pairs of numbers (handle, revision). A pair names one version of one step, so an object that was
 * made for it stays right for ever, and two views share it.
 */
import type { Engine } from "../generated/headway.js";
import type { Step } from "./types.js";

/**
 * A stretch of the visible path as it was at some moment: the first `length` pairs of an array that only ever grows.
 * When the path is cut, the array is replaced, so whoever holds a stretch keeps the path that was on show then.
 */
export interface Stretch {
  readonly pairs: readonly number[];
  readonly length: number;
}

interface Made {
  readonly revision: number;
  readonly step: Step;
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
  #pairs: number[] = [];
  #last: { stretch: Stretch; steps: readonly Step[] } | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The path as it is now. Costs what changed since the last call. */
  path(): Stretch {
    const from = this.#engine.takeChangedFrom() * 2;
    // Views hold stretches of the array, so what they see must not be taken away under them.
    if (from < this.#pairs.length) this.#pairs = this.#pairs.slice(0, from);
    for (const number of this.#engine.pathFrom(from / 2)) this.#pairs.push(number);
    return { pairs: this.#pairs, length: this.#pairs.length / 2 };
  }

  /** All steps of a stretch; the same array for the same stretch. */
  all(stretch: Stretch): readonly Step[] {
    const last = this.#last;
    if (last && last.stretch.pairs === stretch.pairs && last.stretch.length === stretch.length) return last.steps;
    const steps = this.window(stretch, 0, stretch.length);
    this.#last = { stretch, steps };
    return steps;
  }

  /** The steps from one position to before another. */
  window(stretch: Stretch, from: number, to: number): readonly Step[] {
    const missing: number[] = [];
    for (let at = from; at < to; at++) {
      const handle = stretch.pairs[2 * at]!;
      if (this.#made.get(handle)?.revision !== stretch.pairs[2 * at + 1]) missing.push(at);
    }
    if (missing.length > 0) this.#make(stretch, missing);
    const steps: Step[] = [];
    for (let at = from; at < to; at++) {
      const made = this.#made.get(stretch.pairs[2 * at]!);
      // A step that has left the tree since cannot be made any more.
      if (made) steps.push(made.step);
    }
    return Object.freeze(steps);
  }

  /** One step by its id. */
  find(id: string): Step | undefined {
    const pair = this.#engine.findStep(id);
    if (pair.length < 2) return undefined;
    return this.window({ pairs: Array.from(pair), length: 1 }, 0, 1)[0];
  }

  #make(stretch: Stretch, positions: readonly number[]): void {
    const handles = Uint32Array.from(positions, (at) => stretch.pairs[2 * at]!);
    const texts = JSON.parse(this.#engine.stepTexts(handles)) as unknown[];
    positions.forEach((at, index) => {
      const raw = texts[2 * index + 1];
      const handle = stretch.pairs[2 * at]!;
      if (raw === null) this.#made.delete(handle);
      else {
        const step = toStep(raw as Record<string, unknown>, texts[2 * index] === true);
        this.#made.set(handle, { revision: stretch.pairs[2 * at + 1]!, step });
      }
    });
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
  if (extra.length > 0) step["extra"] = Object.freeze(Object.fromEntries(extra));
  return Object.freeze(step) as unknown as Step;
}
