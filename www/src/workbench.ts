/** Everything of the page that is not a picture: the engine, the shared canvas, the sockets, the messages. */
import { Headway, HeadwayError } from "headway";
import { connect } from "headway/socket";
import { bindYjs } from "headway/yjs";
import { CanvasDocument } from "./canvas-document.ts";
import { Collaboration } from "./collaboration.ts";
import { Messages } from "./messages.ts";

export interface Workbench {
  readonly agent: string;
  readonly headway: Headway;
  readonly canvas: CanvasDocument;
  readonly collaboration: Collaboration;
  readonly messages: Messages;
  /** Does something that may be refused; a refusal is told in words. Gives undefined then. */
  attempt<T>(what: string, action: () => T | Promise<T>): Promise<T | undefined>;
}

/** Where the agent and the shared canvases are: `ws://HOST[/PREFIX]`. */
export interface Places {
  readonly agents: string;
  readonly canvases: string;
}

export function openWorkbench(agent: string, { agents, canvases }: Places): Workbench {
  const messages = new Messages();
  const canvas = new CanvasDocument();
  const headway = Headway.create({
    onNotice(notice) {
      // That the canvas was left alone is no news while nothing is on it: it is filled right after.
      if (notice.code !== "canvas_differs" || !canvas.isBlank) messages.notice(notice);
    },
  });
  const collaboration = new Collaboration(`${canvases}/api/canvases`, agent, canvas.doc);
  /** The engine never overwrites a canvas that it has not filled. One that nobody has ever written on is filled by the page. */
  const fill = () => {
    const isKnown = headway.getView().canRedo !== "unknown" && headway.content() !== undefined;
    if (isKnown && collaboration.isSettled && canvas.isBlank) void headway.syncCanvas().catch(() => undefined);
  };
  // Only then is it known what is on the canvas.
  void collaboration.ready.then(() => {
    bindYjs(headway, canvas.doc, { undoManager: canvas.undoManager });
    collaboration.subscribe(fill);
    headway.subscribe(fill);
    // What this page has already need not come again.
    connect(headway, `${agents}/api/agents/${encodeURIComponent(agent)}/react?contents=changed`);
  });
  return {
    agent,
    headway,
    canvas,
    collaboration,
    messages,
    async attempt(what, action) {
      try {
        return await action();
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        // Ours are refusals, complete sentences; anything else is a fault of the page and belongs in the console too.
        if (!(error instanceof HeadwayError)) console.error(error);
        messages.toast("error", what, text);
        return undefined;
      }
    },
  };
}
