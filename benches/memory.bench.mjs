// How much memory of the module a snapshot takes, at most and for good: it never shrinks. Counted, not timed.
import { grown } from "./grown.mjs";
import { row } from "./measure.mjs";

const TIMES = 10;

export default async function () {
  const rows = [];
  for (const name of ["24.8 MB", "25.9 MB in Chinese and Japanese"]) {
    const { first, again, retained, frame } = await grown(name, TIMES);
    const peer = (retained + 2 * frame) / 1e6;
    const beside = ["retained + 2 × frame", 1];
    rows.push(
      row(`peak wasm memory, a snapshot of ${name}`, "MB", { ours: first / 1e6, peer }, ...beside),
      row(`… after ${TIMES} more loads of it`, "MB", { ours: again / 1e6, peer }, ...beside),
    );
  }
  return rows;
}
