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
  readonly blocks: readonly Uint32Array[];
  readonly length: number;
}

/** Pairs in a block. */
const BLOCK = 512;

export const handleAt = (stretch: Stretch, at: number): number => stretch.blocks[(at / BLOCK) | 0]![2 * (at % BLOCK)]!;

export const revisionAt = (stretch: Stretch, at: number): number =>
  stretch.blocks[(at / BLOCK) | 0]![2 * (at % BLOCK) + 1]!;

/** A stretch of a single step. */
export const single = (pair: Uint32Array): Stretch => ({ blocks: [pair], length: 1 });

export class Path {
  readonly #engine: Engine;
  #blocks: Uint32Array[] = [];
  #length = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The path as it is now. Costs what changed since the last call. */
  now(): Stretch {
    const from = this.#engine.takeChangedFrom();
    if (from < this.#length) this.#cut(from);
    this.#append(this.#engine.pathFrom(from));
    return { blocks: this.#blocks, length: this.#length };
  }

  #cut(length: number): void {
    const whole = (length / BLOCK) | 0;
    const blocks = this.#blocks.slice(0, whole);
    if (length % BLOCK > 0) blocks.push(this.#blocks[whole]!.slice());
    this.#blocks = blocks;
    this.#length = length;
  }

  /** Whole blocks stay where they came: HEAD may have moved by a hundred thousand steps. */
  #append(pairs: Uint32Array): void {
    for (let done = 0; done < pairs.length;) {
      const at = this.#length % BLOCK;
      const piece = pairs.subarray(done, done + 2 * (BLOCK - at));
      const isWhole = piece.length === 2 * BLOCK;
      if (at === 0) this.#blocks.push(isWhole ? piece : new Uint32Array(2 * BLOCK));
      if (!isWhole) this.#blocks[this.#blocks.length - 1]!.set(piece, 2 * at);
      this.#length += piece.length / 2;
      done += piece.length;
    }
  }
}
