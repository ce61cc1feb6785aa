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
const workbench = openWorkbench(agent, await agentBase());
window.headway = workbench.headway;
document.title = `${agent} · Headway workbench`;

const root = document.getElementById("root");
if (root) createRoot(root).render(<App workbench={workbench} />);

/** The service this page came from, unless that one names another. */
async function agentBase(): Promise<string> {
  const own = new URL(".", location.href);
  own.protocol = own.protocol === "https:" ? "wss:" : "ws:";
  const here = `${own.protocol}//${own.host}${own.pathname.replace(/\/$/, "")}`;
  try {
    const response = await fetch("./config.json");
    const { agentUrl } = (await response.json()) as { agentUrl?: unknown };
    return typeof agentUrl === "string" && agentUrl !== "" ? agentUrl : here;
  } catch {
    // A page that is served by something else, without a configuration, talks to where it came from.
    return here;
  }
}
