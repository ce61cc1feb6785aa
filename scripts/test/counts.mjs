// Reads how many tests passed and failed out of what each test runner reports.
import { readText } from "../stamps.mjs";

/** Adds up the "test result:" lines of cargo and of wasm-bindgen's runner, line by line as they come. */
export function cargoCounter() {
  const counts = { passed: 0, failed: 0 };
  return {
    counts,
    onLine(line) {
      const found = /^test result: \w+\. (\d+) passed; (\d+) failed/.exec(line.replace(/\u001b\[[0-9;]*m/g, ""));
      if (found === null) return;
      counts.passed += Number(found[1]);
      counts.failed += Number(found[2]);
    },
  };
}

/** Reads vitest's JSON report. A file that could not even be loaded counts as one failed test. */
export function vitestCounts(reportFile) {
  const text = readText(reportFile);
  if (text === undefined) return { passed: 0, failed: 0 };
  const report = JSON.parse(text);
  const unloaded = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length };
}

/**
 * What a suite comes to, once its runner has ended: a crash, a time-out or a run without a test is a failure even when
 * no test said so.
 */
export function verdict({ passed, failed }, { code, timedOut }, minutes) {
  if (timedOut) return { passed, failed: failed + 1, remark: `ended after ${minutes} minutes` };
  if (code !== 0 && failed === 0) return { passed, failed: 1, remark: `the runner ended with exit code ${code}` };
  if (passed === 0 && failed === 0) return { passed, failed: 1, remark: "no test ran" };
  return { passed, failed, remark: "" };
}
