/** A fresh agent service for each test of a file, and clients that are closed after it. */
import { afterEach, beforeEach } from "vitest";
import { startService, type Service } from "../../www/server/service.ts";
import { AgentClient } from "./agent-client.ts";

export function agentWorld(pace = 0) {
  let service: Service;
  const clients: AgentClient[] = [];
  beforeEach(async () => {
    service = await startService({ port: 0, pace });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await service.close();
  });
  return {
    /** `http://127.0.0.1:PORT/` */
    url: () => service.url,
    async open(agent?: string, headers?: Record<string, string>): Promise<AgentClient> {
      const client = await AgentClient.open(service.url, agent, headers);
      clients.push(client);
      return client;
    },
  };
}
