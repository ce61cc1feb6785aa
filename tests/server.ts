/** The workbench's server as a process of its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

export interface Server {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  readonly port: string;
  /** Asks it to end, and waits until it has. Gives its exit code. */
  stop(): Promise<number | null>;
  /** Ends it as a power cut would. */
  crash(): Promise<void>;
  /** Lets it hang, or go on. */
  freeze(on: boolean): void;
}

/** Starts the workbench's server as `npm start` does, quick unless told otherwise. */
export async function startServer(
  env: Record<string, string> = {},
  args: readonly string[] = ["--memory"],
): Promise<Server> {
  const child = spawn(process.execPath, ["--import", "tsx", "www/server/main.ts", ...args], {
    cwd: ROOT,
    env: { ...process.env, PORT: "0", HEADWAY_AGENT_SPEED: "40", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await address(child);
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  return {
    url,
    port: new URL(url).port,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
    async crash() {
      child.kill("SIGKILL");
      await ended;
    },
    freeze: (on) => void child.kill(on ? "SIGSTOP" : "SIGCONT"),
  };
}

function address(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const listen = (text: Buffer): void => {
      said += String(text);
      const url = /Headway workbench: (http:\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}:\n${said}`)));
  });
}
