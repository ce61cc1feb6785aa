/** A bare WebSocket client for the tests of the agent service: keeps every frame, and waits for one that fits. */
import { WebSocket } from "ws";

export interface Frame {
  type?: string;
  state?: string;
  error?: string;
  headId?: string;
  canRedo?: boolean;
  step?: Step;
  steps?: Step[];
  workflowContent?: Content;
}

export interface Step {
  id: string;
  parentId: string;
  messageId: string;
  stepId: number;
  role: string;
  content: string;
  isBegin: boolean;
  isEnd: boolean;
  toolCalls?: { toolName: string; toolCallId: string; input: unknown }[];
  toolResults?: { toolCallId: string; output: string }[];
  beforeWorkflowContent?: Content;
  afterWorkflowContent?: Content;
}

export interface Content {
  operators: { operatorID: string; operatorType: string; operatorProperties: Record<string, unknown> }[];
  operatorPositions: Record<string, { x: number; y: number }>;
  links: { linkID: string; source: { operatorID: string }; target: { operatorID: string } }[];
  commentBoxes: { comments: { content: string; creationTime: string }[] }[];
}

export class AgentClient {
  /** The text of every frame so far, exactly as it came. */
  readonly texts: string[] = [];
  readonly frames: Frame[] = [];
  readonly closed: Promise<number>;
  #socket: WebSocket;
  #waiting: (() => void)[] = [];
  #read = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      this.texts.push(String(data));
      this.frames.push(JSON.parse(String(data)) as Frame);
      for (const look of this.#waiting.splice(0)) look();
    });
    this.closed = new Promise((resolve) => socket.on("close", (code) => resolve(code)));
    socket.on("error", () => undefined);
  }

  static async open(base: string, agent = "t", headers: Record<string, string> = {}): Promise<AgentClient> {
    const socket = new WebSocket(`${base.replace("http", "ws")}api/agents/${agent}/react`, { headers });
    const client = new AgentClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.on("open", () => resolve());
      socket.on("unexpected-response", (_, response) => reject(new Error(`HTTP ${response.statusCode}`)));
      socket.on("error", reject);
    });
    return client;
  }

  /** The next frame that fits, after those that were waited for before. */
  async next(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      while (this.#read < this.frames.length) {
        const frame = this.frames[this.#read++];
        if (frame && fits(frame)) return frame;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  nextState = (state: string): Promise<Frame> => this.next((frame) => frame.state === state && !frame.steps);
  nextStep = (): Promise<Frame> => this.next((frame) => frame.step !== undefined);
  nextError = async (): Promise<string> => (await this.next((frame) => frame.error !== undefined)).error ?? "";
  nextHead = (): Promise<Frame> => this.next((frame) => frame.type === "WsServerHeadChangeEvent");

  sendText(text: string): void {
    this.#socket.send(text);
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  send(type: string, fields: Record<string, unknown> = {}): void {
    this.sendText(JSON.stringify({ type, ...fields }));
  }

  /** A whole turn, from the prompt to AVAILABLE. Gives the steps in the order in which they were told, repeats included. */
  async turn(content: string): Promise<Step[]> {
    const from = this.#read;
    this.send("WsClientPromptCommand", { content });
    await this.nextState("GENERATING");
    await this.nextState("AVAILABLE");
    return this.frames.slice(from).flatMap((frame) => (frame.step ? [frame.step] : []));
  }

  close(): void {
    this.#socket.terminate();
  }
}
