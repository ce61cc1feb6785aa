/**
 * The default entry's engine: initialises the WebAssembly module, once and synchronously, from the bytes that are
 * inlined in the package. Importing this module is what does it, so the package lists it under `sideEffects`: a
 * production bundler would drop it otherwise.
 */
import { Engine, Side, initSync } from "../generated/headway.js";
import { wasmBytes } from "../generated/wasm-inline.js";

const { memory } = initSync({ module: wasmBytes() });
const encoder = new TextEncoder();

export { Engine, Side };

/** Hands a frame to an engine: its text is encoded straight into the memory of the module. */
export function receive(engine: Engine, frame: string): unknown {
  // ASCII needs a byte for each unit, which is the usual case; nothing needs more than three.
  let room = frame.length;
  let written = 0;
  let rest = frame;
  for (;;) {
    const start = engine.frameRoom(room);
    const done = encoder.encodeInto(rest, new Uint8Array(memory.buffer, start + written, room - written));
    written += done.written;
    if (done.read === rest.length) return engine.receive(written);
    rest = rest.slice(done.read);
    room = written + rest.length + Math.ceil(rest.length / 2) + 3;
  }
}
