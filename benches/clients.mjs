// Clients that keep a history in JavaScript, to be measured beside. Each takes in the text of the same frames and gives the
// visible steps, oldest first.
import { MessageRepository } from "@assistant-ui/core/internal";

/** The parents of a step and the step itself, each put in front of those below it: the way of Texera's client in 2026. */
export function unshifted(byId, headId) {
  const visible = [];
  for (let step = byId.get(headId); step; step = byId.get(step.parentId)) visible.unshift(step);
  return visible;
}

/** The same without its square: collected from below, then turned round. */
export function reversed(byId, headId) {
  const visible = [];
  for (let step = byId.get(headId); step; step = byId.get(step.parentId)) visible.push(step);
  return visible.reverse();
}

/** A Map of steps, and the visible ones found anew for everything that happens. */
export class MapClient {
  #steps = [];
  #byId = new Map();
  #walk;
  visible = [];

  constructor(walk) {
    this.#walk = walk;
  }

  snapshot(text) {
    this.take(JSON.parse(text));
  }

  /** What is parsed already. */
  take({ steps, headId }) {
    this.#steps = steps;
    this.#byId = new Map(steps.map((step) => [step.id, step]));
    this.visible = this.#walk(this.#byId, headId);
  }

  headChange(text) {
    this.visible = this.#walk(this.#byId, JSON.parse(text).headId);
  }

  /** A copy of all steps, as a store has it whose states are never written to, and the visible ones twice: for the list, and for its turns. */
  step(text) {
    const { step } = JSON.parse(text);
    this.#steps = [...this.#steps, step];
    this.#byId.set(step.id, step);
    for (let reader = 0; reader < 2; reader++) this.visible = this.#walk(this.#byId, step.id);
  }
}

/** assistant-ui's tree of messages. A step is the message as it is: it looks at the id, and whether it is optimistic. */
export class RepositoryClient {
  #repository = new MessageRepository();

  get visible() {
    return this.#repository.getMessages();
  }

  snapshot(text) {
    this.take(JSON.parse(text));
  }

  take({ steps, headId }) {
    const messages = steps.map((step) => ({
      message: step,
      parentId: step.parentId === "step-initial" ? null : step.parentId,
    }));
    this.#repository.import({ headId, messages });
  }

  headChange(text) {
    this.#repository.switchToBranch(JSON.parse(text).headId);
  }
}
