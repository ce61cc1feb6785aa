// Long sessions, through the package: a history that is taken in, HEAD that moves in it, and steps that stream in. Each side is
// given the text of the same frames, and after each is asked for the same: how many steps are visible, and the last 30 of
// them, which is what a chat has on its screen.
import { Headway } from "headway";
import { MapClient, RepositoryClient, reversed, unshifted } from "./clients.mjs";
import { branchOf, headFrame, idOf, snapshotFrame, stepFrame } from "./history.mjs";
import { compare, median, row } from "./measure.mjs";

const STEPS = 100_000;
const STREAMED = 30_000;
const ON_SCREEN = 30;

const counted = (steps) => `${steps.toLocaleString("en")} steps`;

export default async function ({ quick }) {
  return [...imports(quick), ...moves(quick), ...streams(quick)];
}

/** A Headway that is asked like the clients beside it. */
class OurClient {
  #headway = Headway.create();

  constructor() {
    this.#headway.connected();
  }

  receive(text) {
    this.#headway.receive(text);
  }

  screen() {
    const { length } = this.#headway.getView();
    return { length, last: this.#headway.steps(length - ON_SCREEN, ON_SCREEN) };
  }

  free() {
    this.#headway.free();
  }
}

function screenOf({ visible }) {
  return { length: visible.length, last: visible.slice(-ON_SCREEN) };
}

/** That it was done, and where it led. */
function check({ length, last }, wanted, headId) {
  if (length !== wanted || last.length !== Math.min(wanted, ON_SCREEN) || last.at(-1).id !== headId) {
    throw new Error(`${length} steps up to ${last.at(-1)?.id} are visible, and not ${wanted} up to ${headId}`);
  }
}

/** A history in one chain. Beside the text of its snapshot there is a row where the peer has its objects already. */
function imports(quick) {
  const [rounds, warmUp] = quick ? [1, 1] : [9, 2];
  const headId = idOf("a", STEPS - 1);
  const text = snapshotFrame(branchOf("a", STEPS), headId);
  const ours = () => {
    const client = new OurClient();
    client.receive(text);
    check(client.screen(), STEPS, headId);
    client.free();
  };
  const repository = (fill) => () => {
    const client = new RepositoryClient();
    fill(client);
    check(screenOf(client), STEPS, headId);
  };
  const fromText = repository((client) => client.snapshot(text));
  const besideText = compare(ours, fromText, rounds, warmUp);
  const objects = JSON.parse(text);
  const fromObjects = repository((client) => client.take(objects));
  const besideObjects = { ours: besideText.ours, peer: clocked(fromObjects, rounds) };
  return [
    row(`import ${counted(STEPS)}`, "ms", besideText, "JSON.parse and MessageRepository.import", 1 / 1.5),
    row("… from text, the peer from objects", "ms", besideObjects, "MessageRepository.import"),
  ];
}

/**
 * Two branches of 100,000 steps each that part half-way, so that 50,000 steps leave the screen and as many come. MessageRepository
 * does it too, and so does a walk that is turned round at its end; what they have to make is a list of 100,000.
 */
function moves(quick) {
  const half = STEPS / 2;
  const heads = ["a", "b"].map((branch) => idOf(branch, half - 1));
  const branches = ["a", "b"].flatMap((branch) => branchOf(branch, half, idOf("trunk", half - 1)));
  const text = snapshotFrame([...branchOf("trunk", half), ...branches], heads[1]);
  const client = new OurClient();
  client.receive(text);
  const ours = inTurn(heads, (frame) => {
    client.receive(frame);
    return client.screen();
  });
  const parsed = JSON.parse(text);
  const moving = (peer) => {
    peer.take(parsed);
    return inTurn(heads, (frame) => {
      peer.headChange(frame);
      return screenOf(peer);
    });
  };
  const [rounds, warmUp] = quick ? [7, 2] : [41, 10];
  // A walk with unshift takes a second, so it is not asked as often as we are. To take the history in has warmed it up.
  const besideUnshifted = {
    ours: clocked(ours, quick ? 60 : 200),
    peer: clocked(moving(new MapClient(unshifted)), quick ? 1 : 9),
  };
  const besideReversed = compare(ours, moving(new MapClient(reversed)), rounds, warmUp);
  const besideRepository = compare(ours, moving(new RepositoryClient()), rounds, warmUp);
  client.free();
  const name = `move HEAD at ${counted(STEPS)} to a far branch`;
  return [
    row(name, "ms", besideUnshifted, "Map and parent walk with unshift", 1 / 500),
    row("…", "ms", besideReversed, "Map and parent walk with push, then reverse"),
    row("…", "ms", besideRepository, "MessageRepository.switchToBranch"),
  ];
}

/** The median of so many times, in ms. */
function clocked(work, rounds) {
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return median(times);
}

/** Moves HEAD to the end of each branch in turn. */
function inTurn(heads, move) {
  const frames = heads.map(headFrame);
  let turn = 0;
  return () => {
    const at = turn++ % heads.length;
    check(move(frames[at]), STEPS, heads[at]);
  };
}

/**
 * Steps that come one by one, each looked at. All of them would take the peer half an hour, so it is clocked at lengths that are
 * spread evenly, and what all would take is the mean of those times their number.
 */
function streams(quick) {
  const frames = branchOf("a", STREAMED).map(stepFrame);
  streamed(frames.slice(0, 5_000)); // until it is compiled for speed
  const ours = Array.from({ length: quick ? 1 : 7 }, () => streamed(frames));
  const [samples, each] = quick ? [5, 1] : [15, 3];
  const lengths = Array.from({ length: samples }, (_, at) => Math.floor(((at + 0.5) * STREAMED) / samples));
  const peer = lengths.map((length) => sampled(length, each));
  const times = { ours: median(ours.map(sum)), peer: (sum(peer) / samples) * STREAMED };
  const [first, last] = [0, STREAMED - 1_000].map((from) =>
    median(ours.map((times) => 1_000 * median(times.slice(from, from + 1_000)))),
  );
  const peerName = `a copy of the array and two parent walks with unshift, reckoned from ${samples} lengths`;
  return [
    row(`stream ${counted(STREAMED)}`, "ms", times, peerName, 1 / 100),
    row("… one of the last 1,000", "µs", { ours: last, peer: first }, "one of the first 1,000", 1.25),
  ];
}

const sum = (list) => list.reduce((all, one) => all + one, 0);

/** What each step took, in ms. */
function streamed(frames) {
  const client = new OurClient();
  client.receive(snapshotFrame([], "step-initial"));
  const times = frames.map((frame, at) => {
    const start = performance.now();
    client.receive(frame);
    const screen = client.screen();
    const time = performance.now() - start;
    check(screen, at + 1, idOf("a", at));
    return time;
  });
  client.free();
  return times;
}

/** What a step takes the peer when there are so many, in ms. */
function sampled(length, times) {
  const steps = branchOf("a", length + times);
  const client = new MapClient(unshifted);
  client.take({ steps: steps.slice(0, length), headId: idOf("a", length - 1) });
  const frames = steps.slice(length).map(stepFrame);
  const start = performance.now();
  for (const frame of frames) {
    client.step(frame);
    screenOf(client);
  }
  const time = (performance.now() - start) / times;
  check(screenOf(client), length + times, idOf("a", length + times - 1));
  return time;
}
