// `npm run bench [-- --quick] [name …]`: runs benches/*.bench.mjs. Each default-exports an async function that is given
// `{ quick }` and returns rows {name, unit, ours, peer, peerName, ratio, goal, ok}. Exit code 1 when a goal is missed.
import "./node-version.mjs";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { Failure, main } from "./failure.mjs";
import { inRoot, targetDir } from "./paths.mjs";
import { setup } from "./setup.mjs";
import { writeWhole } from "./stamps.mjs";
import { table } from "./table.mjs";

const SUFFIX = ".bench.mjs";

await main(async () => {
  const quick = process.argv.includes("--quick");
  const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  const folder = inRoot("benches");
  const names = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .filter((name) => wanted.length === 0 || wanted.includes(name))
    .sort();
  if (names.length === 0) throw new Failure(`No benchmark of that name in benches/ (files called NAME${SUFFIX}).`);
  await setup("build");
  await build();
  const rows = [];
  for (const name of names) {
    console.log(`\n━━ ${name}`);
    const module = await import(pathToFileURL(join(folder, name + SUFFIX)).href);
    const found = await module.default({ quick });
    console.log(table(["what", "ours", "peer", "ratio", "goal", ""], found.map(printable)));
    rows.push(...found.map((row) => ({ bench: name, ...row })));
  }
  writeWhole(
    join(targetDir, "bench", "report.json"),
    `${JSON.stringify({ quick, node: process.version, rows }, null, 2)}\n`,
  );
  const missed = rows.filter((row) => row.ok === false).length;
  console.log(`\n${rows.length} measurements, ${missed} missed their goal; see target/bench/report.json`);
  return missed === 0 ? 0 : 1;
});

function printable({ name, unit, ours, peer, peerName, ratio, goal, ok }) {
  const value = (number) => (typeof number === "number" ? `${round(number)} ${unit}` : "–");
  return [
    name,
    value(ours),
    typeof peer === "number" ? `${value(peer)} (${peerName})` : "–",
    typeof ratio === "number" ? `${round(ratio)}×` : "–",
    goal === undefined ? "–" : String(goal),
    ok === undefined ? "" : ok ? "ok" : "MISSED",
  ];
}

/** Three significant digits. */
function round(number) {
  return Math.abs(number) >= 100 ? String(Math.round(number)) : String(Number(number.toPrecision(3)));
}
