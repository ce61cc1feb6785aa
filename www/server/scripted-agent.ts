/** The scripted agent as a Headway runs one: the script of a prompt, step by step, with pauses that a person can follow. */
import type { AgentRun } from "headway/agent";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { WorkflowContent } from "./script/content.ts";
import { script, type ScriptStep } from "./script/script.ts";

export interface ScriptedOptions {
  /** Milliseconds between two steps; 0 takes no time at all. */
  pace: number;
  now: () => number;
}

/** So that it does not tick like a clock, and yet always the same. */
const RHYTHM = [1, 0.75, 1.2, 0.9, 1.1];

export function scriptedAgent({ pace, now }: ScriptedOptions): (run: AgentRun) => Promise<void> {
  return async (run) => {
    const content = JSON.parse(run.content ?? "{}") as WorkflowContent;
    let calls = 0;
    let before = run.content;
    for (const [index, step] of script(run.prompt, content, now()).entries()) {
      await pause(pace * step.slowness * (RHYTHM[index % RHYTHM.length] ?? 1), run.signal);
      if (run.signal.aborted) return;
      if (step.fails) throw new Error(step.text);
      const named = step.calls.map(({ call, output }) => ({ call, output, id: `call-${run.turn}-${++calls}` }));
      const after = JSON.stringify(step.after);
      await run.record({
        content: step.text,
        toolCalls: named.map(({ call, id }) => ({ toolName: call.toolName, toolCallId: id, input: call.input })),
        toolResults: named.map(({ output, id }) => ({ toolCallId: id, output, isError: false })),
        usage: usage(run.prompt, step),
        ...(after !== before && { after }),
      });
      before = after;
    }
  };
}

/** What a model would have been paid for, at four letters a token. */
function usage(prompt: string, step: ScriptStep) {
  const outputTokens = Math.ceil((step.text.length + JSON.stringify(step.calls.map(({ call }) => call)).length) / 4);
  const inputTokens = 900 + Math.ceil(prompt.length / 4) + 20 * step.after.operators.length;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

/** Waits, but not longer than to a stop. */
async function pause(ms: number, stopped: AbortSignal): Promise<void> {
  if (ms <= 0) return nextTurn();
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stopped.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    stopped.addEventListener("abort", done);
    // It may have been stopped before anybody listened.
    if (stopped.aborted) done();
  });
}
