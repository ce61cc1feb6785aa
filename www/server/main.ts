/** `npm run serve`: the workbench and its agent service until Ctrl+C. */
import { startChaos } from "./chaos.ts";
import { readOptions, type CommandLine, type Keep } from "./options.ts";
import { startService, type Service } from "./service.ts";
import { inMemory } from "./stores/memory.ts";
import type { Store } from "./stores/store.ts";

try {
  const options = readOptions(process.env, process.argv.slice(2));
  const { url, close } = options.chaos === undefined ? await calm(options) : await chaotic(options, options.chaos);
  console.log(`Headway workbench: ${url}`);
  let closing = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // The second Ctrl+C means now.
      if (closing) process.exit(1);
      closing = true;
      void close().finally(() => process.exit(0));
    });
  }
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  console.error(code === "EADDRINUSE" ? `Port ${process.env.PORT} is taken; set PORT to another one.` : message);
  process.exitCode = 1;
}

async function calm(options: CommandLine): Promise<Pick<Service, "url" | "close">> {
  return startService({ ...options, store: await opened(options.keep) });
}

/** The service where nobody looks for it, and in front of it what makes a bad network of a good one. */
async function chaotic(options: CommandLine, seed: number): Promise<Pick<Service, "url" | "close">> {
  const service = await startService({ leaseFor: 1_000, ...options, port: 0, store: await opened(options.keep) });
  const target = Number(new URL(service.url).port);
  const restart = () => service.restart();
  const chaos = await startChaos({ seed, port: options.port ?? 0, target, restart }).catch(async (error: unknown) => {
    await service.close();
    throw error;
  });
  console.log(`Chaos, with seed ${seed}: connections break, and the service starts again now and then.`);
  return {
    url: chaos.url,
    async close() {
      await chaos.close();
      await service.close();
    },
  };
}

async function opened(keep: Keep): Promise<Store> {
  if (keep.in === "memory") return inMemory();
  if (keep.in === "redis") return (await import("./stores/redis.ts")).inRedis(keep.url);
  try {
    const store = await (await import("./stores/sqlite.ts")).inSqlite(keep.file);
    console.log(`Histories and canvases are kept in ${keep.file}`);
    return store;
  } catch (error) {
    if (keep.asked) throw error;
    console.warn(`${(error as Error).message} So everything is kept in memory, and gone with this process.`);
    return inMemory();
  }
}
