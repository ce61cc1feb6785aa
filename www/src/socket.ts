/**
 * The socket between the page and the agent service. It comes back by itself; commands are never kept for later, since a
 * command that waits in a queue would be carried out on a history that nobody has looked at.
 */
import type { Headway } from "headway";
import ReconnectingWebSocket from "partysocket/ws";

export interface Connection {
  /** Puts one text frame on the wire, or throws when there is no wire. */
  send(text: string): void;
  /** Begins, once the engine is there. */
  attach(headway: Headway, afterFrame: () => void): void;
  close(): void;
}

const TICK_MS = 1_000;

export function connect(url: string): Connection {
  const socket = new ReconnectingWebSocket(url, [], {
    startClosed: true,
    maxEnqueuedMessages: 0,
    minReconnectionDelay: 300,
    maxReconnectionDelay: 5_000,
    reconnectionDelayGrowFactor: 1.6,
    connectionTimeout: 5_000,
  });
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    send(text) {
      if (socket.readyState !== WebSocket.OPEN) throw new Error("the connection is not open");
      socket.send(text);
    },
    attach(headway, afterFrame) {
      socket.addEventListener("open", () => headway.connected());
      socket.addEventListener("close", () => headway.disconnected());
      socket.addEventListener("message", ({ data }) => {
        if (typeof data !== "string") return;
        headway.receive(data);
        afterFrame();
      });
      const askAgain = resync(headway, socket);
      timer = setInterval(() => {
        headway.tick();
        askAgain();
      }, TICK_MS);
      socket.reconnect();
    },
    close() {
      clearInterval(timer);
      socket.close();
    },
  };
}

/**
 * When the history does not fit together, only a snapshot tells where HEAD is, and a new socket begins with one (R16).
 * Asks once for each HEAD: two that disagree for good would go on for ever.
 */
function resync(headway: Headway, socket: ReconnectingWebSocket): () => void {
  let askedFor: string | undefined;
  return () => {
    const { connection, agentState, diverged, path, headId } = headway.getView();
    if (!diverged && path.status === "ok") askedFor = undefined;
    else if (connection === "live" && agentState === "AVAILABLE" && askedFor !== headId) {
      askedFor = headId;
      socket.reconnect();
    }
  };
}
