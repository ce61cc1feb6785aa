/** A run in the making: tool calls are tried out on a content of their own, and become the steps that will be streamed. */
import { operatorById, type Operator, type WorkflowContent } from "./content.ts";
import { runTool, type Call } from "./tools.ts";

/** The tool calls of one step, with what they answered and what the content is afterwards. */
export interface DraftStep {
  calls: { call: Call; output: string }[];
  after: WorkflowContent;
}

export class Draft {
  readonly steps: DraftStep[] = [];
  #now: number;

  constructor(
    public content: WorkflowContent,
    now: number,
  ) {
    this.#now = now;
  }

  /** One step that makes these calls, in this order. */
  step(...calls: Call[]): void {
    const done: DraftStep["calls"] = [];
    for (const call of calls) {
      const { content, output } = runTool(this.content, call, this.#now);
      this.content = content;
      done.push({ call, output });
    }
    this.steps.push({ calls: done, after: this.content });
  }

  operator(id: string): Operator | undefined {
    return operatorById(this.content, id);
  }
}
