/** The whole service on one port: page, configuration, agents and shared canvases. `main.ts` runs it; so do the tests. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Agents } from "./agents.ts";
import { Canvases } from "./canvases.ts";
import { serveHttp } from "./http.ts";
import type { Options } from "./options.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { serveSockets } from "./sockets.ts";
import { inMemory } from "./stores/memory.ts";
import type { Store } from "./stores/store.ts";

export interface Service {
  /** `http://127.0.0.1:PORT/` */
  readonly url: string;
  /** As if the process had been killed and started again: connections break, runs end in the middle, and what was kept is read anew. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface ServiceOptions extends Options {
  /** The folder of the built page. */
  dist?: string;
  now?: () => number;
  /** Where what has to be there tomorrow is kept. Default: in memory. */
  store?: Store;
}

const FIRST_PORT = 4870;
const PORTS_TRIED = 100;
/** Only this machine: there is no login, and an agent does what it is told. */
const HOST = "127.0.0.1";

export async function startService(options: ServiceOptions): Promise<Service> {
  const { pace, now = Date.now, store = inMemory(), leaseFor } = options;
  const agents = new Agents({
    store: store.agents,
    agent: scriptedAgent({ pace, now }),
    now,
    ...(leaseFor !== undefined && { leaseFor }),
  });
  const dist = options.dist ?? fileURLToPath(new URL("../dist", import.meta.url));
  const canvases = new Canvases(store.canvases);
  const { agentUrl } = options;
  const server = createServer(serveHttp(agents, { dist, ...(agentUrl !== undefined && { agentUrl }) }));
  const sockets = serveSockets(server, agents, canvases);
  try {
    await listen(server, options.port);
  } catch (error) {
    await canvases.close();
    await store.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}/`,
    async restart() {
      agents.restart();
      sockets.cut();
    },
    async close() {
      // Who shows a page gets the end of a run before the socket goes.
      await agents.close();
      sockets.close();
      await canvases.close();
      await closed(server);
      await store.close();
    },
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 500).unref();
  });
}

/** A port that was asked for, or the first free one. */
async function listen(server: Server, port: number | undefined): Promise<void> {
  if (port !== undefined) return listenOn(server, port);
  for (let next = FIRST_PORT; next < FIRST_PORT + PORTS_TRIED; next += 1) {
    try {
      return await listenOn(server, next);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
  throw new Error(`No port from ${FIRST_PORT} to ${FIRST_PORT + PORTS_TRIED - 1} is free; set PORT.`);
}

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
