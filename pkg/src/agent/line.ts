/** One thing after the other: what is being done comes before what was asked for later. */

export class Line {
  #last: Promise<unknown> = Promise.resolve();
  readonly #waiting = new Set<string>();
  readonly #before: () => void;
  readonly #after: () => void;

  /** `before` is called before each thing, which is not done when it throws; `after` after each, whatever became of it. */
  constructor(before: () => void, after: () => void) {
    this.#before = before;
    this.#after = after;
  }

  /** Does it when everything that was asked for earlier is done. */
  do<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      this.#before();
      try {
        return await act();
      } finally {
        this.#after();
      }
    });
    this.#last = done.catch(() => {});
    return done;
  }

  /** The same for what is asked for again and again: nothing, when it waits in line already. */
  doOnce(what: string, act: () => Promise<unknown>): Promise<unknown> | undefined {
    if (this.#waiting.has(what)) return undefined;
    this.#waiting.add(what);
    const forget = () => this.#waiting.delete(what);
    const done = this.do(() => {
      forget();
      return act();
    });
    // It may not have come to its turn.
    done.catch(forget);
    return done;
  }

  /** Resolves when all that was asked for so far is done. */
  async atRest(): Promise<void> {
    await this.#last;
  }
}
