/**
 * Which items of a list can stay where they are when it gets another order: a longest run of numbers that rises, not necessarily
 * side by side. O(n log n).
 */

/** The indices of such a run in numbers that are all different. */
export function longestRising(numbers: readonly number[]): Set<number> {
  /** At length - 1: where the run of that length ends whose last number is the least. */
  const ends: number[] = [];
  /** What stands before each number in the longest run that ends with it. */
  const before: number[] = [];
  for (const [at, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    before.push(low > 0 ? ends[low - 1]! : -1);
    ends[low] = at;
  }
  const run = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) run.add(at);
  return run;
}
