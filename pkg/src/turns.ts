/** Turns as JavaScript sees them: the same object for as long as nothing in it changes (T8). */
import type { Engine } from "../generated/headway.js";
import type { TurnRecord } from "./records.js";
import type { Turn } from "./types.js";

export class Turns {
  readonly #engine: Engine;
  #made = new Map<string, { key: string; turn: Turn }>();
  #list: readonly Turn[] = Object.freeze([]);

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The turns on the path, oldest first; the same array when they are all the same. */
  list(): readonly Turn[] {
    const made = new Map<string, { key: string; turn: Turn }>();
    const list = (this.#engine.turns() as readonly TurnRecord[]).map((record) => {
      const key = JSON.stringify(record);
      const old = this.#made.get(record.id);
      const entry = old?.key === key ? old : { key, turn: toTurn(record) };
      made.set(record.id, entry);
      return entry.turn;
    });
    this.#made = made;
    const isSame = list.length === this.#list.length && list.every((turn, at) => turn === this.#list[at]);
    if (!isSame) this.#list = Object.freeze(list);
    return this.#list;
  }
}

function toTurn(record: TurnRecord): Turn {
  const { refusal, ...fields } = record;
  return Object.freeze({ ...fields, branches: Object.freeze(fields.branches), canRevert: refusal ?? true });
}
