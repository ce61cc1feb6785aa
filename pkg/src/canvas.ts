/** The bound canvas, and what goes between it and the engine. There is one, or none. */
import { toConflicts, toReplayed, type Replayed } from "./edits.js";
import { HeadwayError, asHeadwayError, throwing } from "./error.js";
import type { Engine } from "./loader.js";
import { completed } from "./normalize.js";
import { checkBytes, checkFunction, type Checked } from "./options.js";
import type { HandedOver } from "./records.js";
import { documentSurface, plainSurface, type Surface } from "./surface.js";
import type { EngineDocument, PlainCanvas, ReplayPolicy } from "./types.js";

/** What it is part of. */
export interface Around {
  /** The engine; throws when it was freed. */
  live(): Engine;
  /** The same where callbacks may have freed it. */
  engine(): Engine | undefined;
  /** Does what the engine handed over. */
  do(handed: HandedOver): void;
  /** What waited for the canvas may go on. */
  goOn(): void;
  now(): number;
  readonly normalize: Checked["normalize"];
}

export class Canvas {
  readonly #around: Around;
  readonly #updates = new Set<(update: Uint8Array) => void>();
  #surface: Surface | undefined;

  constructor(around: Around) {
    this.#around = around;
  }

  get isBound(): boolean {
    return this.#surface !== undefined;
  }

  /** What nothing can be put on now, since somebody's transaction is open. */
  get busy(): Surface | undefined {
    return this.#surface?.isBusy() ? this.#surface : undefined;
  }

  /** What a plain canvas shows; of a document the engine knows it. */
  shown(): string {
    return this.#bound(this.#surface).shown();
  }

  /** What is on it, as JSON text. */
  text(): string {
    const engine = this.#around.live();
    return this.#bound(this.#surface).text(engine);
  }

  bindPlain(canvas: PlainCanvas): () => void {
    const isFunction = (value: unknown) => typeof value === "function";
    if (!isFunction(canvas?.read) || !(isFunction(canvas.apply) || isFunction(canvas.replace))) {
      throw new HeadwayError("invalid_argument", "A canvas needs the functions read and apply, or read and replace.");
    }
    // An object of its own, so that the same canvas can be bound again and only this binding ends.
    const surface = plainSurface(canvas);
    return this.#bind(surface, this.#around.live().bindCanvas(true) as HandedOver);
  }

  readonly document: EngineDocument = {
    open: (host) => {
      checkBytes("state", host.state);
      const surface = documentSurface(host, (update) => this.#updates.forEach((listener) => listener(update)));
      const open = () => this.#around.live().bindDocument(host.clientId, host.isUnified ?? false, host.state);
      return this.#bind(surface, throwing(open) as HandedOver);
    },
    applyUpdate: (update, isHere = false) => {
      checkBytes("update", update);
      this.#around.do(throwing(() => this.#around.live().applyUpdate(update, isHere)) as HandedOver);
    },
    stateVector: () => this.#bound(throwing(() => this.#around.live().stateVector())),
    encodeDiff: (stateVector) => this.#bound(throwing(() => this.#around.live().encodeDiff(stateVector))),
    onUpdate: (listener) => {
      checkFunction("listener", listener);
      const own = (update: Uint8Array) => listener(update);
      this.#updates.add(own);
      return () => void this.#updates.delete(own);
    },
  };

  /** Lets the engine decide about it, and does what it says. */
  look(): Replayed | undefined {
    const { engine } = this.#around;
    for (let text = engine()?.toNormalize(); text !== undefined; text = engine()?.toNormalize()) this.#complete(text);
    if (!this.#surface) return undefined;
    const { handed, isWritten } = this.#surface.look(engine, this.#around.now());
    // A callback may have freed it.
    if (engine()) for (const one of handed) this.#around.do(one);
    const told = handed.map((one) => typeof one === "object" && one.replayed).find((one) => typeof one === "string");
    return told ? toReplayed(told, isWritten) : undefined;
  }

  /** Makes a call that may need a content as the host completes it, and lets the host complete it (P15). */
  prepared<T>(call: () => T): T {
    for (;;) {
      try {
        return call();
      } catch (thrown) {
        const error = asHeadwayError(thrown);
        const isUnprepared = error instanceof HeadwayError && error.code === "unprepared";
        const text = isUnprepared ? this.#around.live().toNormalize() : undefined;
        if (text === undefined) throw error;
        const why = this.#complete(text);
        if (why !== undefined) throw new HeadwayError("normalize_failed", `\`normalize\` failed: ${why}`);
      }
    }
  }

  /**
   * Whether edits by hand are kept (P6); throws when they are to refuse the command and stand against it. `against` gives conflicts, or the code that the
   * command itself is refused with.
   */
  keeps(how: ReplayPolicy, against: () => string): boolean {
    if (how === "exact" || how === "keep") return how === "keep";
    if (how !== "refuse") throw new HeadwayError("invalid_argument", '"how" has to be "exact", "keep" or "refuse".');
    if (!this.#surface) return false;
    const answer = this.prepared(against);
    if (!answer.startsWith("[") || answer === "[]") return true;
    throw new HeadwayError(
      "manual_edits",
      "Edits made by hand on the canvas stand against it; keep them, overwrite them, or undo them first.",
      toConflicts(answer),
    );
  }

  /** The engine is gone. */
  freed(): void {
    this.#updates.clear();
    const surface = this.#surface;
    this.#surface = undefined;
    surface?.closed();
  }

  /** Lets the host complete a content. Gives why that failed. */
  #complete(text: string): string | undefined {
    const { handed, why } = completed(this.#around.normalize, text, this.#around.engine);
    this.#around.do(handed);
    return why;
  }

  #bound<T>(value: T | undefined): T {
    if (value !== undefined) return value;
    throw new HeadwayError("canvas_unbound", "No canvas is bound; call bindCanvas or bindYjs first.");
  }

  /** Puts another surface in place of the one that was bound. Gives what unbinds it. */
  #bind(surface: Surface, handed: HandedOver): () => void {
    const before = this.#surface;
    this.#surface = surface;
    before?.closed();
    this.#around.do(handed);
    return () => {
      if (this.#surface !== surface) return;
      this.#surface = undefined;
      surface.closed();
      const engine = this.#around.engine();
      if (engine) this.#around.do(engine.bindCanvas(false) as HandedOver);
      // What waited for the end of somebody's transaction waits no longer.
      this.#around.goOn();
    };
  }
}
