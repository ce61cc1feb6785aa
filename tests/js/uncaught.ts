/** What is thrown outside of any call, in Node.js and in a browser alike. */
import { onTestFinished, vi } from "vitest";

/** What is thrown so until the test ends. The test runner does not hear of it. */
export function uncaught(): unknown[] {
  const thrown: unknown[] = [];
  const quiet = typeof window === "undefined" ? inNode : inBrowser;
  onTestFinished(quiet((error) => thrown.push(error)));
  return thrown;
}

/** Lets pass what was put off until the present call is over. */
export const idle = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve));

function inNode(note: (error: unknown) => void): () => void {
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", note);
  return () => {
    process.off("uncaughtException", note);
    for (const other of others) process.on("uncaughtException", other);
  };
}

function inBrowser(note: (error: unknown) => void): () => void {
  const hear = (event: ErrorEvent): void => {
    event.preventDefault();
    note(event.error);
  };
  window.addEventListener("error", hear);
  // What somebody listens for, the test runner does not count as a failure, but it says so there.
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  return () => {
    window.removeEventListener("error", hear);
    said.mockRestore();
  };
}
