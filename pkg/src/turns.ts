/**
 * Turns as JavaScript sees them: the same object for as long as nothing in it changes (T8).
 *
 * The engine tells a version for each turn, a number that names one state of it; records are fetched only for versions that
 * are new. Whether turns can be reverted is one answer for all of them.
 */
import type { Engine } from "../generated/headway.js";
import { freezeDeep } from "./freeze.js";
import type { TurnRecord } from "./records.js";
import type { Refusal, Turn } from "./types.js";

interface Made {
  readonly record: TurnRecord;
  readonly turn: Turn;
}

export class Turns {
  readonly #engine: Engine;
  #made = new Map<number, Made>();
  #list: readonly Turn[] = Object.freeze([]);

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The turns on the path, oldest first; the same array when they are all the same. */
  list(refusal: Refusal | undefined): readonly Turn[] {
    const versions = this.#engine.turnVersions();
    const positions: number[] = [];
    versions.forEach((version, at) => {
      if (!this.#made.has(version)) positions.push(at);
    });
    const fresh = positions.length > 0 ? (this.#engine.turnsAt(Uint32Array.from(positions)) as TurnRecord[]) : [];
    const canRevert: true | Refusal = refusal ?? true;
    const records = new Map(positions.map((at, index) => [at, fresh[index]!]));
    const made = new Map<number, Made>();
    const list = Array.from(versions, (version, at) => {
      const known = this.#made.get(version);
      const record = known?.record ?? records.get(at)!;
      const turn = known?.turn.canRevert === canRevert ? known.turn : freezeDeep<Turn>({ ...record, canRevert });
      made.set(version, { record, turn });
      return turn;
    });
    this.#made = made;
    const isSame = list.length === this.#list.length && list.every((turn, at) => turn === this.#list[at]);
    if (!isSame) this.#list = Object.freeze(list);
    return this.#list;
  }
}
