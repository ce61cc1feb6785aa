/**
 * A bad network and a bad host, on purpose: what runs in front of the service with `--chaos SEED`.
 *
 * It passes bytes on, late and in pieces, but each in its order and once, as TCP does. It lets connections of WebSockets go silent and cuts them, with whatever was
 * on its way, and now and then has the service start again. Which of it happens comes from the seed; when exactly is up to the clock.
 */
import { createServer, connect, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { seeded, type Random } from "./random.ts";

export interface ChaosOptions {
  readonly seed: number;
  /** Where to listen; 0 = any free port. */
  readonly port: number;
  /** Where the service is. */
  readonly target: number;
  /** Has the service start again. */
  readonly restart: () => Promise<void>;
  /** How often something may happen, in ms. Default 250. */
  readonly every?: number;
  /** How long a WebSocket may be silent before it is cut, in ms. Default 3,000. */
  readonly silence?: number;
}

export interface Chaos {
  readonly url: string;
  /** What it has done so far. */
  readonly done: Readonly<Record<"cut" | "silenced" | "restarted", number>>;
  /** From now on everything is passed on at once, and nothing happens any more. */
  calm(): void;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
/** Chances each time: that a WebSocket is cut, that it goes silent, that the service starts again. */
const CUT = 0.04;
const SILENCE = 0.02;
const RESTART = 0.02;
const MAX_DELAY = 60;

export async function startChaos({
  seed,
  port,
  target,
  restart,
  every = 250,
  silence = 3_000,
}: ChaosOptions): Promise<Chaos> {
  const random = seeded(seed);
  const links = new Set<Link>();
  const done = { cut: 0, silenced: 0, restarted: 0 };
  let isCalm = false;
  // Each direction ends for itself: what one side has said is passed on, though the other has nothing more to say.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const service = connect({ port: target, host: HOST, allowHalfOpen: true });
    const link = new Link(client, service, random, () => isCalm);
    links.add(link);
    client.on("close", () => links.delete(link));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });
  const timer = setInterval(() => {
    for (const link of [...links].filter(({ isWebSocket }) => isWebSocket)) {
      if (random() < CUT) {
        done.cut += 1;
        link.cut();
      } else if (random() < SILENCE) {
        done.silenced += 1;
        link.silence(random() * silence);
      }
    }
    if (random() < RESTART) {
      done.restarted += 1;
      void restart();
    }
  }, every);
  const calm = () => {
    isCalm = true;
    clearInterval(timer);
    // Who was silenced is not heard any more, so it is let go.
    for (const link of links) if (link.isSilent) link.cut();
  };
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}/`,
    done,
    calm,
    close() {
      calm();
      for (const link of links) link.cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A connection and what it leads to. */
class Link {
  isWebSocket = false;
  isSilent = false;
  readonly #client: Socket;
  readonly #service: Socket;

  constructor(client: Socket, service: Socket, random: Random, isCalm: () => boolean) {
    this.#client = client;
    this.#service = service;
    const delay = () => (this.isWebSocket && !isCalm() ? random() * MAX_DELAY : 0);
    for (const socket of [client, service]) {
      socket.setNoDelay(true);
      socket.on("error", () => this.cut());
    }
    client.once("data", (first) => (this.isWebSocket = /^Upgrade: websocket/im.test(String(first))));
    this.#pass(client, service, delay);
    this.#pass(service, client, delay);
  }

  cut(): void {
    this.#client.destroy();
    this.#service.destroy();
  }

  /** Nothing comes through any more, and after that the connection is cut. */
  silence(ms: number): void {
    if (this.isSilent) return;
    this.isSilent = true;
    setTimeout(() => this.cut(), ms).unref();
  }

  /** Passes bytes on, each piece when its time has come and those before it are through; and at last that there are no more. */
  #pass(from: Socket, to: Socket, delay: () => number): void {
    let last: Promise<void> = Promise.resolve();
    from.on("data", (piece) => {
      last = last.then(async () => {
        const ms = delay();
        if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
        if (!this.isSilent && to.writable) to.write(piece);
      });
    });
    from.on("end", () => void last.then(() => this.isSilent || to.end()));
  }
}
