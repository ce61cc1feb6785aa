/**
 * Edits applied to a host's own entities: objects with an id, in order.
 *
 * As in the engine, each edit is true at its turn, and the first that does not fit refuses them all (P5). Unlike there, what an edit says
 * was there is not compared: a host's entities hold more than their content. That, an edit leaves as it is.
 */
import { HeadwayError } from "./error.js";
import type { Edit } from "./types.js";
import { changed, isObject, Misfit, own, replaced, type Change } from "./value.js";

/** What a host tells apart by id. */
export interface Entity {
  readonly id: string;
}

/** A collection of entities on a canvas. */
export interface EntityKind {
  /** Its key in the content. */
  readonly collection: string;
  /** Fields of an entity that are the user's (P11). What a content says about them is neither read nor written. */
  readonly ofTheUser: readonly string[];
}

/** An entity without the fields that are the user's. */
export function contentOf<E extends object>({ ofTheUser }: EntityKind, entity: E): E {
  const content = { ...entity };
  for (const field of ofTheUser) Reflect.deleteProperty(content, field);
  return content;
}

/**
 * The entities that the edits of a collection lead to. One that no edit changes is the same object; when no edit is about the collection,
 * so is the list. Throws `invalid_argument` when an edit does not fit, with its number and its place as the detail.
 */
export function edited<E extends Entity>(
  kind: EntityKind,
  edits: readonly Edit[],
  entities: readonly E[],
): readonly E[] {
  const { collection } = kind;
  checkList("edits", edits, "a list of edits, as a move's answer has it");
  checkList(collection, entities, `the ${collection} as they are on the canvas now`);
  let draft: Draft<E> | undefined;
  for (const [index, edit] of edits.entries()) {
    if (edit?.collection !== collection) continue;
    draft ??= new Draft(kind, entities);
    try {
      draft.apply(edit);
    } catch (thrown) {
      throw thrown instanceof Misfit ? doesNotFit(index, edit, thrown.message) : thrown;
    }
  }
  return draft?.done() ?? entities;
}

function checkList(name: string, value: unknown, what: string): void {
  if (!Array.isArray(value)) throw new HeadwayError("invalid_argument", `"${name}" has to be ${what}.`);
}

function doesNotFit(index: number, edit: Edit, reason: string): HeadwayError {
  const { collection } = edit;
  const id = "id" in edit ? edit.id : "";
  const path = "path" in edit ? edit.path : [];
  const place = [collection, ...(id === "" ? [] : [id]), ...path].map((step) => JSON.stringify(step)).join(" → ");
  return new HeadwayError(
    "invalid_argument",
    `Edit ${index} does not fit at ${place}: ${reason}. Apply edits to what the canvas showed when they were made, and only once.`,
    { index, collection, id, path },
  );
}

/** The entities in the making. */
class Draft<E extends Entity> {
  readonly #kind: EntityKind;
  #order: string[] = [];
  readonly #byId = new Map<string, E>();
  /** Those that went, with what their content was: one that comes back has kept the rest. */
  readonly #gone = new Map<string, { readonly entity: E; readonly value: unknown }>();

  constructor(kind: EntityKind, entities: readonly E[]) {
    this.#kind = kind;
    const { collection } = kind;
    for (const entity of entities) {
      const id: unknown = entity?.id;
      if (typeof id !== "string" || this.#byId.has(id)) {
        const what = typeof id === "string" ? `two of the ${collection} have the id "${id}"` : "one has no id";
        throw new HeadwayError("invalid_argument", `The ${collection} have to be told apart by their ids: ${what}.`);
      }
      this.#order.push(id);
      this.#byId.set(id, entity);
    }
  }

  done(): readonly E[] {
    return this.#order.map((id) => this.#byId.get(id)!);
  }

  apply(edit: Edit): void {
    switch (edit.kind) {
      case "add":
        return this.#add(edit.id, edit.at ?? this.#order.length, edit.value);
      case "remove":
        return this.#remove(edit.id, edit.at, edit.value);
      case "move":
        return this.#move(edit.id, edit.to);
      case "order":
        return this.#arrange(edit.order);
      case "set":
      case "unset":
        return edit.id === "" ? this.#changeAll(edit) : this.#change(edit);
      default:
        throw new Misfit(`there is no kind of edit "${String((edit as { kind: unknown }).kind)}"`);
    }
  }

  #add(id: string, at: number, value: unknown): void {
    if (this.#byId.has(id)) throw new Misfit("an entity of that id is there already");
    if (!(at >= 0 && at <= this.#order.length)) throw new Misfit("the entity does not have that place");
    const gone = this.#gone.get(id);
    const content = this.#content(value);
    this.#put(id, gone ? replaced(gone.entity, gone.value, content) : own(content));
    this.#order.splice(at, 0, id);
  }

  #remove(id: string, at: number | undefined, value: unknown): void {
    const entity = this.#get(id);
    const place = at !== undefined && this.#order[at] === id ? at : this.#order.indexOf(id);
    if (at !== undefined && place !== at) throw new Misfit("the entity does not have that place");
    this.#order.splice(place, 1);
    this.#byId.delete(id);
    this.#gone.set(id, { entity, value: this.#content(value) });
  }

  #change(edit: Edit & { kind: "set" | "unset" }): void {
    const entity = this.#get(edit.id);
    const { path, from } = edit;
    if (path.length > 0 && this.#kind.ofTheUser.includes(path[0] as string)) return;
    if (edit.kind === "unset") return this.#put(edit.id, changed(entity, path, { kind: "remove" }));
    const [before, to] = path.length === 0 ? [this.#content(from), this.#content(edit.to)] : [from, edit.to];
    const change: Change = from === undefined ? { kind: "insert", to } : { kind: "replace", from: before, to };
    this.#put(edit.id, changed(entity, path, change));
  }

  #move(id: string, to: { readonly x: number; readonly y: number }): void {
    const entity = this.#get(id);
    if (!("position" in entity)) throw new Misfit("nothing moves here");
    if (!(Number.isFinite(to.x) && Number.isFinite(to.y))) throw new Misfit("a position is two numbers");
    this.#put(id, { ...entity, position: { x: to.x, y: to.y } });
  }

  #arrange(order: readonly string[]): void {
    const isWhole = order.length === this.#order.length && new Set(order).size === order.length;
    if (!isWhole || !order.every((id) => this.#byId.has(id))) {
      throw new Misfit("the order does not name exactly what is there");
    }
    this.#order = [...order];
  }

  /** The key that the collection lies at comes or goes; on a canvas that is an empty list, before and after. */
  #changeAll(edit: Edit & { kind: "set" | "unset" }): void {
    const isEmpty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
    const to = edit.kind === "set" ? edit.to : undefined;
    if (edit.path.length > 0 || !isEmpty(edit.from) || !isEmpty(to)) {
      throw new Misfit(`these ${this.#kind.collection} cannot be told apart by their ids`);
    }
    if (this.#order.length > 0) throw new Misfit("there are entities at this key");
  }

  #get(id: string): E {
    const entity = this.#byId.get(id);
    if (entity === undefined) throw new Misfit("there is no such entity");
    return entity;
  }

  #content(value: unknown): unknown {
    return isObject(value) ? contentOf(this.#kind, value) : value;
  }

  #put(id: string, value: unknown): void {
    if (!isObject(value) || value["id"] !== id) throw new Misfit("the value has another id");
    // What an edit brings is as much a host's entity as the content that it comes from.
    this.#byId.set(id, value as unknown as E);
  }
}
