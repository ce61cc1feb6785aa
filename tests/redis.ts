/** A Redis of a test's own: on a port that was free, in a folder that goes with it. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestRedis {
  /** `redis://127.0.0.1:PORT` */
  readonly url: string;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Starts it again where it was. */
  start(): Promise<void>;
  /** Lets it hang, or go on. */
  freeze(on: boolean): void;
  /** Ends it for good. */
  close(): Promise<void>;
}

const PROGRAM = process.env.REDIS_SERVER || "redis-server";
const HOST = "127.0.0.1";
const TRIES = 5;

/** `keeps`: what was written is there after a crash; else everything is gone then. */
export async function startRedis({ keeps = false } = {}): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), "headway-redis-"));
  const keeping = keeps ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"];
  let child: ChildProcess | undefined;
  const end = () => child?.kill("SIGKILL");
  process.on("exit", end);
  const startAt = async (port: number) => {
    const args = ["--port", String(port), "--bind", HOST, "--save", "", "--dir", folder, ...keeping];
    child = spawn(PROGRAM, args, { stdio: ["ignore", "pipe", "ignore"] });
    await ready(child);
  };
  const kill = async () => {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise((resolve) => ending.once("exit", resolve));
    ending.kill("SIGKILL");
    await ended;
  };
  let port = 0;
  for (let tries = 1; ; tries += 1) {
    port = await freePort();
    try {
      await startAt(port);
      break;
    } catch (error) {
      // Somebody else may have taken the port meanwhile.
      await kill();
      if (tries === TRIES || !/in use/i.test((error as Error).message)) throw error;
    }
  }
  return {
    url: `redis://${HOST}:${port}`,
    kill,
    start: () => startAt(port),
    freeze: (on) => void child?.kill(on ? "SIGSTOP" : "SIGCONT"),
    async close() {
      await kill();
      process.off("exit", end);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout?.on("data", (text: Buffer) => {
      said += String(text);
      if (said.includes("Ready to accept connections")) resolve();
    });
    child.once("error", (error) => reject(new Error(`${PROGRAM} does not start: ${error.message}`)));
    child.once("exit", (code) => reject(new Error(`${PROGRAM} ended with ${code}:\n${said}`)));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, HOST, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
