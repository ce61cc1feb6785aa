// How benchmarks measure: ours and the peer's turn by turn in the same run, medians, ratios of medians. The functions are
// plain enough to be sent into a page as text.

/** Runs both in turn, `rounds` times after a warm-up of so many, and gives the medians in ms. */
export function compare(ours, peer, rounds, warmUp = 2) {
  const times = { ours: [], peer: [] };
  const clock = (work) => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
  for (let round = -warmUp; round < rounds; round++) {
    const [a, b] = [clock(ours), clock(peer)];
    if (round >= 0) {
      times.ours.push(a);
      times.peer.push(b);
    }
  }
  const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
  return { ours: median(times.ours), peer: median(times.peer) };
}

/** A row of the report. `most` is the largest ratio that is good enough; without it the row is there to be looked at. */
export function row(name, unit, { ours, peer }, peerName, most) {
  const ratio = ours / peer;
  if (most === undefined) return { name, unit, ours, peer, peerName, ratio };
  const goal = most === 0 ? "none" : most < 1 ? `≤ 1/${Number((1 / most).toPrecision(3))}` : `≤ ${most}×`;
  return { name, unit, ours, peer, peerName, ratio, goal, ok: ratio <= most };
}

/** The middle one; the list stays as it is. */
export const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
