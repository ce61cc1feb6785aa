/** The page, its configuration, and a few facts about the agents, over plain HTTP. Nothing here changes anything. */
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import type { Agents } from "./agents.ts";
import { isLocalRequest } from "./local.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json; charset=utf-8",
  ".wasm": "application/wasm",
  ".map": "application/json; charset=utf-8",
};

export interface HttpOptions {
  /** The folder of the built page. */
  dist: string;
  /** Another agent service that the page shall talk to. */
  agentUrl?: string;
}

export function serveHttp(agents: Agents, { dist, agentUrl }: HttpOptions) {
  const policy = contentSecurityPolicy(agentUrl);
  return (request: IncomingMessage, response: ServerResponse): void => {
    // Not every request names something that is an address.
    const path = (request.url ?? "/").replace(/[?#].*$/s, "");
    response.setHeader("Content-Security-Policy", policy);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    if (!isLocalRequest(request)) return json(response, 403, { error: "Only pages of this machine are served" });
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD");
      return json(response, 405, { error: "Method not allowed" });
    }
    if (path === "/config.json") return json(response, 200, { agentUrl: agentUrl ?? null });
    if (path === "/api/health") return json(response, 200, { status: "ok", agents: agents.overview().length });
    if (path === "/api/agents") return json(response, 200, agents.overview());
    const id = /^\/api\/agents\/([\w.-]+)$/.exec(path)?.[1];
    if (id !== undefined) {
      const found = agents.overview().find((agent) => agent.id === id);
      return found ? json(response, 200, found) : json(response, 404, { error: "Agent not found" });
    }
    void file(response, dist, path);
  };
}

/** Nothing inline, nothing from elsewhere; WebAssembly is compiled, text is never evaluated. */
function contentSecurityPolicy(agentUrl: string | undefined): string {
  const agent = agentUrl === undefined ? "" : ` ${new URL(agentUrl).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self'${agent}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

async function file(response: ServerResponse, dist: string, path: string): Promise<void> {
  let name: string;
  try {
    name = normalize(join(dist, decodeURIComponent(path)));
  } catch {
    return json(response, 400, { error: "Bad path" });
  }
  if (path.endsWith("/")) name = join(name, "index.html");
  if (!name.startsWith(dist + sep) || name.includes("\0")) return json(response, 404, { error: "Not found" });
  try {
    const body = await readFile(name);
    response.setHeader("Content-Type", TYPES[extname(name)] ?? "application/octet-stream");
    // Files in assets/ carry the hash of what is in them in their names.
    const forever = name.includes(`${sep}assets${sep}`);
    response.setHeader("Cache-Control", forever ? "public, max-age=31536000, immutable" : "no-cache");
    response.setHeader("Content-Length", body.byteLength);
    response.end(response.req.method === "HEAD" ? undefined : body);
  } catch {
    if (path === "/") json(response, 503, { error: "The page is not built yet: run `npm run build -w www`" });
    else json(response, 404, { error: "Not found" });
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    "Content-Length": Buffer.byteLength(text),
  });
  response.end(response.req.method === "HEAD" ? undefined : text);
}
