/**
 * @y/y 14 in the words of yjs 13.6, as far as the tests say them: they run once with each.
 *
 * 14 has one shared type for all. A map, a list or a text that is made here is that type, written as somebody writes it who has only 14.
 * What it is that comes out of a document is told by what is in it, unless yjs 13 or Headway made it, which say so.
 */
import * as Y from "@y/y";

export { applyUpdate, createAbsolutePositionFromRelativePosition, encodeStateAsUpdate, encodeStateVector } from "@y/y";

/** What is empty may be a map, a list or a text. */
export const isUnified = true;

type Kind = "array" | "map" | "text";
const KINDS: readonly Kind[] = ["array", "map", "text"];

function kindOf(type: Y.Type): Kind | undefined {
  const told = KINDS[type._legacyTypeRef];
  if (told !== undefined) return told;
  if (type.attrSize > 0) return "map";
  if (type.length === 0) return undefined;
  return charactersOf(type) === "" ? "array" : "text";
}

function charactersOf(type: Y.Type): string {
  let characters = "";
  for (let item = type._start; item !== null; item = item.right) {
    if (!item.deleted && item.content instanceof Y.ContentString) characters += item.content.str;
  }
  return characters;
}

/** What stands for a type: the same for as long as it is of the same kind. */
const wrappers = new WeakMap<Y.Type, Map<Kind, Shared>>();
const lastKinds = new WeakMap<Y.Type, Kind>();

function wrapped(value: unknown): unknown {
  if (!(value instanceof Y.Type) || value.name !== null) return value;
  const kind = kindOf(value) ?? lastKinds.get(value) ?? "map";
  return wrappers.get(value)?.get(kind) ?? new { array: YArray, map: YMap, text: YText }[kind](value);
}

const unwrapped = (value: unknown): never => (value instanceof Shared ? value.type : value) as never;

function toJson(value: unknown): unknown {
  if (!(value instanceof Y.Type)) return value;
  return kindOf(value) === undefined ? {} : (wrapped(value) as Shared).toJSON();
}

type Listener = (event: never, transaction: never) => void;

abstract class Shared {
  constructor(
    readonly type: Y.Type,
    kind: Kind,
  ) {
    const all = wrappers.get(type) ?? new Map<Kind, Shared>();
    wrappers.set(type, all.set(kind, this));
    lastKinds.set(type, kind);
  }

  get length(): number {
    return this.type.length;
  }

  observe = (listener: Listener) => void this.type.observe(listener as never);
  unobserve = (listener: Listener) => this.type.unobserve(listener as never);
  observeDeep = (listener: Listener) => void this.type.observeDeep(listener as never);
  unobserveDeep = (listener: Listener) => this.type.unobserveDeep(listener as never);
  abstract toJSON(): unknown;
}

class YMap extends Shared {
  constructor(from: Y.Type | Iterable<readonly [string, unknown]> = []) {
    super(from instanceof Y.Type ? from : new Y.Type(), "map");
    if (!(from instanceof Y.Type)) for (const [key, value] of from) this.set(key, value);
  }

  get = (key: string): unknown => wrapped(this.type.getAttr(key as never));
  set(key: string, value: unknown): unknown {
    this.type.setAttr(key as never, unwrapped(value));
    return value;
  }
  delete = (key: string): void => this.type.deleteAttr(key);
  has = (key: string): boolean => this.type.hasAttr(key);
  keys = (): string[] => [...this.type.attrKeys()].map(String);
  values = (): unknown[] => this.keys().map(this.get);
  toJSON = (): unknown => Object.fromEntries(this.keys().map((key) => [key, toJson(this.type.getAttr(key as never))]));
}

class YArray extends Shared {
  static from = (items: readonly unknown[]): YArray => {
    const made = new YArray();
    made.insert(0, items);
    return made;
  };

  constructor(type: Y.Type = new Y.Type()) {
    super(type, "array");
  }

  insert(at: number, items: readonly unknown[]): void {
    if (items.length > 0) this.type.insert(at, items.map(unwrapped));
  }
  push = (items: readonly unknown[]): void => this.insert(this.length, items);
  delete = (at: number, length = 1): void => this.type.delete(at, length);
  get = (at: number): unknown => wrapped(this.type.get(at));
  toArray = (): unknown[] => this.type.slice().map(wrapped);
  toJSON = (): unknown => this.type.slice().map(toJson);
}

class YText extends Shared {
  constructor(from: Y.Type | string = "") {
    super(from instanceof Y.Type ? from : new Y.Type(), "text");
    if (!(from instanceof Y.Type)) this.insert(0, from);
  }

  insert(at: number, text: string): void {
    if (text !== "") this.type.insert(at, text as never);
  }
  /** The same steps, in the form that 13 tells them. */
  override observe = (listener: Listener) =>
    void this.type.observe((event, transaction) => {
      const delta = [...event.delta.children].map((step) => {
        const { type: _, ...told } = step.toJSON() as { type: string };
        return told;
      });
      listener({ delta } as never, transaction as never);
    });
  insertEmbed = (at: number, embed: object): void => this.type.insert(at, [embed as never]);
  delete = (at: number, length: number): void => this.type.delete(at, length);
  format = (at: number, length: number, formats: never): void => this.type.format(at, length, formats);
  override toString = (): string => charactersOf(this.type);
  toJSON = (): unknown => this.toString();
}

/** A type with a name is what 14 has for an element of XML. */
export class XmlElement extends Y.Type {
  constructor(name = "element") {
    super(name as never);
  }
}

export class XmlFragment extends Y.Type {}

export { XmlElement as XmlText, YArray as Array, YMap as Map, YText as Text };

export class Doc extends Y.Doc {
  getMap = (name: string): unknown => this.#root(name, YMap, "map");
  getArray = (name: string): unknown => this.#root(name, YArray, "array");
  getText = (name: string): unknown => this.#root(name, YText, "text");

  #root(name: string, Wrapper: new (type: Y.Type) => Shared, kind: Kind): unknown {
    const type = this.get(name);
    return wrappers.get(type)?.get(kind) ?? new Wrapper(type);
  }
}

export class UndoManager extends Y.UndoManager {
  constructor(scope: readonly Shared[], options: ConstructorParameters<typeof Y.UndoManager>[1] = {}) {
    super(scope.map(unwrapped), options);
  }
}

export const createRelativePositionFromTypeIndex = (text: YText, at: number) =>
  Y.createRelativePositionFromTypeIndex(text.type, at);
