/**
 * In Redis, for any number of services that serve the same agents and canvases. What Redis itself keeps over a restart is a matter of its configuration.
 *
 * The log of an agent is a stream, and the position of an entry the first half of its id. Each look at the end of a log and what is added there are one script, so
 * nobody comes in between.
 */
import { Redis as RedisExtension } from "@hocuspocus/extension-redis";
import { Redis } from "ioredis";
import type { Store } from "./store.ts";

const PREFIX = "headway:";
const AGENTS = `${PREFIX}agents`;
const NEWS = `${PREFIX}news`;
const logOf = (agent: string) => `${PREFIX}log:${agent}`;
const leaseOf = (agent: string) => `${PREFIX}lease:${agent}`;
const canvasOf = (name: string) => `${PREFIX}canvas:${name}`;

const APPEND = `
  local last = redis.call("XREVRANGE", KEYS[1], "+", "-", "COUNT", 1)[1]
  local at = last and tonumber(string.match(last[1], "^%d+")) or 0
  if at ~= tonumber(ARGV[1]) - 1 then return 0 end
  redis.call("XADD", KEYS[1], ARGV[1] .. "-0", "entry", ARGV[2])
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

/** A command that finds no connection fails soon: who asked for it is told, and may ask again. */
const OPTIONS = { maxRetriesPerRequest: 1, commandTimeout: 5_000, connectTimeout: 5_000 };

/** Connects with Redis. Rejects when nobody answers at the address. */
export async function inRedis(url: string): Promise<Store> {
  const redis = await connected(url);
  // Messages come on a connection of their own, which says nothing else.
  const subscriber = redis.duplicate({ commandTimeout: undefined, maxRetriesPerRequest: null });
  quiet(subscriber);
  const followers = new Map<string, Set<() => void>>();
  const tell = (agent: string) => {
    for (const onNews of followers.get(agent) ?? []) onNews();
  };
  subscriber.on("message", (_, agent: string) => tell(agent));
  // What was said while there was no connection nobody has heard.
  subscriber.on("ready", () => [...followers.keys()].forEach(tell));
  await subscriber.subscribe(NEWS);

  const createClient = () => quiet(redis.duplicate({ commandTimeout: undefined }));
  const extension = new RedisExtension({ createClient, prefix: `${PREFIX}canvases` });
  return {
    agents: {
      async read(agent, after) {
        const entries = await redis.xrange(logOf(agent), `(${after}-0`, "+");
        return entries.map(([id, fields]) => ({ at: Number.parseInt(id, 10), text: fields[1] ?? "" }));
      },
      async append(agent, at, text, startsAnew) {
        const args = [String(at), text, startsAnew ? "anew" : "", agent];
        return (await redis.eval(APPEND, 1, logOf(agent), ...args)) === 1;
      },
      agents: () => redis.smembers(AGENTS),
      follow(agent, onNews) {
        const own = () => onNews();
        const all = followers.get(agent) ?? new Set();
        followers.set(agent, all.add(own));
        return () => {
          all.delete(own);
          if (all.size === 0) followers.delete(agent);
        };
      },
      lease: async (agent, holder, ms) => (await redis.eval(LEASE, 1, leaseOf(agent), holder, String(ms))) === 1,
      release: async (agent, holder) => void (await redis.eval(RELEASE, 1, leaseOf(agent), holder)),
    },
    canvases: {
      load: async (name) => (await redis.getBuffer(canvasOf(name))) ?? undefined,
      keep: async (name, state) => void (await redis.set(canvasOf(name), Buffer.from(state))),
      hasRoomFor: async () => true,
      extensions: [extension],
    },
    async close() {
      await extension.onDestroy();
      subscriber.disconnect();
      redis.disconnect();
    },
  };
}

async function connected(url: string): Promise<Redis> {
  const redis = quiet(new Redis(url, { ...OPTIONS, lazyConnect: true }));
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (error) {
    redis.disconnect();
    throw new Error(`Redis does not answer at ${url}: ${(error as Error).message}`);
  }
}

/** It comes back by itself; who asks meanwhile is told. */
function quiet(redis: Redis): Redis {
  redis.on("error", () => {});
  return redis;
}
