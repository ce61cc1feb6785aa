// Loading a reconnect snapshot through the package, for the first time and once more with nothing new in it, in Node.js and
// in Chromium, beside JSON.parse of the same text.
import { Headway } from "headway";
import { openPage } from "./chromium.mjs";
import { compare, row } from "./measure.mjs";
import { SNAPSHOTS } from "./snapshots.mjs";

const GOALS = { "Node.js": [1 / 3, 1 / 8], Chromium: [1 / 3, 1 / 8] };

/** Which snapshots, and the largest ratios for the first load and for another one, where there is a goal. */
const LOADS = [
  ["9.3 MB", GOALS],
  ["24.8 MB", GOALS],
  ["9.7 MB in Chinese and Japanese", { "Node.js": [1 / 2, 1 / 2] }],
];

/** First load into a new engine; what the engine says is checked, so that nothing is measured that did not work. */
function load(Headway, text) {
  const headway = Headway.create();
  headway.connected();
  headway.receive(text);
  if (headway.getView().length === 0) throw new Error("the snapshot was not loaded");
  headway.free();
}

/** An engine that has the snapshot already. */
function loaded(Headway, text) {
  const headway = Headway.create();
  headway.connected();
  headway.receive(text);
  return headway;
}

/** A reconnect after which nothing is new. */
function reload(headway, text) {
  headway.disconnected();
  headway.connected();
  headway.receive(text);
  // Unknown from the loss of the socket until a snapshot was taken in.
  if (headway.getView().canRedo === "unknown") throw new Error("the snapshot was not taken in again");
}

/** Times of the first load, and of the same snapshot again. Plain enough to be sent into a page as text. */
function measure(Headway, { compare, load, loaded, reload }, text, rounds) {
  const parse = () => JSON.parse(text);
  const first = compare(() => load(Headway, text), parse, rounds);
  const headway = loaded(Headway, text);
  const again = compare(() => reload(headway, text), parse, rounds);
  headway.free();
  return { first, again };
}

const PARTS = { compare, load, loaded, reload };

function rowsOf({ first, again }, name, where, [mostFirst, mostAgain] = []) {
  return [
    row(`load a snapshot of ${name}, ${where}`, "ms", first, "JSON.parse", mostFirst),
    row(`load the same ${name} again, ${where}`, "ms", again, "JSON.parse", mostAgain),
  ];
}

export default async function ({ quick }) {
  const rounds = quick ? 5 : 15;
  const rows = [];
  for (const [name, most] of LOADS) {
    const times = measure(Headway, PARTS, SNAPSHOTS[name](), rounds);
    rows.push(...rowsOf(times, name, "Node.js", most["Node.js"]));
  }
  const page = await openPage();
  try {
    for (const [name, most] of LOADS) {
      page.serve("/snapshot.json", SNAPSHOTS[name]());
      const times = await page.evaluate(
        async ([measureText, partTexts, rounds]) => {
          const { Headway } = await import("/pkg/dist/index.js");
          const text = await (await fetch("/snapshot.json")).text();
          const made = (source) => (0, eval)(`(${source})`);
          const parts = Object.fromEntries(partTexts.map(([name, source]) => [name, made(source)]));
          return made(measureText)(Headway, parts, text, rounds);
        },
        [measure.toString(), Object.entries(PARTS).map(([name, part]) => [name, part.toString()]), rounds],
      );
      rows.push(...rowsOf(times, name, "Chromium", most.Chromium));
    }
  } finally {
    await page.close();
  }
  return rows;
}
