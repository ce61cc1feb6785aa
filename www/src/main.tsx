/** Starts the page: asks the server where the agent is, opens the workbench, draws it. */
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./styles/index.css";
import { openWorkbench } from "./workbench.ts";

declare global {
  interface Window {
    /** For the console: `headway.getView()`. */
    headway?: import("headway").Headway;
  }
}

const agent = new URLSearchParams(location.search).get("agent")?.trim() || "demo";
const here = baseUrl();
const workbench = openWorkbench(agent, { agents: (await agentUrl()) ?? here, canvases: here });
window.headway = workbench.headway;
document.title = `${agent} · Headway workbench`;

const root = document.getElementById("root");
if (root) createRoot(root).render(<App workbench={workbench} />);

/** The service this page came from. */
function baseUrl(): string {
  const own = new URL(".", location.href);
  own.protocol = own.protocol === "https:" ? "wss:" : "ws:";
  return `${own.protocol}//${own.host}${own.pathname.replace(/\/$/, "")}`;
}

/** Another agent service, if the one this page came from names one. */
async function agentUrl(): Promise<string | undefined> {
  try {
    const response = await fetch("./config.json");
    const { agentUrl } = (await response.json()) as { agentUrl?: unknown };
    return typeof agentUrl === "string" && agentUrl !== "" ? agentUrl : undefined;
  } catch {
    // A page that is served by something else, without a configuration, talks to where it came from.
    return undefined;
  }
}
