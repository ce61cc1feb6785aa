/**
 * The shared canvases: one `Y.Doc` for each agent, between all pages that show it. They are kept, also while nobody looks.
 *
 * The protocol is Hocuspocus'; a page says in it which canvas it means, so that all of them share one address. Hocuspocus keeps what comes from
 * a page that it has not let in yet, however much, so that is counted here.
 */
import { Hocuspocus } from "@hocuspocus/server";
import { createDecoder, readVarString } from "lib0/decoding";
import type { IncomingMessage } from "node:http";
import type { RawData, WebSocket } from "ws";
import { applyUpdate, encodeStateAsUpdate, type Doc } from "yjs";
import type { CanvasStore } from "./stores/store.ts";

/** Canvases that are open at a time. */
const MAX_OPEN = 1_000;
/** What a page may send before it is let in. */
const MAX_BEFORE_BYTES = 1024 * 1024;
/** A page that does not read is let go before what it should read fills the memory; it gets all of it when it comes back. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024;
/** How often that is looked at, in ms. */
const LOOK_EVERY = 5_000;

/** How long to wait before a canvas is kept that could not be kept, in ms: at first, and at most. */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;

const POLICY_VIOLATION = 1008;

/** A page. */
interface Guest {
  /** The canvas that it shows, once it was let in. */
  name?: string;
}

export class Canvases {
  readonly #store: CanvasStore;
  readonly #clients = new Set<WebSocket>();
  #isClosing = false;
  readonly #timer = setInterval(() => {
    for (const client of this.#clients) if (client.bufferedAmount > MAX_WAITING_BYTES) client.terminate();
  }, LOOK_EVERY).unref();
  readonly #server: Hocuspocus;

  constructor(store: CanvasStore) {
    this.#store = store;
    this.#server = new Hocuspocus({
      quiet: true,
      // Pages come and go; what they wrote is kept as soon as the last one has gone.
      unloadImmediately: true,
      extensions: [...store.extensions],
      onConnect: async ({ documentName, context }) => {
        await this.#check(documentName);
        (context as { guest: Guest }).guest.name = documentName;
      },
      onLoadDocument: async ({ document, documentName }) => {
        const state = await store.load(documentName);
        if (state) applyUpdate(document, state);
      },
      onStoreDocument: ({ document, documentName }) => this.#keep(documentName, document),
    });
  }

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

  /** Lets everybody go. Resolves when what they wrote is kept. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    const open = [...this.#server.documents].map(([name, document]) => ({
      name,
      state: encodeStateAsUpdate(document),
    }));
    this.#server.closeConnections();
    const kept = await Promise.allSettled(open.map(({ name, state }) => this.#store.keep(name, state)));
    for (const each of kept) if (each.status === "rejected") console.error("A canvas could not be kept:", each.reason);
  }

  /** Sooner or later: as long as it is not kept it is not let go of either. */
  async #keep(name: string, document: Doc): Promise<void> {
    for (let wait = FIRST_WAIT; !this.#isClosing; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        return await this.#store.keep(name, encodeStateAsUpdate(document));
      } catch (error) {
        console.error(`Canvas ${name} could not be kept:`, error);
        await new Promise((resolve) => setTimeout(resolve, wait).unref());
      }
    }
  }

  async #check(name: string): Promise<void> {
    const { documents } = this.#server;
    const hasRoom = documents.has(name) || (documents.size < MAX_OPEN && (await this.#store.hasRoomFor(name)));
    if (/^[\w.-]{1,64}$/.test(name) && hasRoom) return;
    throw Object.assign(new Error("There is no such canvas"), { reason: "no-such-canvas" });
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
