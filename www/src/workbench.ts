/** Everything of the page that is not a picture: the engine, the canvas document, the socket, the messages. */
import { Headway, HeadwayError } from "headway";
import { CanvasStore } from "./canvas-store.ts";
import { Messages } from "./messages.ts";
import { connect } from "./socket.ts";

export interface Workbench {
  readonly agent: string;
  readonly headway: Headway;
  readonly canvas: CanvasStore;
  readonly messages: Messages;
  /** Does something that may be refused; a refusal is told in words. Gives undefined then. */
  attempt<T>(what: string, action: () => Promise<T>): Promise<T | undefined>;
}

export function openWorkbench(agent: string, agentBase: string): Workbench {
  const messages = new Messages();
  const canvas = new CanvasStore();
  const connection = connect(`${agentBase}/api/agents/${encodeURIComponent(agent)}/react`);
  const headway = Headway.create({
    send: (text) => connection.send(text),
    onNotice(notice) {
      // That the canvas was left alone is no news while nothing is on it: it is filled right after.
      if (notice.code !== "canvas_differs" || !canvas.isUntouched) messages.notice(notice);
    },
  });
  headway.bindCanvas(canvas);
  connection.attach(headway, () => {
    // The engine never overwrites a canvas that it has not filled. This one is still as the page made it, so the page
    // says that it may.
    if (canvas.isUntouched && headway.getView().canRedo !== "unknown" && headway.content() !== undefined) {
      void headway.syncCanvas().catch(() => undefined);
    }
  });
  return {
    agent,
    headway,
    canvas,
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
