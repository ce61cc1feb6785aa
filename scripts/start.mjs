// `npm start [-- --persist FILE | --redis URL | --memory] [--chaos SEED]`: the workbench with its agent service, from a bare
// clone to an address to open. Ctrl+C ends it.
import "./node-version.mjs";
import { createServer } from "node:net";
import { build } from "./build.mjs";
import { buildWorkbench } from "./build/workbench.mjs";
import { Failure, main } from "./failure.mjs";
import { inRoot } from "./paths.mjs";
import { endGroup, run } from "./process.mjs";
import { setup } from "./setup.mjs";

const HOST = "127.0.0.1";
const FIRST_PORT = 4870;
const PATIENCE_MS = 5000;

await main(async () => {
  await setup("build");
  await build();
  await buildWorkbench();
  const port = process.env.PORT ? givenPort(process.env.PORT) : await freePort(FIRST_PORT);
  return serve(port);
});

/** Runs the server until it ends or is told to; the first signal is passed on, and patience has an end. */
async function serve(port) {
  let server;
  let told = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (told) endGroup(server, "SIGKILL");
      told = true;
      setTimeout(() => endGroup(server, "SIGKILL"), PATIENCE_MS).unref();
    });
  }
  console.log(`· starting the workbench on port ${port} (Ctrl+C ends it) …`);
  // Not by way of npm: it would tell the server of another folder than that in which the person stands.
  const env = { PORT: String(port), INIT_CWD: process.env.INIT_CWD ?? process.cwd() };
  const args = ["--import", "tsx", inRoot("www", "server", "main.ts"), ...process.argv.slice(2)];
  const { code } = await run(process.execPath, args, { env, onStart: (child) => (server = child) });
  if (told) return 0;
  if (code !== 0) throw new Failure(`The server ended with exit code ${code}: see above.`);
  return 0;
}

function givenPort(text) {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new Failure(`PORT is ${text}: it must be a number from 1 to 65535.`);
}

async function freePort(first) {
  for (let port = first; port < first + 100; port++) {
    if (await isFree(port)) return port;
  }
  throw new Failure(`No port from ${first} to ${first + 99} is free: name one in PORT.`);
}

function isFree(port) {
  return new Promise((settle) => {
    const probe = createServer();
    probe.once("error", () => settle(false));
    probe.listen(port, HOST, () => probe.close(() => settle(true)));
  });
}
