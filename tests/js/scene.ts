/** A Headway and what its server says to it, in few words. Freed after each test. */
import { afterEach } from "vitest";
import { Headway, type HeadwayOptions, type Notice } from "headway";
import { snapshot } from "./fixtures.js";

export const made: Headway[] = [];
afterEach(() => {
  for (const headway of made.splice(0)) headway.free();
});

export function blank(options: HeadwayOptions = {}) {
  const sent: string[] = [];
  const notices: Notice[] = [];
  const headway = Headway.create({
    send: (text) => void sent.push(text),
    onNotice: (notice) => void notices.push(notice),
    ...options,
  });
  made.push(headway);
  headway.connected();
  return { headway, sent, notices };
}

/** A live session in dialect C with two finished turns. */
export function scene(options: HeadwayOptions = {}) {
  const all = blank(options);
  all.headway.receive(snapshot());
  return all;
}

export function canvasOf(headway: Headway, content: unknown) {
  const canvas = { text: JSON.stringify(content), writes: 0 };
  const unbind = headway.bindCanvas({
    read: () => canvas.text,
    replace: (text) => {
      canvas.text = text;
      canvas.writes += 1;
    },
  });
  return { canvas, unbind };
}

export const ids = (headway: Headway) => headway.getView().steps.map((one) => one.id);
