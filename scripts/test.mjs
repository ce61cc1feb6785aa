// `npm test`: everything that is tested and linted, from a bare clone. `npm run test:rust` and so on: one suite.
// The last line is always "N passed, N failed"; the exit code is 1 when anything failed, or a suite ran no test.
import "./node-version.mjs";
import { build } from "./build.mjs";
import { Failure, main } from "./failure.mjs";
import { setup } from "./setup.mjs";
import { suites } from "./test/suites.mjs";

await main(async () => {
  const names = process.argv.slice(2).length > 0 ? process.argv.slice(2) : Object.keys(suites);
  const results = [];
  try {
    const unknown = names.find((name) => !(name in suites));
    if (unknown !== undefined)
      throw new Failure(`There is no suite "${unknown}": it is one of ${Object.keys(suites).join(", ")}.`);
    const chosen = names.map((name) => suites[name]);
    await setup(...chosen.flatMap((suite) => suite.needs));
    // A package that does not build fails the suites that test it, not those that do not.
    const broken = chosen.some((suite) => suite.built) ? await outcome(build) : undefined;
    for (const name of names) results.push(await runSuite(name, broken));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    results.push({ line: error.message, passed: 0, failed: 1 });
  }
  return summary(results);
});

async function runSuite(name, broken) {
  const started = Date.now();
  console.log(`\n━━ ${name}`);
  const suite = suites[name];
  const failure = (suite.built ? broken : undefined) ?? (await outcome(async () => (suite.result = await suite.run())));
  const { passed, failed, remark } = failure === undefined ? suite.result : { passed: 0, failed: 1, remark: failure };
  const seconds = Math.round((Date.now() - started) / 1000);
  return {
    line: `${name}: ${passed} passed, ${failed} failed (${[remark, `${seconds} s`].filter(Boolean).join(", ")})`,
    passed,
    failed,
  };
}

/** What went wrong, in words; undefined when nothing did. */
async function outcome(work) {
  try {
    await work();
    return undefined;
  } catch (error) {
    const words = error instanceof Failure ? error.message : String(error?.stack ?? error);
    console.error(`\n✗ ${words}`);
    return words.split("\n")[0];
  }
}

function summary(results) {
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const [passed, failed] = [sum("passed"), sum("failed")];
  console.log(`\n━━ summary`);
  for (const { line } of results) console.log(line);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
}
