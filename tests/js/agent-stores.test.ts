// The stores of the agent service: one contract for all of them, and what each does when something is wrong with what it stands on.
import Sqlite from "better-sqlite3";
import { Redis } from "ioredis";
import { memoryStore, type AgentStore } from "headway/agent";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Doc, encodeStateAsUpdate, applyUpdate } from "yjs";
import { inMemory } from "../../www/server/stores/memory.ts";
import { inRedis } from "../../www/server/stores/redis.ts";
import { inSqlite } from "../../www/server/stores/sqlite.ts";
import type { Store } from "../../www/server/stores/store.ts";
import { startRedis, type TestRedis } from "../redis.ts";

let folder: string;
let redis: TestRedis;
const opened: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "headway-stores-"));
  redis = await startRedis();
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});
afterAll(async () => {
  await redis.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Closed after the test. */
function kept<T extends { close(): Promise<void> }>(store: T): T {
  opened.push(store);
  return store;
}

let files = 0;
const newFile = (): string => join(folder, `${++files}.sqlite`);

/** Two handles on one store: of two processes, where the store is for several. */
const STORES: Record<string, () => Promise<[Store, Store]>> = {
  memory: async () => {
    const store = kept(inMemory());
    return [store, store];
  },
  SQLite: async () => {
    const store = kept(await inSqlite(newFile()));
    return [store, store];
  },
  Redis: async () => [kept(await inRedis(redis.url)), kept(await inRedis(redis.url))],
};

const TEXTS: [what: string, text: string][] = [
  ["nothing", ""],
  ["quotes", `'"\`\\'' OR 1=1; --`],
  ["any script", "žluťoučký 文字 العربية 🙏🏽 e\u0301 \u2028\u2029"],
  ["a zero and other controls", "a\u0000b\u0001\r\n\t"],
  ["what looks like numbers", "007"],
  ["50 kB", "ä".repeat(25_000)],
  ["1 MB", "0123456789abcdef".repeat(65_536)],
];

/** Agents of the tests share a Redis. */
let agents = 0;

describe.each(Object.entries(STORES))("%s", (name, open) => {
  let one: AgentStore;
  let two: AgentStore;
  let stores: [Store, Store];
  let agent: string;

  beforeEach(async () => {
    stores = await open();
    [one, two] = [stores[0].agents, stores[1].agents];
    agent = `agent-${++agents}`;
  });

  it("adds at the next position and nowhere else", async () => {
    expect(await one.append(agent, 2, "too late", false)).toBe(false);
    expect(await one.append(agent, 0, "too early", false)).toBe(false);
    expect(await one.read(agent, 0)).toEqual([]);
    expect(await one.append(agent, 1, "a", false)).toBe(true);
    expect(await two.append(agent, 1, "b", false)).toBe(false);
    expect(await two.append(agent, 1, "a", false)).toBe(false);
    expect(await two.append(agent, 3, "c", true)).toBe(false);
    expect(await one.append(agent, 2, "b", false)).toBe(true);
    expect(await two.read(agent, 0)).toEqual([
      { at: 1, text: "a" },
      { at: 2, text: "b" },
    ]);
    expect(await two.read("another", 0)).toEqual([]);
  });

  it("lets one of fifty have a position", async () => {
    await one.append(agent, 1, "first", false);
    const tries = Array.from({ length: 50 }, (_, each) => (each % 2 ? one : two).append(agent, 2, `${each}`, false));
    const done = await Promise.all(tries);
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await one.read(agent, 1)).toEqual([{ at: 2, text: String(done.indexOf(true)) }]);
  });

  it("reads what is after a position, in order", async () => {
    for (let at = 1; at <= 12; at++) await one.append(agent, at, `${at}`, false);
    const after = async (at: number) => (await two.read(agent, at)).map((entry) => entry.at);
    expect(await after(0)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(await after(9)).toEqual([10, 11, 12]);
    expect(await after(12)).toEqual([]);
    expect(await after(99)).toEqual([]);
  });

  it("lets go of what was before, and goes on counting", async () => {
    for (const at of [1, 2, 3]) await one.append(agent, at, `${at}`, false);
    expect(await one.append(agent, 3, "no", true)).toBe(false);
    expect(await two.read(agent, 0)).toHaveLength(3);
    expect(await one.append(agent, 4, "anew", true)).toBe(true);
    expect(await two.append(agent, 1, "no", false)).toBe(false);
    expect(await two.append(agent, 5, "5", false)).toBe(true);
    expect(await one.read(agent, 0)).toEqual([
      { at: 4, text: "anew" },
      { at: 5, text: "5" },
    ]);
  });

  it("knows the agents that have a log", async () => {
    await one.read(`${agent}-asked`, 0);
    await one.append(`${agent}-refused`, 2, "no", false);
    await one.append(`${agent}-b`, 1, "b", false);
    await two.append(`${agent}-a`, 1, "a", false);
    const own = (await one.agents!()).filter((each) => each.startsWith(`${agent}-`));
    expect(own.sort()).toEqual([`${agent}-a`, `${agent}-b`]);
  });

  it.each(TEXTS)("gives back %s as it was", async (_, text) => {
    expect(await one.append(agent, 1, text, false)).toBe(true);
    const [entry] = await two.read(agent, 0);
    expect(entry?.text === text).toBe(true);
  });

  it("keeps canvases", async () => {
    const [{ canvases }, { canvases: others }] = stores;
    expect(await canvases.load(agent)).toBeUndefined();
    expect(await canvases.hasRoomFor(agent)).toBe(true);
    const doc = new Doc();
    doc.getMap("m").set("a", "ä".repeat(300_000));
    await canvases.keep(agent, encodeStateAsUpdate(doc));
    doc.getMap("m").set("b", 2);
    await canvases.keep(agent, encodeStateAsUpdate(doc));
    const copy = new Doc();
    applyUpdate(copy, (await others.load(agent))!);
    expect(copy.getMap("m").toJSON()).toEqual(doc.getMap("m").toJSON());
    expect(await others.load("another")).toBeUndefined();
  });

  it.runIf(name !== "SQLite")("tells the other handle of what is new, until it is let go", async () => {
    const heard: string[] = [];
    const stop = two.follow!(agent, () => heard.push("first"));
    two.follow!(agent, () => heard.push("second"))();
    await one.append(agent, 1, "a", false);
    await expect.poll(() => heard).toEqual(["first"]);
    await one.append(`${agent}-other`, 1, "a", false);
    await one.append(agent, 2, "b", false);
    await expect.poll(() => heard).toEqual(["first", "first"]);
    stop();
    stop();
    const last = new Promise<void>((resolve) => two.follow!(agent, resolve));
    await one.append(agent, 3, "c", false);
    await last;
    expect(heard).toHaveLength(2);
  });

  it.runIf(name !== "SQLite")("lets one hold a lease", async () => {
    expect(await one.lease!(agent, "a", 60_000)).toBe(true);
    expect(await two.lease!(agent, "b", 60_000)).toBe(false);
    expect(await two.lease!(`${agent}-other`, "b", 60_000)).toBe(true);
    expect(await one.lease!(agent, "a", 60_000)).toBe(true);
    // By another holder nothing is released.
    await two.release!(agent, "b");
    expect(await two.lease!(agent, "b", 60_000)).toBe(false);
    await one.release!(agent, "a");
    await one.release!(agent, "a");
    expect(await two.lease!(agent, "b", 60_000)).toBe(true);
    expect(await one.lease!(agent, "a", 60_000)).toBe(false);
  });
});

describe("a lease in memory", () => {
  it("is free once its time has come, unless it was taken for longer", async () => {
    let now = 1_000;
    const store = memoryStore(() => now);
    expect(await store.lease!("x", "a", 100)).toBe(true);
    now = 1_099;
    expect(await store.lease!("x", "b", 100)).toBe(false);
    expect(await store.lease!("x", "a", 100)).toBe(true);
    now = 1_198;
    expect(await store.lease!("x", "b", 100)).toBe(false);
    now = 1_199;
    expect(await store.lease!("x", "b", 100)).toBe(true);
    expect(await store.lease!("x", "a", 100)).toBe(false);
  });
});

describe("SQLite", () => {
  it("has everything after it was closed and opened", async () => {
    const file = join(folder, "a folder", "of its own", "x.sqlite");
    const first = await inSqlite(file);
    await first.agents.append("t", 1, "a", false);
    await first.agents.append("t", 2, "b", true);
    await first.canvases.keep("t", Uint8Array.of(1, 2, 3));
    await first.close();
    const again = kept(await inSqlite(file));
    expect(await again.agents.read("t", 0)).toEqual([{ at: 2, text: "b" }]);
    expect(await again.agents.append("t", 2, "c", false)).toBe(false);
    expect(await again.agents.agents!()).toEqual(["t"]);
    expect(await again.canvases.load("t").then((state) => [...state!])).toEqual([1, 2, 3]);
  });

  it("is for one at a time", async () => {
    const file = newFile();
    const first = kept(await inSqlite(file));
    await expect(inSqlite(file)).rejects.toThrow(`${file} is in use by another workbench.`);
    expect(await first.agents.append("t", 1, "a", false)).toBe(true);
  });

  const database = (file: string, sql: string): void => {
    const made = new Sqlite(file);
    made.exec(sql);
    made.close();
  };
  const WRONG: [what: string, make: (file: string) => void, words: string][] = [
    ["no database", (file) => writeFileSync(file, "Dear diary, ".repeat(1_000)), "is no SQLite database."],
    [
      "one of a newer version",
      (file) => database(file, "CREATE TABLE entry (x); PRAGMA user_version = 2"),
      "was written by a newer version.",
    ],
    [
      "a database of somebody else's",
      (file) => database(file, "CREATE TABLE bookmarks (url TEXT)"),
      "is the database of something else.",
    ],
  ];
  it.each(WRONG)("leaves a file alone that is %s", async (_, make, words) => {
    const file = newFile();
    make(file);
    const before = readFileSync(file);
    await expect(inSqlite(file)).rejects.toThrow(`${file} ${words}`);
    expect(readFileSync(file).equals(before)).toBe(true);
    await expect(inSqlite(file)).rejects.toThrow(`${file} ${words}`);
  });

  it("says in a sentence that there can be no such file", async () => {
    writeFileSync(join(folder, "file"), "");
    for (const file of [folder, join(folder, "file", "x.sqlite")]) {
      await expect(inSqlite(file)).rejects.toThrow(`${file} cannot be opened: `);
    }
  });
});

describe("Redis", () => {
  it("that is not there, or is something else, is named in a sentence, without its password", async () => {
    const free = createServer();
    const port = await new Promise<number>((resolve) =>
      free.listen(0, "127.0.0.1", () => resolve((free.address() as AddressInfo).port)),
    );
    free.on("connection", (socket) =>
      socket
        .on("error", () => {})
        .resume()
        .end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    );
    const failed = (words: string) => `Redis does not answer at redis://127.0.0.1:${port}: ${words}`;
    await expect(inRedis(`redis://me:secret@127.0.0.1:${port}`)).rejects.toThrow(failed("Protocol error"));
    await new Promise((resolve) => free.close(resolve));
    await expect(inRedis(`redis://me:secret@127.0.0.1:${port}`)).rejects.toThrow(failed("connect ECONNREFUSED"));
  });

  it("frees a lease whose time has come", async () => {
    const { agents } = kept(await inRedis(redis.url));
    expect(await agents.lease!("short", "a", 50)).toBe(true);
    await expect.poll(() => agents.lease!("short", "b", 60_000)).toBe(true);
    expect(await agents.lease!("short", "a", 50)).toBe(false);
  });

  it("keeps what each replica knows of a canvas", async () => {
    const [one, two] = [kept(await inRedis(redis.url)), kept(await inRedis(redis.url))];
    const docs = Array.from({ length: 10 }, () => new Doc());
    docs.forEach((doc, each) => doc.getMap("m").set(`${each}`, each));
    await Promise.all(docs.map((doc, each) => [one, two][each % 2]!.canvases.keep("both", encodeStateAsUpdate(doc))));
    const all = new Doc();
    applyUpdate(all, (await one.canvases.load("both"))!);
    expect(all.getMap("m").size).toBe(10);
  });

  describe("that dies", () => {
    let mortal: TestRedis;
    let one: Store;
    let two: Store;
    beforeEach(async () => {
      mortal = await startRedis({ keeps: true });
      [one, two] = [kept(await inRedis(mortal.url)), kept(await inRedis(mortal.url))];
    });
    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
      await mortal.close();
    });

    it("fails what is asked meanwhile, and is there again when it is back", async () => {
      await one.agents.append("t", 1, "a", false);
      await mortal.kill();
      const asked = [
        () => one.agents.append("t", 2, "b", false),
        () => one.agents.read("t", 0),
        () => one.agents.agents!(),
        () => one.agents.lease!("t", "me", 1_000),
        () => one.agents.release!("t", "me"),
        () => one.canvases.load("t"),
        () => one.canvases.keep("t", Uint8Array.of(0, 0)),
      ];
      // And again, when it is known to be away.
      for (let times = 0; times < 2; times++) {
        const answers = await Promise.allSettled(asked.map((ask) => ask()));
        expect(answers.map(({ status }) => status)).toEqual(asked.map(() => "rejected"));
      }
      await mortal.start();
      await vi.waitFor(() => one.agents.read("t", 0));
      expect(await one.agents.append("t", 2, "b", false)).toBe(true);
      await expect.poll(() => two.agents.read("t", 1)).toEqual([{ at: 2, text: "b" }]);
    });

    it("tells followers what they missed, and what is new", async () => {
      let read: readonly { text: string }[] = [];
      two.agents.follow!("t", () => {
        two.agents.read("t", 0).then(
          (entries) => (read = entries),
          () => {},
        );
      });
      await one.agents.append("t", 1, "a", false);
      await expect.poll(() => read).toHaveLength(1);
      const admin = new Redis(mortal.url);
      // In one go, so that nobody can be there again before it is written.
      await admin
        .multi()
        .call("CLIENT", "KILL", "TYPE", "pubsub")
        .call("XADD", "headway:log:t", "2-0", "entry", "b", "by", "me")
        .exec();
      await expect.poll(() => read).toHaveLength(2);
      admin.disconnect();
      await mortal.kill();
      await mortal.start();
      await vi.waitFor(async () => expect(await one.agents.append("t", 3, "c", false)).toBe(true));
      await expect.poll(() => read).toHaveLength(3);
    });

    it("adds once what is sent again because the connection broke before the answer came", async () => {
      const wire = await wireTo(Number(new URL(mortal.url).port));
      const far = kept(await inRedis(`redis://127.0.0.1:${wire.port}`));
      wire.mute(true);
      const added = far.agents.append("t", 1, "a", false);
      await expect.poll(() => one.agents.read("t", 0)).toHaveLength(1);
      wire.mute(false);
      wire.cut();
      expect(await added).toBe(true);
      expect(await two.agents.read("t", 0)).toEqual([{ at: 1, text: "a" }]);
      // The same words by somebody else are others.
      expect(await one.agents.append("t", 1, "a", false)).toBe(false);
      await far.close();
      wire.close();
    });
  });
});

/** A wire to a port, on which answers can be lost and which can be cut. */
async function wireTo(target: number) {
  const ends = new Set<Socket>();
  let isMute = false;
  const wire = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    for (const end of [near, far]) ends.add(end.on("error", () => {}));
    near.on("data", (bytes) => far.write(bytes)).on("close", () => far.destroy());
    far.on("data", (bytes) => isMute || near.write(bytes)).on("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => wire.listen(0, "127.0.0.1", resolve));
  return {
    port: (wire.address() as AddressInfo).port,
    mute: (on: boolean) => void (isMute = on),
    cut: () => ends.forEach((end) => end.destroy()),
    close: () => void wire.close(),
  };
}
