/**
 * The shared canvases: one `Y.Doc` for each agent, between all pages that show it. They are kept in memory, also while nobody looks.
 *
 * The protocol is Hocuspocus'; a page says in it which canvas it means, so that all of them share one address.
 */
import { Hocuspocus } from "@hocuspocus/server";
import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { applyUpdate, encodeStateAsUpdate } from "yjs";

const MAX_CANVASES = 1_000;
/** A canvas that has grown beyond this is not kept once nobody looks at it. */
const MAX_BYTES = 64 * 1024 * 1024;

export class Canvases {
  /** The canvases that nobody has open. */
  readonly #kept = new Map<string, Uint8Array>();
  readonly #server = new Hocuspocus({
    quiet: true,
    // Pages come and go; what they wrote is kept as soon as the last one has gone.
    unloadImmediately: true,
    onConnect: ({ documentName }) => this.#check(documentName),
    onLoadDocument: async ({ document, documentName }) => {
      const state = this.#kept.get(documentName);
      if (state) applyUpdate(document, state);
    },
    onStoreDocument: async ({ document, documentName }) => {
      const state = encodeStateAsUpdate(document);
      if (state.byteLength <= MAX_BYTES) this.#kept.set(documentName, state);
    },
  });

  /** A page opened a socket. */
  accept(client: WebSocket, request: IncomingMessage): void {
    client.on("error", () => client.terminate());
    this.#server.handleConnection(client, request);
  }

  close(): void {
    this.#server.closeConnections();
  }

  async #check(name: string): Promise<void> {
    const isKnown = this.#kept.has(name) || this.#server.documents.has(name);
    const hasRoom = this.#kept.size + this.#server.documents.size < MAX_CANVASES;
    if (!/^[\w.-]{1,64}$/.test(name) || !(isKnown || hasRoom)) throw new Error("There is no such canvas");
  }
}
