/** In one file, for one service: there after a restart, and after the machine was switched off. */
import type { Database } from "better-sqlite3";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "./store.ts";

/** The number of this layout, kept in `user_version`. */
const LAYOUT = 1;

const TABLES = `
  CREATE TABLE IF NOT EXISTS entry (agent TEXT NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (agent, at)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS canvas (name TEXT NOT NULL PRIMARY KEY, state BLOB NOT NULL) STRICT, WITHOUT ROWID;
`;

const MAX_CANVASES = 10_000;

/** Opens the file, or makes it. Rejects with a sentence that says what is wrong with it, and then nothing was changed. */
export async function inSqlite(file: string): Promise<Store> {
  const database = await opened(file);
  const read = database.prepare<[string, number], { at: number; text: string }>(
    "SELECT at, text FROM entry WHERE agent = ? AND at > ? ORDER BY at",
  );
  const last = database.prepare<[string], number>("SELECT max(at) FROM entry WHERE agent = ?").pluck();
  const forget = database.prepare<[string]>("DELETE FROM entry WHERE agent = ?");
  const insert = database.prepare<[string, number, string]>("INSERT INTO entry VALUES (?, ?, ?)");
  const agents = database.prepare<[], string>("SELECT DISTINCT agent FROM entry").pluck();
  const load = database.prepare<[string], Buffer>("SELECT state FROM canvas WHERE name = ?").pluck();
  const keep = database.prepare<[string, Uint8Array]>("INSERT OR REPLACE INTO canvas VALUES (?, ?)");
  const others = database.prepare<[string], number>("SELECT count(*) FROM canvas WHERE name <> ?").pluck();

  const append = database.transaction((agent: string, at: number, text: string, startsAnew: boolean): boolean => {
    if ((last.get(agent) ?? 0) !== at - 1) return false;
    if (startsAnew) forget.run(agent);
    insert.run(agent, at, text);
    return true;
  });
  return {
    agents: {
      read: async (agent, after) => read.all(agent, after),
      append: async (agent, at, text, startsAnew) => append.immediate(agent, at, text, startsAnew),
      agents: async () => agents.all(),
    },
    canvases: {
      load: async (name) => load.get(name),
      keep: async (name, state) => void keep.run(name, state),
      hasRoomFor: async (name) => (others.get(name) ?? 0) < MAX_CANVASES,
      extensions: [],
    },
    close: async () => void database.close(),
  };
}

async function opened(file: string): Promise<Database> {
  const { default: Sqlite } = await import("better-sqlite3").catch(() => {
    throw new Error("The npm package better-sqlite3 is not installed, or does not run here.");
  });
  let database: Database | undefined;
  try {
    if (file !== ":memory:") mkdirSync(dirname(file), { recursive: true });
    database = new Sqlite(file, { timeout: 1_000 });
    // Nobody else may write to it: what another service adds would not be seen here.
    database.pragma("locking_mode = EXCLUSIVE");
    // Looked at before anything is written, the mode of the journal included.
    check(database, file);
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.exec(TABLES);
    database.pragma(`user_version = ${LAYOUT}`);
    return database;
  } catch (error) {
    database?.close();
    const { code, message } = error as { code?: string; message: string };
    if (code?.startsWith("SQLITE_BUSY")) throw new Error(`${file} is in use by another workbench.`);
    if (code === "SQLITE_NOTADB") throw new Error(`${file} is no SQLite database.`);
    throw new Error(code === undefined ? message : `${file} cannot be opened: ${message}`);
  }
}

function check(database: Database, file: string): void {
  const layout = Number(database.pragma("user_version", { simple: true }));
  if (layout > LAYOUT) throw new Error(`${file} was written by a newer version.`);
  const tables = Number(database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get());
  if (layout === 0 && tables > 0) throw new Error(`${file} is the database of something else.`);
}
