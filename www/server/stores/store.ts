/** Where the service keeps what has to be there tomorrow: the histories of the agents, and the shared canvases. */
import type { Extension } from "@hocuspocus/server";
import type { AgentStore } from "headway/agent";

export interface Store {
  readonly agents: AgentStore;
  readonly canvases: CanvasStore;
  close(): Promise<void>;
}

/** Keeps what is on a canvas, as one update of yjs. */
export interface CanvasStore {
  load(name: string): Promise<Uint8Array | undefined>;
  keep(name: string, state: Uint8Array): Promise<void>;
  /** Whether there is room for one more. */
  hasRoomFor(name: string): Promise<boolean>;
  /** What Hocuspocus needs beside that to show one canvas in several processes. */
  readonly extensions: readonly Extension[];
}
