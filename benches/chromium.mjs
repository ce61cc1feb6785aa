// A page in headless Chromium that can import the built package, served from 127.0.0.1.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { chromium } from "playwright-core";
import { findChromium } from "../scripts/toolchain.mjs";

const TYPES = { ".js": "text/javascript", ".json": "application/json", ".html": "text/html" };
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"];

/** Opens the page. `serve` puts a text at a path, `evaluate` runs a function in the page, `close` ends everything. */
export async function openPage() {
  const texts = new Map([["/", "<!doctype html><title>bench</title>"]]);
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const known = texts.get(path);
    const isPackage = /^\/pkg\/(dist|generated)\/[\w.-]+$/.test(path);
    const body =
      known ?? (isPackage ? await readFile(new URL(`..${path}`, import.meta.url)).catch(() => undefined) : undefined);
    response.writeHead(body === undefined ? 404 : 200, {
      "content-type": TYPES[path === "/" ? ".html" : extname(path)] ?? "text/plain",
      "cache-control": "no-store",
    });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  return {
    serve: (path, text) => void texts.set(path, text),
    evaluate: (work, argument) => page.evaluate(work, argument),
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}
