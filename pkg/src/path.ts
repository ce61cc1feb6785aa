/**
 * The visible path as pairs of numbers (handle, revision), kept so that a view can hold on to it for nothing.
 *
 * The pairs lie in blocks. Appending writes into the last one, which is shared; cutting replaces the block that is cut and
 * the list of blocks, and leaves the old ones to whoever holds them. So a {@link Stretch} costs two words and shows its
 * own moment for ever, and a step that is sent again costs a block, not the path.
 */
import type { Engine } from "../generated/headway.js";

/** The first `length` pairs of some blocks, as they were at some moment. */
export interface Stretch {
  readonly blocks: readonly (readonly number[])[];
  readonly length: number;
}

/** Pairs in a block. */
const BLOCK = 512;

export const handleAt = (stretch: Stretch, at: number): number => stretch.blocks[(at / BLOCK) | 0]![2 * (at % BLOCK)]!;

export const revisionAt = (stretch: Stretch, at: number): number =>
  stretch.blocks[(at / BLOCK) | 0]![2 * (at % BLOCK) + 1]!;

/** A stretch of a single step. */
export const single = (pair: ArrayLike<number>): Stretch => ({ blocks: [Array.from(pair)], length: 1 });

export class Path {
  readonly #engine: Engine;
  #blocks: number[][] = [];
  #length = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The path as it is now. Costs what changed since the last call. */
  now(): Stretch {
    const from = this.#engine.takeChangedFrom();
    if (from < this.#length) this.#cut(from);
    const pairs = this.#engine.pathFrom(from);
    for (let at = 0; at < pairs.length; at += 2) this.#push(pairs[at]!, pairs[at + 1]!);
    return { blocks: this.#blocks, length: this.#length };
  }

  #cut(length: number): void {
    const whole = (length / BLOCK) | 0;
    const blocks = this.#blocks.slice(0, whole);
    const rest = length % BLOCK;
    if (rest > 0) blocks.push(this.#blocks[whole]!.slice(0, 2 * rest));
    this.#blocks = blocks;
    this.#length = length;
  }

  #push(handle: number, revision: number): void {
    if (this.#length % BLOCK === 0) this.#blocks.push([]);
    this.#blocks[this.#blocks.length - 1]!.push(handle, revision);
    this.#length += 1;
  }
}
