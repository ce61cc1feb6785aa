/** What was typed: the one stretch in which two texts differ. */

export interface Splice {
  /** Where, in UTF-16 units as everything that counts characters in JavaScript. */
  readonly at: number;
  /** How much went. */
  readonly gone: number;
  /** What came. */
  readonly come: string;
}

/** The smallest one that leads from one text to another and never cuts a character in two. */
export function spliceOf(from: string, to: string): Splice {
  const shorter = Math.min(from.length, to.length);
  let front = 0;
  while (front < shorter && from[front] === to[front]) front += 1;
  if (isLowHalf(from, front) || isLowHalf(to, front)) front -= 1;
  let back = 0;
  while (back < shorter - front && from[from.length - 1 - back] === to[to.length - 1 - back]) back += 1;
  if (isLowHalf(from, from.length - back) || isLowHalf(to, to.length - back)) back -= 1;
  return { at: front, gone: from.length - front - back, come: to.slice(front, to.length - back) };
}

/** Where a place is after a splice: what was behind it stays behind it. */
export function moved(place: number, { at, gone, come }: Splice): number {
  if (place <= at) return place;
  return place >= at + gone ? place - gone + come.length : at + come.length;
}

const isLowHalf = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff;
};
