import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const require = createRequire(import.meta.url);
const manifestFile = require.resolve("headway/package.json");
const inPackage = (path: string) => new URL(path, `file://${manifestFile}`);

interface Manifest {
  exports: Record<string, string | { types: string; default: string }>;
  files: string[];
  sideEffects: string[];
}
const manifest = JSON.parse(await readFile(manifestFile, "utf8")) as Manifest;

describe("the built package", () => {
  test("loads in plain Node.js, synchronously and without a flag", async () => {
    const script = 'import("headway").then((all) => console.log(Object.keys(all).length > 0))';
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: new URL(".", import.meta.url),
    });
    expect(stdout.trim()).toBe("true");
  });

  test("has every file that its entries name", async () => {
    const entries = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : [entry.types, entry.default],
    );
    for (const entry of entries) await expect(readFile(inPackage(entry)), entry).resolves.toBeDefined();
  });

  test("asks in each entry for no other package than the one that the entry is for", async () => {
    const asked = async (file: string, seen = new Set<string>()): Promise<string[]> => {
      if (seen.has(file)) return [];
      seen.add(file);
      const names = [...(await readFile(inPackage(file), "utf8")).matchAll(/^(?:import|export) .*?"([^"]+)";$/gm)];
      const all = await Promise.all(
        names.map(([, name = ""]) => (name.startsWith("./") ? asked(`dist/${name.slice(2)}`, seen) : [name])),
      );
      return all.flat().filter((name) => !name.startsWith("../generated/"));
    };
    expect(await asked("dist/index.js")).toEqual([]);
    expect(await asked("dist/yjs.js")).toEqual(["yjs"]);
    expect(await asked("dist/y.js")).toEqual(["@y/y"]);
  });

  test("lists the loader among the side effects, or production bundlers drop it", () => {
    expect(manifest.sideEffects).toContain("./dist/loader.js");
  });

  test("inlines the very bytes of the module that it ships", async () => {
    const { wasmBytes } = (await import(inPackage("generated/wasm-inline.js").href)) as { wasmBytes(): Uint8Array };
    const shipped = await readFile(inPackage("generated/headway_bg.wasm"));
    expect(Buffer.compare(Buffer.from(wasmBytes()), shipped)).toBe(0);
  });

  test("carries no path of the machine that built it", async () => {
    const bytes = await readFile(inPackage("generated/headway_bg.wasm"));
    const paths = bytes.toString("latin1").match(/\/(?:home|root|Users|tmp)\/[\w./-]+|[\w./-]*\/\.cargo\/[\w./-]+/g);
    expect(paths).toBeNull();
  });
});
