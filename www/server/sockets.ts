/**
 * WebSockets: an agent's on `/api/agents/ID/react`, those of the shared canvases on `/api/canvases`. One bad frame is answered or costs its own
 * socket, never the service.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import type { Agents } from "./agents.ts";
import type { Canvases } from "./canvases.ts";
import { isLocalRequest } from "./local.ts";
import { frame, TEXT } from "./protocol.ts";

const MAX_FRAME = 1024 * 1024;
/** A page that was offline brings all that it has. */
const MAX_CANVAS_FRAME = 64 * 1024 * 1024;
const MAX_SOCKETS = 500;
/** A client that does not read is let go before its frames fill the memory; it gets a snapshot when it comes back. */
const MAX_WAITING = 128 * 1024 * 1024;

const GOING_AWAY = 1001;
const NORMAL = 1000;

export function serveSockets(server: Server, agents: Agents, canvases: Canvases): { close(): void } {
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
    sockets.handleUpgrade(request, socket, head, (client) =>
      id === undefined ? canvases.accept(client, request) : accept(client, decode(id), agents),
    );
  });
  return {
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

function accept(client: WebSocket, id: string, agents: Agents): void {
  client.on("error", () => client.terminate());
  const session = agents.open(id);
  if (!session) {
    client.send(frame.error(TEXT.notFound));
    client.close(NORMAL);
    return;
  }
  const listener = {
    send(text: string): void {
      if (client.readyState !== client.OPEN) return;
      if (client.bufferedAmount > MAX_WAITING) client.terminate();
      else client.send(text);
    },
  };
  client.on("close", () => session.leave(listener));
  client.on("message", (data, isBinary) => {
    if (isBinary) listener.send(frame.error(TEXT.badFormat));
    else session.receive(String(data), listener);
  });
  session.join(listener);
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
