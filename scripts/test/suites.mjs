// The suites of `npm test`: how each is run, what it needs, and after how long it is taken for hung.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cargoCounter, verdict, vitestCounts } from "./counts.mjs";
import { buildWorkbench } from "../build/workbench.mjs";
import { lint } from "../lint.mjs";
import { inRoot, targetDir } from "../paths.mjs";
import { run } from "../process.mjs";
import { findChromedriver, findChromium, wasmEnv } from "../toolchain.mjs";

/**
 * @typedef {object} Suite
 * @property {string[]} needs purposes of setup
 * @property {boolean} built whether it tests the built npm package
 * @property {() => Promise<{passed: number, failed: number, remark: string}>} run
 */

/** @type {Record<string, Suite>} in the order in which `npm test` runs them */
export const suites = {
  rust: {
    needs: ["rust"],
    built: false,
    run: () => cargoSuite("cargo", ["test", "--no-fail-fast"], {}, 15),
  },
  browser: {
    needs: ["browser"],
    built: false,
    run: async () => {
      const { env } = await wasmEnv();
      const args = [
        "test",
        "--headless",
        "--chrome",
        "--chromedriver",
        findChromedriver(),
        "--mode",
        "no-install",
        "--",
        "--test",
        "browser",
      ];
      return cargoSuite("wasm-pack", args, { ...env, ...browserEnv(), WASM_BINDGEN_TEST_TIMEOUT: "240" }, 10);
    },
  },
  js: {
    needs: ["build", "js"],
    built: true,
    // In Node.js and in Chromium: each test counts in each of the two.
    run: () => vitestSuite("js", browserEnv(), 8),
  },
  e2e: {
    needs: ["build", "e2e"],
    built: true,
    run: async () => {
      await buildWorkbench();
      return vitestSuite("e2e", browserEnv(), 10);
    },
  },
  lint: {
    needs: ["build", "lint"],
    built: true,
    // A check is not a test: it adds nothing to those that passed.
    run: async () => {
      const { checks, failed } = await lint();
      return { passed: 0, failed, remark: `${checks} checks` };
    },
  },
};

async function cargoSuite(command, args, env, minutes) {
  const { counts, onLine } = cargoCounter();
  const end = await run(command, args, { env, onLine, seconds: minutes * 60 });
  return verdict(counts, end, minutes);
}

async function vitestSuite(name, env, minutes) {
  const report = join(targetDir, "test", `${name}.json`);
  mkdirSync(join(targetDir, "test"), { recursive: true });
  rmSync(report, { force: true });
  const config = inRoot("tests", name, "vitest.config.mjs");
  const args = ["run", "--config", config, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const end = await run(inRoot("node_modules", ".bin", "vitest"), args, { env, seconds: minutes * 60 });
  return verdict(vitestCounts(report), end, minutes);
}

/** The browser that was found, for whoever starts one: chromedriver looks where CHROME_PATH says only if it is told. */
function browserEnv() {
  return { HEADWAY_CHROMIUM: findChromium(), HEADWAY_CHROMEDRIVER: findChromedriver() };
}
