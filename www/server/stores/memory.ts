/** In memory: gone with the process. */
import { memoryStore } from "headway/agent";
import type { Store } from "./store.ts";

const MAX_CANVASES = 1_000;
/** What is kept of all of them together; a canvas that does not fit is not kept once nobody looks at it. */
const MAX_BYTES = 256 * 1024 * 1024;

export function inMemory(): Store {
  const kept = new Map<string, Uint8Array>();
  let bytes = 0;
  return {
    agents: memoryStore(),
    canvases: {
      load: async (name) => kept.get(name),
      // What does not fit is forgotten: what was kept earlier is not what the canvas shows.
      async keep(name, state) {
        bytes -= kept.get(name)?.byteLength ?? 0;
        kept.delete(name);
        if (bytes + state.byteLength > MAX_BYTES) return;
        kept.set(name, state);
        bytes += state.byteLength;
      },
      hasRoomFor: async (name) => kept.has(name) || kept.size < MAX_CANVASES,
      extensions: [],
    },
    close: async () => {},
  };
}
