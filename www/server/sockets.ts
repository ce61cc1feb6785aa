/**
 * WebSockets: an agent's on `/api/agents/ID/react`, those of the shared canvases on `/api/canvases`. One bad frame is answered or costs its own
 * socket, never the service.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { DIALECTS, errorFrame, type AgentSession, type JoinOptions } from "headway/agent";
import { WebSocketServer, type WebSocket } from "ws";
import type { Agents } from "./agents.ts";
import type { Canvases } from "./canvases.ts";
import { isLocalRequest } from "./local.ts";

const MAX_FRAME = 1024 * 1024;
/** A page that was offline brings all that it has. */
const MAX_CANVAS_FRAME = 64 * 1024 * 1024;
const MAX_SOCKETS = 500;
/** A client that does not read is let go before its frames fill the memory; it gets a snapshot when it comes back. */
const MAX_WAITING = 128 * 1024 * 1024;

const GOING_AWAY = 1001;
const NORMAL = 1000;
const UNEXPECTED = 1011;

export function serveSockets(server: Server, agents: Agents, canvases: Canvases): { cut(): void; close(): void } {
  const toAgents = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME });
  const toCanvases = new WebSocketServer({ noServer: true, maxPayload: MAX_CANVAS_FRAME });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const path = (request.url ?? "").replace(/\?.*$/, "");
    const id = /^\/api\/agents\/([^/]+)\/react$/.exec(path)?.[1];
    if (id === undefined && path !== "/api/canvases") return refuse(socket, "404 Not Found");
    // Any web page may open a socket to this machine; only pages of this machine are answered.
    if (!isLocalRequest(request)) return refuse(socket, "403 Forbidden");
    const sockets = id === undefined ? toCanvases : toAgents;
    if (sockets.clients.size >= MAX_SOCKETS) return refuse(socket, "503 Service Unavailable");
    sockets.handleUpgrade(request, socket, head, (client) => {
      if (id === undefined) return canvases.accept(client, request);
      accept(client, decode(id), wishes(request.url), agents).catch((error: unknown) => {
        console.error(`A socket of agent ${id}:`, error);
        client.terminate();
      });
    });
  });
  return {
    /** Without a word, as when the process dies. */
    cut() {
      for (const client of [...toAgents.clients, ...toCanvases.clients]) client.terminate();
    },
    close() {
      for (const client of [...toAgents.clients, ...toCanvases.clients]) {
        client.close(GOING_AWAY, "The service is shutting down");
        // Who does not say goodbye in time is not waited for.
        setTimeout(() => client.terminate(), 300).unref();
      }
      toAgents.close();
      toCanvases.close();
    },
  };
}

/**
 * A socket of an agent. `?dialect=A|A'|B|C|D` says in which words it wants to be told, `?contents=changed` that it does not need a content twice.
 */
async function accept(client: WebSocket, id: string, how: JoinOptions, agents: Agents): Promise<void> {
  client.on("error", () => client.terminate());
  // What it says before it is let in waits in the socket.
  client.pause();
  let session: AgentSession | undefined;
  try {
    session = await agents.open(id);
  } catch (error) {
    console.error(`Agent ${id}:`, error);
    client.resume();
    return client.close(UNEXPECTED, "The history of this agent cannot be read");
  }
  if (client.readyState !== client.OPEN) return;
  if (!session) {
    client.send(errorFrame("Agent not found", "agent_not_found", how.dialect ?? "D"));
    client.resume();
    return client.close(NORMAL);
  }
  const listener = {
    send(text: string): void {
      if (client.readyState !== client.OPEN) return;
      if (client.bufferedAmount > MAX_WAITING) client.terminate();
      else client.send(text);
    },
  };
  client.on("close", session.join(listener, how));
  let pending = 0;
  client.on("message", (data, isBinary) => {
    // Who sends more than can be decided waits. What has been read already still comes.
    pending += 1;
    client.pause();
    void session.receive(isBinary ? BINARY : String(data), listener).finally(() => {
      pending -= 1;
      if (pending === 0) client.resume();
    });
  });
  client.resume();
}

/** What a binary frame counts as: something that is no command. */
const BINARY = "";

/** How a client wants to be told, as its address says. What it says wrongly counts as not said. */
function wishes(url: string | undefined): JoinOptions {
  const query = new URLSearchParams(/\?(.*)$/s.exec(url ?? "")?.[1]);
  const dialect = DIALECTS.find((each) => each === query.get("dialect"));
  return { ...(dialect && { dialect }), contents: query.get("contents") === "changed" ? "changed" : "all" };
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
