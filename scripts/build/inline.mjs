// The bytes of the WebAssembly module as a JavaScript module: the one form that works unchanged in every bundler, in
// Node.js and in a plain page.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** @param {Uint8Array} bytes @param {string} folder */
export function writeInlineModule(bytes, folder) {
  writeFileSync(join(folder, "wasm-inline.js"), script(Buffer.from(bytes).toString("base64")));
  writeFileSync(
    join(folder, "wasm-inline.d.ts"),
    "/** The bytes of the WebAssembly module. */\nexport function wasmBytes(): Uint8Array<ArrayBuffer>;\n",
  );
}

/** Decodes with the fastest means there is: the engine's own, Node.js's, and at last one character at a time. */
const script = (base64) => `const base64 = "${base64}";

export function wasmBytes() {
  if (typeof Uint8Array.fromBase64 === "function") return Uint8Array.fromBase64(base64);
  if (typeof Buffer === "function") return Buffer.from(base64, "base64");
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
`;
