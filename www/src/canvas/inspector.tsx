/** What an operator is called and does, to be edited by hand. Two people can type in one field. */
import { useLayoutEffect, useRef, useState } from "react";
import type { CanvasDocument, Path } from "../canvas-document.ts";
import { moved, spliceOf } from "../splice.ts";
import type { OperatorView } from "../workflow.ts";
import { typeName } from "./families.tsx";

interface Field {
  readonly path: Path;
  readonly label: string;
  readonly value: string | number | boolean;
}

/** More than one can work with in a side panel. */
const MOST_FIELDS = 40;

export function Inspector({ canvas, operator }: { canvas: CanvasDocument; operator: OperatorView }) {
  const set = (path: Path) => (value: Field["value"]) => canvas.setValue(operator.id, path, value);
  const fields = fieldsOf(operator.properties, ["operatorProperties"], []).slice(0, MOST_FIELDS);
  return (
    <form
      className="inspector"
      data-testid="inspector"
      aria-label="Operator"
      onSubmit={(event) => event.preventDefault()}
    >
      <p className="inspector-kind">
        {typeName(operator.type)} <code>{operator.id}</code>
      </p>
      <TextField
        label="Name"
        value={operator.ownName}
        placeholder={operator.type}
        onChange={set(["customDisplayName"])}
      />
      {fields.map(({ path, label, value }) =>
        typeof value === "string" ? (
          <TextField key={path.join("/")} label={label} value={value} onChange={set(path)} />
        ) : typeof value === "number" ? (
          <NumberField key={path.join("/")} label={label} value={value} onChange={set(path)} />
        ) : (
          <label key={path.join("/")} className="field field-check">
            <input type="checkbox" checked={value} onChange={({ target }) => set(path)(target.checked)} />
            <span>{label}</span>
          </label>
        ),
      )}
    </form>
  );
}

function fieldsOf(value: unknown, path: Path, words: readonly string[]): Field[] {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return [{ path, label: words.join(" · "), value }];
  }
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    // One predicate needs no number.
    const number = (index: number) => (value.length > 1 ? [String(index + 1)] : []);
    return value.flatMap((item, index) => fieldsOf(item, [...path, index], [...words, ...number(index)]));
  }
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, item]) => fieldsOf(item, [...path, key], [...words, wordsOf(key)]));
}

/** `fileEncoding` → "File encoding". */
const wordsOf = (key: string): string =>
  key
    .replace(/(?<=[a-z])[A-Z](?![A-Z])/g, (capital) => ` ${capital.toLowerCase()}`)
    .replace(/^./, (first) => first.toUpperCase());

interface TextProps {
  label: string;
  value: string;
  placeholder?: string;
  onChange: (value: string) => void;
}

function TextField({ label, value, placeholder, onChange }: TextProps) {
  const input = useRef<HTMLInputElement>(null);
  const shown = useRef(value);
  /** What somebody else typed moves the caret with the text that it stands in. */
  useLayoutEffect(() => {
    const element = input.current;
    if (!element || shown.current === value) return;
    if (document.activeElement === element && element.value !== value) {
      const splice = spliceOf(element.value, value);
      const [start, end] = [element.selectionStart ?? 0, element.selectionEnd ?? 0];
      element.value = value;
      element.setSelectionRange(moved(start, splice), moved(end, splice));
    } else element.value = value;
    shown.current = value;
  }, [value]);
  return (
    <label className="field">
      <span>{label}</span>
      <input
        ref={input}
        type="text"
        defaultValue={value}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => {
          shown.current = target.value;
          onChange(target.value);
        }}
      />
    </label>
  );
}

function NumberField({ label, value, onChange }: { label: string; value: number; onChange: (value: number) => void }) {
  /** What is typed: half a number is not one yet. */
  const [typed, setTyped] = useState<string | undefined>(undefined);
  return (
    <label className="field">
      <span>{label}</span>
      <input
        type="text"
        inputMode="decimal"
        value={typed ?? String(value)}
        onChange={({ target }) => {
          setTyped(target.value);
          const number = Number(target.value);
          if (target.value.trim() !== "" && Number.isFinite(number)) onChange(number);
        }}
        onBlur={() => setTyped(undefined)}
      />
    </label>
  );
}
