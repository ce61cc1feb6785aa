/**
 * One agent: takes commands from any of its sockets, runs the script, and tells all sockets what came of it.
 *
 * Rules: one run at a time; revert, redo and prompt are refused while it lasts; what everybody must know (steps, status,
 * head changes) goes to all sockets in the same order, what only the asker must know (errors) goes to the asker.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { History, Refused } from "./history.ts";
import { frame, readCommand, ROOT, TEXT, type AgentState, type MessageSource, type ReActStep } from "./protocol.ts";
import type { WorkflowContent } from "./script/content.ts";
import { script, type ScriptStep } from "./script/script.ts";

/** Where frames go. A socket, or an array in a test. */
export interface Listener {
  send(frame: string): void;
}

export interface SessionOptions {
  /** Milliseconds between two steps; 0 takes no time at all. */
  pace: number;
  now: () => number;
  /** Whether a content can be saved: a revert or a redo that cannot is rolled back. */
  canSave: boolean;
}

/** Past either, the agent takes no more prompts: a snapshot must stay something that one frame can hold. */
const MAX_STEPS = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** So that it does not tick like a clock, and yet always the same. */
const RHYTHM = [1, 0.75, 1.2, 0.9, 1.1];

export class AgentSession {
  readonly #listeners = new Set<Listener>();
  readonly #history = new History();
  #state: AgentState = "AVAILABLE";
  #counters = { steps: 0, turns: 0, calls: 0, bytes: 0 };
  #stopped: AbortController | undefined;

  constructor(
    readonly id: string,
    private readonly options: SessionOptions,
  ) {}

  get overview() {
    const { headId, canRedo, size } = this.#history;
    return { id: this.id, state: this.#state, steps: size, headId, canRedo, clients: this.#listeners.size };
  }

  /** A socket opened: it gets the snapshot, and everything from then on. */
  join(listener: Listener): void {
    const { headId, canRedo } = this.#history;
    const told = { state: this.#state, steps: this.#history.steps(), headId, canRedo };
    listener.send(frame.snapshot(headId === ROOT ? { ...told, content: this.#history.content() } : told));
    this.#listeners.add(listener);
  }

  leave(listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** Ends a run that is going on, without a word: the service is shutting down. */
  close(): void {
    this.#listeners.clear();
    this.#stopped?.abort();
  }

  /** One text frame from a socket. */
  receive(text: string, asker: Listener): void {
    const command = readCommand(text);
    try {
      switch (command.kind) {
        case "bad":
          return asker.send(command.reply);
        case "prompt":
          return this.#prompt(command.content, command.source);
        case "stop":
          return this.#stop();
        case "revert": {
          if (this.#busy) throw new Refused(TEXT.revertBusy);
          const target = this.#history.revertTarget(command.messageId);
          return this.#moveHead(target, () => this.#history.revertTo(target));
        }
        case "redo": {
          if (this.#busy) throw new Refused(TEXT.redoBusy);
          const target = this.#history.redoTarget();
          return this.#moveHead(target, () => this.#history.redoTo(target));
        }
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      asker.send(frame.error(error.message));
    }
  }

  get #busy(): boolean {
    return this.#state !== "AVAILABLE";
  }

  #prompt(content: string, source: MessageSource): void {
    if (this.#busy) throw new Refused(TEXT.promptBusy);
    if (this.#history.size >= MAX_STEPS || this.#counters.bytes >= MAX_BYTES) throw new Refused(TEXT.full);
    this.#stopped = new AbortController();
    // Every way out of a run leads through `finally`: an agent that stays busy for ever is worse than a lost step.
    void this.#run(content, source, this.#stopped.signal)
      .catch((error: unknown) => console.error(`Agent ${this.id}:`, error))
      .finally(() => this.#setState("AVAILABLE"));
  }

  #stop(): void {
    if (!this.#busy) throw new Refused(TEXT.notRunning);
    this.#setState("STOPPING");
    this.#stopped?.abort();
  }

  #moveHead(target: string, move: () => void): void {
    if (!this.options.canSave) throw new Refused(TEXT.saveFailed);
    move();
    this.#broadcast(frame.headChange(target, this.#history.contentAt(target), this.#history.canRedo));
  }

  async #run(prompt: string, source: MessageSource, stopped: AbortSignal): Promise<void> {
    this.#setState("GENERATING");
    this.#counters.turns += 1;
    const turn = new Turn(`msg-${this.id}-${this.#counters.turns}-${this.options.now()}`);
    const inputTokens = Math.ceil(prompt.length / 4);
    const before = this.#history.content();
    this.#tell(turn, before, before, {
      role: "user",
      content: prompt,
      isBegin: true,
      isEnd: true,
      messageSource: source,
      usage: { inputTokens, outputTokens: 0, totalTokens: inputTokens },
    });

    let last: ReActStep | undefined;
    for (const [index, step] of this.#plan(prompt, before).entries()) {
      await this.#pause(step.slowness * (RHYTHM[index % RHYTHM.length] ?? 1), stopped);
      if (stopped.aborted) return this.#notice(turn, TEXT.stopped);
      if (step.fails) return this.#notice(turn, step.text);
      last = this.#agentStep(turn, step, inputTokens);
    }
    const ended = last && this.#history.markEnd(last.id);
    if (ended) this.#broadcast(frame.step(ended));
  }

  /** The whole run. Whatever the script trips over becomes a failed run, never a dead service. */
  #plan(prompt: string, content: WorkflowContent): ScriptStep[] {
    try {
      return script(prompt, content, this.options.now());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return [{ text: `Error: ${reason}`, calls: [], after: content, slowness: 1, fails: true }];
    }
  }

  #agentStep(turn: Turn, step: ScriptStep, promptTokens: number): ReActStep {
    const calls = step.calls.map(({ call, output }) => ({ call, output, id: `call_${++this.#counters.calls}` }));
    const outputTokens = Math.ceil((step.text.length + JSON.stringify(step.calls.map(({ call }) => call)).length) / 4);
    const inputTokens = 900 + promptTokens + 20 * step.after.operators.length;
    return this.#tell(turn, this.#history.content(), step.after, {
      role: "agent",
      content: step.text,
      isBegin: turn.length === 1,
      isEnd: false,
      toolCalls: calls.map(({ call, id }) => ({ toolName: call.toolName, toolCallId: id, input: call.input })),
      toolResults: calls.map(({ output, id }) => ({ toolCallId: id, output, isError: false })),
      usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
    });
  }

  /** How a run ends that did not end by itself. Sent twice, byte for byte the same, as on the services in the wild. */
  #notice(turn: Turn, content: string): void {
    const at = this.#history.content();
    const step = this.#tell(turn, at, at, { role: "agent", content, isBegin: false, isEnd: true });
    this.#broadcast(frame.step(step));
  }

  #tell(turn: Turn, before: WorkflowContent, after: WorkflowContent, said: Said): ReActStep {
    this.#counters.steps += 1;
    const timestamp = this.options.now();
    const { usage, toolCalls, toolResults, messageSource, ...rest } = said;
    const step: ReActStep = {
      id: `step-${this.id}-${this.#counters.steps}-${timestamp}`,
      parentId: this.#history.headId,
      messageId: turn.id,
      stepId: turn.length,
      timestamp,
      ...rest,
      ...(messageSource && { messageSource }),
      ...(toolCalls && { toolCalls }),
      ...(toolResults && { toolResults }),
      ...(usage && { usage }),
      beforeWorkflowContent: before,
      afterWorkflowContent: after,
    };
    turn.length += 1;
    this.#history.append(step);
    const text = frame.step(step);
    this.#counters.bytes += text.length;
    this.#broadcast(text);
    return step;
  }

  #setState(state: AgentState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#broadcast(frame.status(state));
  }

  #broadcast(text: string): void {
    for (const listener of this.#listeners) listener.send(text);
  }

  /** Waits, but not longer than to a stop. */
  async #pause(slowness: number, stopped: AbortSignal): Promise<void> {
    const ms = this.options.pace * slowness;
    if (ms <= 0) return nextTurn();
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stopped.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      stopped.addEventListener("abort", done);
    });
  }
}

type Said = Pick<
  ReActStep,
  "role" | "content" | "isBegin" | "isEnd" | "messageSource" | "toolCalls" | "toolResults" | "usage"
>;

class Turn {
  length = 0;
  constructor(readonly id: string) {}
}
