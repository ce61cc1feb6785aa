/**
 * What there is to do, one thing at a time and in order. What a thing leads to is queued behind it, so nothing runs inside of anything else.
 */

/** Something that has to come to rest before the next thing can be done. */
export interface Blocker {
  /** Calls `run` once it has. */
  whenIdle(run: () => void): void;
}

/** What the queue is told when it is made. */
export interface Work<T> {
  /** Does one thing. */
  act(todo: T): void;
  /** What a thing has to wait for; what comes behind it waits, too, so that answers keep their order. */
  blocker(todo: T): Blocker | undefined;
  /** Called when there is nothing left to do. Tells whether that may have led to something. */
  atRest(): boolean;
}

export class Queue<T> {
  readonly #work: Work<T>;
  readonly #todo: T[] = [];
  #isWorking = false;
  #isWaiting = false;

  constructor(work: Work<T>) {
    this.#work = work;
  }

  /** Does a thing, now or when its turn comes. */
  add(todo: T): void {
    this.#todo.push(todo);
    this.goOn();
  }

  /** Looks again whether something can be done. */
  goOn(): void {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      while (this.#next());
    } finally {
      this.#isWorking = false;
    }
  }

  /** Forgets what there was to do. */
  clear(): void {
    this.#todo.length = 0;
  }

  #next(): boolean {
    const [todo] = this.#todo;
    if (todo === undefined) return this.#work.atRest();
    const blocker = this.#work.blocker(todo);
    if (blocker) {
      this.#wait(blocker);
      return false;
    }
    this.#todo.shift();
    this.#work.act(todo);
    return true;
  }

  #wait(blocker: Blocker): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    blocker.whenIdle(() => {
      this.#isWaiting = false;
      this.goOn();
    });
  }
}
