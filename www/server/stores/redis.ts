/**
 * In Redis, for any number of services that serve the same agents and canvases. What Redis itself keeps over a restart is a matter of its configuration.
 *
 * The log of an agent is a stream, and the position of an entry the first half of its id. Each look at the end of a log and what is added there are one script, so
 * nobody comes in between.
 */
import { Redis as RedisExtension } from "@hocuspocus/extension-redis";
import type { onChangePayload } from "@hocuspocus/server";
import { Redis } from "ioredis";
import { randomUUID } from "node:crypto";
import { applyUpdate, Doc, encodeStateAsUpdate } from "yjs";
import type { Store } from "./store.ts";

const PREFIX = "headway:";
const AGENTS = `${PREFIX}agents`;
const NEWS = `${PREFIX}news`;
const logOf = (agent: string) => `${PREFIX}log:${agent}`;
const leaseOf = (name: string) => `${PREFIX}lease:${name}`;
const canvasOf = (name: string) => `${PREFIX}canvas:${name}`;

/**
 * An entry bears the mark of who added it: where the connection broke before the answer came, the script is sent again, and has to know that it was done already.
 */
const APPEND = `
  local last = redis.call("XREVRANGE", KEYS[1], "+", "-", "COUNT", 1)[1]
  local at = last and tonumber(string.match(last[1], "^%d+")) or 0
  if last and at == tonumber(ARGV[1]) and last[2][4] == ARGV[5] then return 1 end
  if at ~= tonumber(ARGV[1]) - 1 then return 0 end
  redis.call("XADD", KEYS[1], ARGV[1] .. "-0", "entry", ARGV[2], "by", ARGV[5])
  if ARGV[3] == "anew" then redis.call("XTRIM", KEYS[1], "MINID", ARGV[1] .. "-0") end
  redis.call("SADD", "${AGENTS}", ARGV[4])
  redis.call("PUBLISH", "${NEWS}", ARGV[4])
  return 1
`;
const LEASE = `
  local holder = redis.call("GET", KEYS[1])
  if holder and holder ~= ARGV[1] then return 0 end
  redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
  return 1
`;
const RELEASE = `
  if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end
`;
/** Puts a value where there is still the one that was read, or still none. */
const SWAP = `
  if redis.call("GET", KEYS[1]) ~= (ARGV[1] == "some" and ARGV[2]) then return 0 end
  redis.call("SET", KEYS[1], ARGV[3])
  return 1
`;

/** A command that finds no connection fails soon: who asked for it is told, and may ask again. */
const OPTIONS = {
  maxRetriesPerRequest: 1,
  commandTimeout: 5_000,
  connectTimeout: 5_000,
  retryStrategy: (times: number) => Math.min(50 * times, 500),
};

/** Connects with Redis. Rejects when nobody answers at the address. */
export async function inRedis(url: string): Promise<Store> {
  const redis = await connected(url);
  // Messages come on a connection of their own, which says nothing else.
  const subscriber = quiet(redis.duplicate({ ...PATIENT, autoResubscribe: false }));
  const followers = new Map<string, Set<() => void>>();
  const tell = (agent: string) => {
    for (const onNews of [...(followers.get(agent) ?? [])]) onNews();
  };
  const tellAll = () => [...followers.keys()].forEach(tell);
  subscriber.on("message", (_, agent: string) => tell(agent));
  // What was said while there was no connection nobody has heard; and who heard of it could not read.
  const listening = new Promise<void>((resolve) => {
    subscriber.on("ready", () => {
      subscriber.subscribe(NEWS).then(
        () => (resolve(), tellAll()),
        // The connection has gone again, and comes again.
        () => {},
      );
    });
  });
  redis.on("ready", tellAll);
  subscriber.connect().catch(() => {});
  const extension = new BetweenReplicas({
    createClient: () => quiet(new Canvases(url, PATIENT)),
    prefix: `${PREFIX}canvases`,
  });
  await Promise.all([listening, extension.isReady]);
  return {
    agents: {
      async read(agent, after) {
        const entries = await redis.xrange(logOf(agent), `(${after}-0`, "+");
        return entries.map(([id, fields]) => ({ at: Number.parseInt(id, 10), text: fields[1] ?? "" }));
      },
      async append(agent, at, text, startsAnew) {
        const args = [String(at), text, startsAnew ? "anew" : "", agent, randomUUID()];
        return (await redis.eval(APPEND, 1, logOf(agent), ...args)) === 1;
      },
      agents: () => redis.smembers(AGENTS),
      follow(agent, onNews) {
        const own = () => onNews();
        const all = followers.get(agent) ?? new Set();
        followers.set(agent, all.add(own));
        return () => {
          all.delete(own);
          if (all.size === 0 && followers.get(agent) === all) followers.delete(agent);
        };
      },
      lease: async (name, holder, ms) => (await redis.eval(LEASE, 1, leaseOf(name), holder, String(ms))) === 1,
      release: async (name, holder) => void (await redis.eval(RELEASE, 1, leaseOf(name), holder)),
    },
    canvases: {
      load: async (name) => (await redis.getBuffer(canvasOf(name))) ?? undefined,
      // Each replica brings what it knows; what another one has kept meanwhile stays.
      async keep(name, state) {
        for (;;) {
          const kept = await redis.getBuffer(canvasOf(name));
          const both = kept ? together(kept, state) : Buffer.from(state);
          const swap = [kept ? "some" : "none", kept ?? "", both];
          if ((await redis.eval(SWAP, 1, canvasOf(name), ...swap)) === 1) return;
        }
      },
      hasRoomFor: async () => true,
      extensions: [extension],
    },
    async close() {
      extension.disconnect();
      subscriber.disconnect();
      redis.disconnect();
    },
  };
}

/** Waits for the connection, however long that takes. */
const PATIENT = { ...OPTIONS, commandTimeout: undefined, maxRetriesPerRequest: null };

/** A connection on which canvases talk to each other. What cannot be said now is said when the connection is there again. */
class Canvases extends Redis {
  override async publish(channel: string | Buffer, message: string | Buffer): Promise<number> {
    return this.status === "ready" ? super.publish(channel, message).catch(() => 0) : 0;
  }
}

/**
 * What Hocuspocus has for several replicas, but for two things. There is no lock: a replica that does not get it would not keep what it alone knows; here all
 * of them keep, and what they keep is put together. And after a gap the replicas tell each other what they missed.
 */
class BetweenReplicas extends RedisExtension {
  readonly isReady: Promise<unknown>;

  constructor(configuration: ConstructorParameters<typeof RedisExtension>[0]) {
    super(configuration);
    const both = [this.pub, this.sub];
    this.isReady = Promise.all(both.map((each) => new Promise<void>((resolve) => each.once("ready", () => resolve()))));
    for (const each of both) each.on("ready", () => void this.#meet());
  }

  override async onStoreDocument(): Promise<void> {}
  override async afterStoreDocument(): Promise<void> {}

  disconnect(): void {
    this.pub.disconnect();
    this.sub.disconnect();
  }

  async #meet(): Promise<void> {
    try {
      // It is answered once what was listened to before is listened to again.
      await this.sub.ping();
    } catch {
      return;
    }
    for (const [documentName, document] of this.instance?.documents ?? []) {
      void this.onChange({ documentName, document } as onChangePayload);
    }
  }
}

function together(one: Uint8Array, other: Uint8Array): Buffer {
  const doc = new Doc();
  applyUpdate(doc, one);
  applyUpdate(doc, other);
  const both = Buffer.from(encodeStateAsUpdate(doc));
  doc.destroy();
  return both;
}

async function connected(url: string): Promise<Redis> {
  const redis = quiet(new Redis(url, { ...OPTIONS, lazyConnect: true }));
  let why: Error | undefined;
  redis.on("error", (error) => (why = error));
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (error) {
    redis.disconnect();
    const { protocol, host } = new URL(url);
    throw new Error(`Redis does not answer at ${protocol}//${host}: ${(why ?? (error as Error)).message}`);
  }
}

/** It comes back by itself; who asks meanwhile is told. */
function quiet<R extends Redis>(redis: R): R {
  redis.on("error", () => {});
  return redis;
}
