// What the environment and the command line of the service say, and what is wrong with them; and what a person is told who starts it wrongly.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HUMAN_PACE, readOptions, type CommandLine } from "../../www/server/options.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DEFAULT = { in: "sqlite", file: join(ROOT, "www", "data", "workbench.sqlite"), asked: false } as const;
const HERE = resolve("/", "where", "somebody stands");

type Env = Readonly<Record<string, string>>;

const RIGHT: [env: Env, args: readonly string[], expected: Partial<CommandLine>][] = [
  [{}, [], { pace: HUMAN_PACE, keep: DEFAULT }],
  [{ PORT: "", HEADWAY_AGENT_SPEED: "", HEADWAY_AGENT_URL: "", HEADWAY_LEASE_MS: "" }, [], { keep: DEFAULT }],
  [{ PORT: "0" }, [], { port: 0 }],
  [{ PORT: "65535" }, [], { port: 65_535 }],
  [{ HEADWAY_AGENT_SPEED: "10" }, [], { pace: HUMAN_PACE / 10 }],
  [{ HEADWAY_AGENT_SPEED: "0.5" }, [], { pace: HUMAN_PACE * 2 }],
  [{ HEADWAY_AGENT_SPEED: "max" }, [], { pace: 0 }],
  [{ HEADWAY_AGENT_URL: "http://example.org:81/there/" }, [], { agentUrl: "ws://example.org:81/there" }],
  [{ HEADWAY_AGENT_URL: "wss://example.org" }, [], { agentUrl: "wss://example.org" }],
  [{ HEADWAY_LEASE_MS: "600" }, [], { leaseFor: 600 }],
  [{}, ["--memory"], { keep: { in: "memory" } }],
  [
    { INIT_CWD: HERE },
    ["--persist", "x.sqlite"],
    { keep: { in: "sqlite", file: join(HERE, "x.sqlite"), asked: true } },
  ],
  [{ INIT_CWD: HERE }, ["--persist=../x"], { keep: { in: "sqlite", file: join(HERE, "..", "x"), asked: true } }],
  [{ INIT_CWD: HERE }, ["--persist", resolve("/x")], { keep: { in: "sqlite", file: resolve("/x"), asked: true } }],
  [{}, ["--persist", "x"], { keep: { in: "sqlite", file: resolve("x"), asked: true } }],
  [
    {},
    ["--redis", "redis://me:secret@127.0.0.1:1/2"],
    { keep: { in: "redis", url: "redis://me:secret@127.0.0.1:1/2" } },
  ],
  [{}, ["--redis=rediss://example.org"], { keep: { in: "redis", url: "rediss://example.org" } }],
  [{}, ["--chaos", "0"], { chaos: 0, keep: DEFAULT }],
  [{}, ["--memory", "--chaos", "4294967295"], { chaos: 4_294_967_295 }],
];

const ONE_OF_THEM = "--persist, --redis and --memory say three different things: give one of them.";
const WRONG: [env: Env, args: readonly string[], words: string][] = [
  [{ PORT: "65536" }, [], 'PORT is a whole number from 0 to 65535, not "65536".'],
  [{ PORT: "-1" }, [], 'PORT is a whole number from 0 to 65535, not "-1".'],
  [{ PORT: "1e3" }, [], 'PORT is a whole number from 0 to 65535, not "1e3".'],
  [{ PORT: " " }, [], 'PORT is a whole number from 0 to 65535, not " ".'],
  [{ HEADWAY_AGENT_SPEED: "0" }, [], 'HEADWAY_AGENT_SPEED is a number above 0 or "max", not "0".'],
  [{ HEADWAY_AGENT_SPEED: "fast" }, [], 'HEADWAY_AGENT_SPEED is a number above 0 or "max", not "fast".'],
  [{ HEADWAY_AGENT_SPEED: "Infinity" }, [], 'HEADWAY_AGENT_SPEED is a number above 0 or "max", not "Infinity".'],
  [
    { HEADWAY_AGENT_URL: "example.org" },
    [],
    'HEADWAY_AGENT_URL is an address such as ws://127.0.0.1:4870, not "example.org".',
  ],
  [{ HEADWAY_AGENT_URL: "ftp://x" }, [], 'HEADWAY_AGENT_URL is an address such as ws://127.0.0.1:4870, not "ftp://x".'],
  [{ HEADWAY_LEASE_MS: "0" }, [], 'HEADWAY_LEASE_MS is a whole number from 1 to 3600000, not "0".'],
  [{}, ["--memory", "--persist", "x"], ONE_OF_THEM],
  [{}, ["--memory", "--redis", "redis://x"], ONE_OF_THEM],
  [{}, ["--persist", "x", "--redis", "redis://x"], ONE_OF_THEM],
  [{}, ["--persist", ""], "--persist needs the name of a file."],
  [{}, ["--persist"], "There are --persist FILE, --redis URL, --memory and --chaos SEED."],
  [{}, ["--persist", "--memory"], "There are --persist FILE, --redis URL, --memory and --chaos SEED."],
  [{}, ["--memory=yes"], "There are --persist FILE, --redis URL, --memory and --chaos SEED."],
  [{}, ["--sqlite", "x"], "There are --persist FILE, --redis URL, --memory and --chaos SEED."],
  [{}, ["x"], "There are --persist FILE, --redis URL, --memory and --chaos SEED."],
  [{}, ["--redis", "127.0.0.1:6379"], '--redis is an address such as redis://127.0.0.1:6379, not "127.0.0.1:6379".'],
  [{}, ["--redis", ""], '--redis is an address such as redis://127.0.0.1:6379, not "".'],
  [{}, ["--redis", "redis://"], '--redis is an address such as redis://127.0.0.1:6379, not "redis://".'],
  [{}, ["--chaos", "-1"], "--chaos"],
  [{}, ["--chaos", ""], '--chaos is a whole number from 0 to 4294967295, not "".'],
  [{}, ["--chaos", "1.5"], '--chaos is a whole number from 0 to 4294967295, not "1.5".'],
];

describe("options", () => {
  it.each(RIGHT)("%j %j", (env, args, expected) => {
    expect(readOptions({ ...env }, args)).toMatchObject(expected);
  });

  it("that are not given are not there", () => {
    expect(Object.keys(readOptions({})).sort()).toEqual(["keep", "pace"]);
  });

  it.each(WRONG)("%j %j is refused", (env, args, words) => {
    expect(() => readOptions({ ...env }, args)).toThrow(words);
  });
});

describe("the server ends with a sentence and nothing else, and is gone, when", () => {
  const taken = createServer();
  beforeAll(() => once(taken.listen(0, "127.0.0.1"), "listening"));
  afterAll(() => void taken.close());
  const takenPort = () => String((taken.address() as AddressInfo).port);

  it.each<[what: string, args: string[], env: () => Env, words: RegExp]>([
    [
      "two places are given",
      ["--memory", "--persist", "x"],
      () => ({}),
      /^--persist, --redis and --memory say .*\.\n$/,
    ],
    [
      "its port is taken",
      ["--memory"],
      () => ({ PORT: takenPort() }),
      /^Port \d+ is taken; set PORT to another one\.\n$/,
    ],
    [
      "its port is taken, with chaos before it",
      ["--memory", "--chaos", "1"],
      () => ({ PORT: takenPort() }),
      /^Port \d+ is taken; set PORT to another one\.\n$/,
    ],
    [
      "nobody answers at the address",
      ["--redis", "redis://127.0.0.1:1"],
      () => ({}),
      /^Redis does not answer at redis:\/\/127\.0\.0\.1:1: connect ECONNREFUSED 127\.0\.0\.1:1\n$/,
    ],
    ["its file cannot be one", ["--persist", ROOT], () => ({}), /^\S+ cannot be opened: .*\n$/],
  ])("%s", async (_, args, env, words) => {
    const child = spawn(process.execPath, ["--import", "tsx", "www/server/main.ts", ...args], {
      cwd: ROOT,
      env: { ...process.env, PORT: "0", ...env() },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (text: Buffer) => (said += String(text)));
    const [code] = (await once(child, "close")) as [number];
    expect(said).toMatch(words);
    expect(code).toBe(1);
  });
});
