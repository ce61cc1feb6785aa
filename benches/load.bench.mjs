// Loading a reconnect snapshot through the package, in Node.js and in Chromium, beside JSON.parse of the same text.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Headway } from "headway";
import { openPage } from "./chromium.mjs";
import { compare, row } from "./measure.mjs";

const SNAPSHOTS = [
  ["9.3 MB", "snap-20x5.json.gz"],
  ["24.8 MB", "snap-50x3.json.gz"],
];

const read = (file) =>
  gunzipSync(readFileSync(new URL(`../tests/fixtures/texera/${file}`, import.meta.url))).toString();

/** First load into a new engine; what the engine says is checked, so that nothing is measured that did not work. */
function load(Headway, text) {
  const headway = Headway.create();
  headway.connected();
  headway.receive(text);
  if (headway.getView().length === 0) throw new Error("the snapshot was not loaded");
  headway.free();
}

export default async function ({ quick }) {
  const rounds = quick ? 5 : 15;
  const rows = [];
  for (const [size, file] of SNAPSHOTS) {
    const text = read(file);
    const times = compare(
      () => load(Headway, text),
      () => JSON.parse(text),
      rounds,
    );
    rows.push(row(`load a snapshot of ${size}, Node.js`, "ms", times, "JSON.parse", 1));
  }
  const page = await openPage();
  try {
    for (const [size, file] of SNAPSHOTS) {
      page.serve("/snapshot.json", read(file));
      const times = await page.evaluate(
        async ([compareText, loadText, rounds]) => {
          const { Headway } = await import("/pkg/dist/index.js");
          const text = await (await fetch("/snapshot.json")).text();
          const [compare, load] = [compareText, loadText].map((source) => (0, eval)(`(${source})`));
          return compare(
            () => load(Headway, text),
            () => JSON.parse(text),
            rounds,
          );
        },
        [compare.toString(), load.toString(), rounds],
      );
      rows.push(row(`load a snapshot of ${size}, Chromium`, "ms", times, "JSON.parse", 1));
    }
  } finally {
    await page.close();
  }
  return rows;
}
