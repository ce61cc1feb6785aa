/** Whether a request comes from this machine's own pages: neither a foreign page nor a foreign name that leads here. */
import type { IncomingMessage } from "node:http";

export function isLocalRequest({ headers }: IncomingMessage): boolean {
  return isLocal(`http://${headers.host ?? ""}`) && (headers.origin === undefined || isLocal(headers.origin));
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
}
