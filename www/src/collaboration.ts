/** Shares a canvas with everybody who has the same agent's page open: what is on it, who is there, and what each has selected. */
import { HocuspocusProvider, HocuspocusProviderWebsocket } from "@hocuspocus/provider";
import type { Doc } from "yjs";

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly colour: string;
  /** What this person has selected on the canvas. */
  readonly selected: readonly string[];
}

export interface CollaborationState {
  /** `waiting` until the first exchange; `offline` when edits stay here until the connection is back; `alone` when the service refuses to share it. */
  readonly status: "waiting" | "shared" | "offline" | "alone";
  readonly me: Person;
  readonly others: readonly Person[];
}

/** Told apart at a glance, on a light ground and on a dark one. */
const COLOURS: readonly (readonly [name: string, colour: string])[] = [
  ["Violet", "#8b5cf6"],
  ["Teal", "#0d9488"],
  ["Amber", "#d97706"],
  ["Rose", "#e11d48"],
  ["Sky", "#0284c7"],
  ["Moss", "#4d7c0f"],
  ["Plum", "#a21caf"],
  ["Slate", "#64748b"],
];

export class Collaboration {
  /** Settles when the canvas has what the service has, or it takes too long to find out. */
  readonly ready: Promise<void>;
  readonly #provider: HocuspocusProvider;
  readonly #listeners = new Set<() => void>();
  #state: CollaborationState;

  constructor(url: string, name: string, doc: Doc, patience = 3_000) {
    const websocketProvider = new HocuspocusProviderWebsocket({
      url,
      delay: 300,
      minDelay: 300,
      maxDelay: 5_000,
      factor: 1.6,
    });
    const [colourName, colour] = COLOURS[doc.clientID % COLOURS.length] ?? ["Someone", "#64748b"];
    this.#state = {
      status: "waiting",
      me: { id: doc.clientID, name: colourName, colour, selected: [] },
      others: [],
    };
    this.#provider = new HocuspocusProvider({ websocketProvider, name, document: doc });
    this.ready = new Promise((resolve) => {
      const timer = setTimeout(resolve, patience);
      this.#provider.on("synced", () => {
        clearTimeout(timer);
        this.#set({ status: "shared" });
        resolve();
      });
    });
    this.#provider.on("authenticationFailed", () => {
      this.#set({ status: "alone" });
      websocketProvider.disconnect();
    });
    this.#provider.on("close", () => this.#state.status !== "alone" && this.#set({ status: "offline" }));
    this.#provider.on("awarenessChange", ({ states }: { states: readonly (object & { clientId: number })[] }) => {
      const people = states.filter(({ clientId }) => clientId !== doc.clientID).map(person);
      this.#set({ others: people.filter((one) => one !== undefined).sort((a, b) => a.id - b.id) });
      this.#giveWay();
    });
    this.#provider.attach();
    this.#tell();
  }

  /** Whether it is known what is on the canvas: it was exchanged, or there is nobody to exchange it with. */
  get isSettled(): boolean {
    return this.#state.status === "shared" || this.#state.status === "alone";
  }

  /** The person who selected something, if it is somebody else. */
  holderOf = (id: string): Person | undefined => this.#state.others.find(({ selected }) => selected.includes(id));

  select(ids: readonly string[]): void {
    if (ids.join(" ") === this.#state.me.selected.join(" ")) return;
    this.#set({ me: { ...this.#state.me, selected: ids } });
    this.#tell();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  getState = (): CollaborationState => this.#state;

  /** Of two people with one colour, the one who has the higher id takes a free one. */
  #giveWay(): void {
    const { me, others } = this.#state;
    if (!others.some(({ id, name }) => name === me.name && id < me.id)) return;
    const free = COLOURS.find(([name]) => !others.some((other) => other.name === name));
    if (!free) return;
    this.#set({ me: { ...me, name: free[0], colour: free[1] } });
    this.#tell();
  }

  #tell(): void {
    const { name, colour, selected } = this.#state.me;
    this.#provider.setAwarenessField("person", { name, colour, selected });
  }

  #set(change: Partial<CollaborationState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of [...this.#listeners]) listener();
  }
}

/** What another page says of its person; from outside, so nothing is taken for granted. */
function person(state: object & { clientId: number }): Person | undefined {
  const said = (state as { person?: Partial<Record<keyof Person, unknown>> }).person;
  const known = COLOURS.find(([name, colour]) => name === said?.name && colour === said.colour);
  if (!known || !Array.isArray(said?.selected)) return undefined;
  const selected = said.selected.filter((id): id is string => typeof id === "string");
  return { id: state.clientId, name: known[0], colour: known[1], selected };
}
