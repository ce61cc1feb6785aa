// Starts other programs: live or captured output, a time limit, and no orphan left behind.
import { spawn } from "node:child_process";
import { accessSync, closeSync, constants, openSync } from "node:fs";
import { constants as os } from "node:os";
import { delimiter, join } from "node:path";
import { root } from "./paths.mjs";

const running = new Set();

/**
 * Runs a program to its end. Every program leads a process group of its own, so that a time limit or Ctrl+C ends what
 * it started too.
 * @param {string} command @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, seconds?: number, capture?: boolean, log?: string,
 *   onLine?: (line: string) => void, onStart?: (child: import("node:child_process").ChildProcess) => void}} [options]
 *   `capture` keeps the output instead of showing it; `log` sends it to a file; `onLine` sees each line that is shown.
 * @returns {Promise<{code: number, output: string, timedOut: boolean, missing: boolean}>}
 */
export function run(command, args, options = {}) {
  const { cwd = root, env, seconds, capture = false, log, onLine, onStart } = options;
  const logFile = log === undefined ? undefined : openSync(log, "a");
  const watched = capture || onLine !== undefined;
  const out = logFile ?? (watched ? "pipe" : "inherit");
  return new Promise((settle) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", out, out],
      detached: true,
    });
    let output = "";
    let timedOut = false;
    let timer;
    let ended = false;
    // A program that cannot be started is told of twice: as an error and as closed.
    const end = (code, missing = false) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      running.delete(child);
      if (logFile !== undefined) closeSync(logFile);
      settle({ code, output, timedOut, missing });
    };
    if (child.pid !== undefined) running.add(child);
    onStart?.(child);
    if (seconds !== undefined) {
      timer = setTimeout(() => {
        timedOut = true;
        endGroup(child, "SIGTERM");
        setTimeout(() => endGroup(child, "SIGKILL"), 3000).unref();
      }, seconds * 1000);
    }
    if (logFile === undefined && watched) {
      for (const [stream, shown] of [
        [child.stdout, process.stdout],
        [child.stderr, process.stderr],
      ]) {
        const lines = lineSplitter((line) => onLine?.(line));
        stream.setEncoding("utf8");
        stream.on("data", (text) => {
          if (capture) output += text;
          else shown.write(text);
          lines.push(text);
        });
        stream.on("end", () => lines.flush());
      }
    }
    child.on("error", (error) => {
      output += error.message;
      end(127, error.code === "ENOENT");
    });
    child.on("close", (code, signal) => end(code ?? 128 + (os.signals[signal] ?? 0)));
  });
}

/** What a program prints on a successful run, trimmed; undefined when it is missing or fails. */
export async function ask(command, args, options = {}) {
  const { code, output } = await run(command, args, { seconds: 60, ...options, capture: true });
  return code === 0 ? output.trim() : undefined;
}

/** The full path of a program on PATH. */
export function which(name, path = process.env.PATH ?? "") {
  for (const folder of path.split(delimiter)) {
    if (folder !== "" && isProgram(join(folder, name))) return join(folder, name);
  }
  return undefined;
}

/** Whether a file is there and may be run. */
export function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Sends a signal to a program and all that it started. */
export function endGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended already.
  }
}

function lineSplitter(onLine) {
  let rest = "";
  return {
    push(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) onLine(line);
    },
    flush() {
      if (rest !== "") onLine(rest);
      rest = "";
    },
  };
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    for (const child of running) endGroup(child, signal);
    // A server that is shutting down ends this process by itself (scripts/start.mjs); nothing else has work to save.
    if (process.listenerCount(signal) === 1) process.exit(128 + os.signals[signal]);
  });
}
