/** Who looks at an agent, and how each of them wants to be told. */
import { HeadwayError } from "../error.js";
import type { Contents, Tell } from "./history.js";
import { DIALECTS, framesOf, type AgentDialect, type Snapshot } from "./words.js";

/** Where frames go: a socket, or anything else with a `send`. */
export interface AgentClient {
  send(frame: string): void;
}

/** How a client wants to be told. */
export interface JoinOptions {
  /** The words of the frames. Default `"D"`, which a client that knows C understands, too. */
  readonly dialect?: AgentDialect;
  /**
   * Which contents come with a step: all, as services in the wild tell them, or only those that are others than with the step before, which is all that a
   * Headway needs and a fraction of the bytes. Default `"all"`.
   */
  readonly contents?: Contents;
}

type Listener = Required<JoinOptions>;

export class Audience {
  readonly #clients = new Map<AgentClient, Listener>();
  readonly #snapshot: (contents: Contents) => Snapshot & ReturnType<Tell>;
  readonly #onError: (thrown: unknown) => void;

  constructor(snapshot: (contents: Contents) => Snapshot & ReturnType<Tell>, onError: (thrown: unknown) => void) {
    this.#snapshot = snapshot;
    this.#onError = onError;
  }

  get size(): number {
    return this.#clients.size;
  }

  /** A client that joins is told everything, and from then on all that is new. Gives what ends that. */
  join(client: AgentClient, { dialect = "D", contents = "all" }: JoinOptions): () => void {
    if (!DIALECTS.includes(dialect)) {
      throw new HeadwayError("invalid_argument", `"dialect" has to be one of ${DIALECTS.join(", ")}.`);
    }
    if (contents !== "all" && contents !== "changed") {
      throw new HeadwayError("invalid_argument", '"contents" has to be "all" or "changed".');
    }
    const listener = { dialect, contents };
    this.#clients.set(client, listener);
    for (const frame of this.#words(this.#snapshot, listener)) this.send(client, frame);
    return () => void this.#clients.delete(client);
  }

  /** The dialect of a client; that of who does not ask for one, when it is not here. */
  dialectOf(client: AgentClient): AgentDialect {
    return this.#clients.get(client)?.dialect ?? "D";
  }

  /** Tells everybody, in the words of each. */
  tell(tell: Tell): void {
    const said = new Map<string, readonly string[]>();
    for (const [client, listener] of [...this.#clients]) {
      const key = `${listener.dialect} ${listener.contents}`;
      const frames = said.get(key) ?? this.#words(tell, listener);
      said.set(key, frames);
      for (const frame of frames) this.send(client, frame);
    }
  }

  /** Tells one. Who cannot be told any more is told nothing more. */
  send(client: AgentClient, frame: string): void {
    try {
      client.send(frame);
    } catch (thrown) {
      this.#clients.delete(client);
      this.#onError(thrown);
    }
  }

  leave(): void {
    this.#clients.clear();
  }

  #words(tell: Tell, { dialect, contents }: Listener): readonly string[] {
    return framesOf(tell(contents), dialect, () => this.#snapshot(contents));
  }
}
