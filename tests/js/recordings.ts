/** Frames that were recorded, read from their files. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const inFixtures = (name: string) => new URL(`../fixtures/${name}`, import.meta.url);

/** The text of a fixture; `.gz` is unpacked. */
export function fixture(name: string): string {
  const bytes = readFileSync(inFixtures(name));
  return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

/** The lines of a recording. */
export function lines(name: string): string[] {
  return fixture(name).trimEnd().split("\n");
}
