/**
 * The shared canvases: one `Y.Doc` for each agent, between all pages that show it. They are kept in memory, also while nobody looks.
 *
 * The protocol is Hocuspocus'; a page says in it which canvas it means, so that all of them share one address. Hocuspocus keeps what comes from
 * a page that it has not let in yet, however much, so that is counted here.
 */
import { Hocuspocus } from "@hocuspocus/server";
import { createDecoder, readVarString } from "lib0/decoding";
import type { IncomingMessage } from "node:http";
import type { RawData, WebSocket } from "ws";
import { applyUpdate, encodeStateAsUpdate } from "yjs";

const MAX_CANVASES = 1_000;
/** What is kept of all of them together; a canvas that does not fit is not kept once nobody looks at it. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/** What a page may send before it is let in. */
const MAX_BEFORE_BYTES = 1024 * 1024;
/** A page that does not read is let go before what it should read fills the memory; it gets all of it when it comes back. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024;
/** How often that is looked at, in ms. */
const LOOK_EVERY = 5_000;

const POLICY_VIOLATION = 1008;

/** A page. */
interface Guest {
  /** The canvas that it shows, once it was let in. */
  name?: string;
}

export class Canvases {
  /** The canvases that nobody has open. */
  readonly #kept = new Map<string, Uint8Array>();
  #keptBytes = 0;
  readonly #clients = new Set<WebSocket>();
  readonly #timer = setInterval(() => {
    for (const client of this.#clients) if (client.bufferedAmount > MAX_WAITING_BYTES) client.terminate();
  }, LOOK_EVERY).unref();
  readonly #server = new Hocuspocus({
    quiet: true,
    // Pages come and go; what they wrote is kept as soon as the last one has gone.
    unloadImmediately: true,
    onConnect: async ({ documentName, context }) => {
      this.#check(documentName);
      (context as { guest: Guest }).guest.name = documentName;
    },
    onLoadDocument: async ({ document, documentName }) => {
      const state = this.#kept.get(documentName);
      if (!state) return;
      applyUpdate(document, state);
    },
    onStoreDocument: async ({ document, documentName }) => this.#keep(documentName, encodeStateAsUpdate(document)),
  });

  /** A page opened a socket. */
  accept(client: WebSocket, request: IncomingMessage): void {
    const guest: Guest = {};
    let before = 0;
    this.#clients.add(client);
    client.on("close", () => this.#clients.delete(client));
    client.on("error", () => client.terminate());
    client.on("message", (data: RawData) => {
      const name = nameIn(data);
      if (guest.name === undefined) before += (data as Buffer).byteLength;
      // One canvas for each page, and none by a name that is something else in JavaScript.
      const isOther = name === undefined || name in {} || (guest.name !== undefined && name !== guest.name);
      if (isOther || before > MAX_BEFORE_BYTES) client.close(POLICY_VIOLATION, "This is no page of a canvas");
    });
    this.#server.handleConnection(client, request, { guest });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#server.closeConnections();
  }

  #check(name: string): void {
    const isKnown = this.#kept.has(name) || this.#server.documents.has(name);
    const all = new Set([...this.#kept.keys(), ...this.#server.documents.keys()]);
    if (/^[\w.-]{1,64}$/.test(name) && (isKnown || all.size < MAX_CANVASES)) return;
    throw Object.assign(new Error("There is no such canvas"), { reason: "no-such-canvas" });
  }

  /** What does not fit is forgotten: what was kept earlier is not what the canvas shows. */
  #keep(name: string, state: Uint8Array): void {
    this.#keptBytes -= this.#kept.get(name)?.byteLength ?? 0;
    this.#kept.delete(name);
    if (this.#keptBytes + state.byteLength > MAX_KEPT_BYTES) return;
    this.#kept.set(name, state);
    this.#keptBytes += state.byteLength;
  }
}

/** The canvas that a frame is about. */
function nameIn(data: RawData): string | undefined {
  try {
    return readVarString(createDecoder(new Uint8Array(data as Buffer)));
  } catch {
    return undefined;
  }
}
