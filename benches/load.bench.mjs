// Loading a reconnect snapshot through the package, for the first time and once more with nothing new in it, in Node.js and
// in Chromium, beside JSON.parse of the same text. Once more the peer puts its steps into a Map by their ids as well, and both
// are asked for the last 30 steps: what a chat has on its screen.
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

/** A reconnect after which nothing is new. Gives the steps that are on the screen. */
function reload(headway, text) {
  headway.disconnected();
  headway.connected();
  headway.receive(text);
  const { canRedo, length } = headway.getView();
  // Unknown from the loss of the socket until a snapshot was taken in.
  if (canRedo === "unknown") throw new Error("the snapshot was not taken in again");
  return headway.steps(length - 30, 30);
}

/** The same in plain JavaScript. */
function mapped(text) {
  const { steps } = JSON.parse(text);
  const byId = new Map(steps.map((step) => [step.id, step]));
  return { all: [...byId.values()], last: steps.slice(-30) };
}

/** How many objects of steps are other ones after a reconnect, of all that are visible. */
function remade(headway, text, { reload, mapped }) {
  const { steps } = headway.getView();
  reload(headway, text);
  const again = headway.getView().steps;
  const [one, two] = [mapped(text), mapped(text)];
  const news = (before, after) => after.filter((step) => !before.includes(step)).length;
  return { ours: news(steps, again), peer: news(one.all, two.all) };
}

/** Times of the first load, and of the same snapshot again. Plain enough to be sent into a page as text. */
function measure(Headway, parts, text, rounds) {
  const { compare, load, loaded, reload, mapped, remade } = parts;
  const first = compare(
    () => load(Headway, text),
    () => JSON.parse(text),
    rounds,
  );
  const headway = loaded(Headway, text);
  const again = compare(
    () => reload(headway, text),
    () => mapped(text),
    rounds,
  );
  const made = remade(headway, text, parts);
  headway.free();
  return { first, again, made };
}

const PARTS = { compare, load, loaded, reload, mapped, remade };

function rowsOf({ first, again, made }, name, where, [mostFirst, mostAgain] = []) {
  return [
    row(`load a snapshot of ${name}, ${where}`, "ms", first, "JSON.parse", mostFirst),
    row(`load the same ${name} again, ${where}`, "ms", again, "JSON.parse and a Map by id", mostAgain),
    row("… new objects of steps", "", made, "JSON.parse and a Map by id", 0),
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
