// Recorded reconnect snapshots, and the same as a team would see them that does not write in English.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { inOnePiece } from "./workflow.mjs";

const read = (file) =>
  gunzipSync(readFileSync(new URL(`../tests/fixtures/texera/${file}`, import.meta.url))).toString();

/** The text of each snapshot, by what a row calls it. */
export const SNAPSHOTS = {
  "9.3 MB": () => read("snap-20x5.json.gz"),
  "24.8 MB": () => read("snap-50x3.json.gz"),
  "9.7 MB in Chinese and Japanese": () => translated(read("snap-20x5.json.gz")),
  "25.9 MB in Chinese and Japanese": () => translated(read("snap-50x3.json.gz")),
};

/** What people and the agent write; ids, kinds and states are the program's. */
const WRITTEN = new Set(["content", "customDisplayName", "fileName", "attribute", "summary", "output"]);

const WORDS = "筛选出年龄大于三十岁的顾客并按城市汇总「国別の売上を棒グラフにする」";

/**
 * The same snapshot with every such text in Chinese and Japanese, as many characters as before: JavaScript keeps the whole
 * of it in two bytes a character.
 */
function translated(text) {
  const words = (length) => WORDS.repeat(Math.ceil(length / WORDS.length)).slice(0, length);
  const isWritten = (key, value) => typeof value === "string" && WRITTEN.has(key);
  return inOnePiece(
    JSON.stringify(JSON.parse(text, (key, value) => (isWritten(key, value) ? words(value.length) : value))),
  );
}
