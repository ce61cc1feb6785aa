/** Random numbers that are the same each time. */

/** Gives numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** A generator with 32 bits of state (Tommy Ettinger's mulberry32): enough to vary a test, not to keep a secret. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
