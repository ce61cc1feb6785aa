import { HocuspocusProvider, HocuspocusProviderWebsocket } from "@hocuspocus/provider";
import { vi } from "vitest";
import { WebSocket } from "ws";
import * as Y from "yjs";

/** A page that shows a canvas. */
export class CanvasPage {
  readonly doc = new Y.Doc();
  readonly #socket: HocuspocusProviderWebsocket;
  readonly #provider: HocuspocusProvider;
  readonly opened: Promise<void>;

  /** `address`: `ws://HOST/api/canvases`. */
  constructor(address: string, name: string) {
    this.#socket = new HocuspocusProviderWebsocket({ url: address, WebSocketPolyfill: WebSocket });
    this.#provider = new HocuspocusProvider({ websocketProvider: this.#socket, name, document: this.doc });
    this.opened = new Promise((resolve, reject) => {
      this.#provider.on("synced", () => resolve());
      this.#provider.on("authenticationFailed", ({ reason }: { reason: string }) => reject(new Error(reason)));
    });
    this.#provider.attach();
  }

  get map(): Y.Map<unknown> {
    return this.doc.getMap("operatorIDMap");
  }

  /** Everything written here has come to the service. */
  async told(): Promise<void> {
    await vi.waitUntil(() => this.#provider.unsyncedChanges === 0);
  }

  close(): void {
    this.#provider.destroy();
    this.#socket.destroy();
  }
}
