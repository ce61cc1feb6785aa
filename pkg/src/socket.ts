/**
 * `headway/socket`: the wire between a Headway and its server, for browsers and Node.js.
 *
 * It comes back by itself, at growing distances and not all pages at the same moment. Each new socket begins with a snapshot, from which the
 * engine learns what happened meanwhile (R6), so a doubtful socket is not mended but replaced: after sleep, when the network is back, and
 * where the history does not fit together (R16). A command is never kept for later: it would be carried out on a history that
 * nobody has looked at.
 */
import ReconnectingWebSocket from "partysocket/ws";
import { HeadwayError } from "./error.js";
import type { Headway } from "./headway.js";
import { guarded } from "./surface.js";

/** How to connect. Everything is optional. */
export interface ConnectOptions {
  /** The class to make sockets with, where there is none of the runtime's own: `ws` in Node.js 20. */
  readonly WebSocket?: unknown;
  /** How long to wait before another try, in ms: at least, at most, and how much longer each time. Default 500, 10,000 and 1.7. */
  readonly backoff?: { readonly min?: number; readonly max?: number; readonly factor?: number };
  /** How often `headway.tick()` is called, in ms. Default 1,000. */
  readonly tickEvery?: number;
  /** A gap between two ticks that means that the machine slept, in ms. Default 60,000. */
  readonly sleep?: number;
}

/** A wire. */
export interface Connection {
  /** Ends it for good. */
  close(): void;
  /** Opens another socket now. */
  reconnect(): void;
}

/** So long may a socket take to open, in ms. */
const OPENING_MS = 10_000;

/**
 * Connects a Headway with its server: `url` is that of the agent, `ws(s)://HOST/api/agents/ID/react`, or gives it anew for each socket (a fresh token).
 * Throws `invalid_argument`.
 */
export function connect(
  headway: Headway,
  url: string | (() => string | Promise<string>),
  options: ConnectOptions = {},
): Connection {
  const { backoff = {}, tickEvery = 1_000, sleep = 60_000 } = options;
  const { min = 500, max = 10_000, factor = 1.7 } = backoff;
  for (const [name, value] of Object.entries({ min, max, factor, tickEvery, sleep })) {
    if (typeof value === "number" && Number.isFinite(value) && value > 0) continue;
    throw new HeadwayError("invalid_argument", `"${name}" has to be a number above 0.`);
  }
  if (typeof url !== "function" && !(typeof url === "string" && /^wss?:/.test(url))) {
    throw new HeadwayError(
      "invalid_argument",
      '"url" has to begin with ws: or wss:, or to be a function that gives such a text.',
    );
  }
  const Socket = options.WebSocket ?? globalThis.WebSocket;
  if (typeof Socket !== "function") {
    throw new HeadwayError("invalid_argument", "There is no WebSocket here; hand in a class such as that of `ws`.");
  }

  const socket = new ReconnectingWebSocket(typeof url === "string" ? url : async () => url(), [], {
    WebSocket: Socket,
    startClosed: true,
    maxEnqueuedMessages: 0,
    // A server that comes back is not asked by everybody at the same moment.
    minReconnectionDelay: min * (0.5 + Math.random()),
    maxReconnectionDelay: max,
    reconnectionDelayGrowFactor: factor,
    connectionTimeout: OPENING_MS,
  });
  const stopSending = headway.sendThrough((text) => {
    if (socket.readyState !== ReconnectingWebSocket.OPEN) throw new Error("the connection is not open");
    socket.send(text);
  });
  /** What the socket tells must not throw into the socket. A Headway that was freed needs none. */
  const tell = (call: () => void) =>
    guarded(() => {
      try {
        call();
      } catch (thrown) {
        if (!(thrown instanceof HeadwayError) || thrown.code !== "freed") throw thrown;
        close();
      }
    });
  const resync = () => {
    if (headway.getView().needsResync) socket.reconnect();
  };
  socket.addEventListener("open", () => tell(() => headway.connected()));
  socket.addEventListener("close", () => tell(() => headway.disconnected()));
  socket.addEventListener("message", ({ data }: { readonly data: unknown }) => {
    if (typeof data !== "string") return;
    tell(() => {
      headway.receive(data);
      resync();
    });
  });

  let last = Date.now();
  const beat = () => {
    const gap = Date.now() - last;
    last = Date.now();
    // Whatever slept with us may have been given up at the other end, and nobody would say so.
    if (gap > sleep) socket.reconnect();
    tell(() => headway.tick());
  };
  const timer = setInterval(beat, tickEvery);
  const stops = [
    () => clearInterval(timer),
    on("online", () => socket.reconnect()),
    on("offline", () => socket.reconnect()),
    // Timers of a hidden page hardly run.
    on("visibilitychange", () => globalThis.document?.visibilityState === "visible" && beat(), globalThis.document),
    stopSending,
  ];
  let isClosed = false;
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    for (const stop of stops) stop();
    socket.close();
  };
  socket.reconnect();
  return {
    close,
    reconnect: () => {
      if (!isClosed) socket.reconnect();
    },
  };
}

/** Listens to the page, where there is one. Gives what ends it. */
function on(event: string, listener: () => void, target: EventTarget | undefined = globalThis.window): () => void {
  target?.addEventListener(event, listener);
  return () => target?.removeEventListener(event, listener);
}
