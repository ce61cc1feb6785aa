// Any number of clients, two processes on one store, and everything that can come between: at rest all show what a newcomer is told (R6, A1–A8).
import fc from "fast-check";
import { expect, test } from "vitest";
import { Headway } from "headway";
import { AgentSession, memoryStore, type AgentRun, type JoinOptions } from "headway/agent";

type Command = "prompt" | "stop" | "revert" | "redo" | "checkout";

type Event =
  | { readonly do: Command; readonly client: number; readonly pick: number }
  | { readonly do: "record" | "end" | "fail" | "clear"; readonly pick: number }
  | { readonly do: "deliver"; readonly client: number; readonly pick: number }
  | { readonly do: "cut" | "reconnect"; readonly client: number }
  | { readonly do: "kill"; readonly process: number };

const HOW: readonly JoinOptions[] = [
  { contents: "changed" },
  { contents: "all" },
  { dialect: "C" },
  { dialect: "D", contents: "changed" },
];

const LEASE = 10_000;

const content = (age: number) => `{"operators":[{"operatorID":"f","operatorType":"Filter","age":${age}}],"links":[]}`;

/** What the event loop has to do is done: stores in memory take no longer. */
const atRest = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** A client on a wire that delivers, in both directions, when it is told to. */
class Client {
  readonly headway: Headway;
  /** What is on its way to it. */
  #coming: string[] = [];
  #leave: (() => void) | undefined;
  #session: AgentSession | undefined;
  #socket = { send: (_: string) => {} };
  /** Commands that have no answer yet. */
  open = 0;

  constructor(readonly how: JoinOptions) {
    this.headway = Headway.create({
      send: (text) => {
        if (!this.#session) throw new Error("not connected");
        void this.#session.receive(text, this.#socket);
      },
    });
  }

  connect(session: AgentSession): void {
    this.cut();
    const coming: string[] = [];
    this.#coming = coming;
    this.#session = session;
    // One for each connection: what comes late for the last one goes nowhere.
    this.#socket = { send: (text) => void coming.push(text) };
    this.headway.connected();
    this.#leave = session.join(this.#socket, this.how);
  }

  /** What is on its way is lost. */
  cut(): void {
    this.#leave?.();
    this.#leave = undefined;
    if (!this.#session) return;
    this.#session = undefined;
    this.#coming = [];
    this.headway.disconnected();
  }

  isConnectedTo(session: AgentSession): boolean {
    return this.#session === session;
  }

  get isConnected(): boolean {
    return this.#session !== undefined;
  }

  deliver(count = Infinity): boolean {
    const frames = this.#coming.splice(0, count);
    for (const frame of frames) this.headway.receive(frame);
    return frames.length > 0;
  }

  ask(command: Command, pick: number): void {
    const { headway } = this;
    const { turns, steps } = headway.getView();
    const turn = turns[pick % (turns.length + 1)]?.id ?? "no such turn";
    const step = steps[pick % (steps.length + 1)]?.id ?? "step-initial";
    this.open += 1;
    const asked: Promise<unknown> = {
      prompt: () => headway.prompt(`prompt ${pick}`),
      stop: () => headway.stop(),
      revert: () => headway.revert(turn),
      redo: () => headway.redo(),
      checkout: () => headway.checkout(step),
    }[command]();
    const answered = () => void (this.open -= 1);
    asked.then(answered, (error: { code?: string }) => {
      answered();
      expect(error.code, String(error)).toBeTypeOf("string");
    });
  }

  /** What a person sees. */
  seen() {
    const { steps, headId, agentState, canRedo, path, diverged, needsResync } = this.headway.getView();
    return { steps, headId, agentState, canRedo, path, diverged, needsResync, content: this.headway.content() };
  }
}

class World {
  now = 1_000;
  readonly store = memoryStore(() => this.now);
  readonly processes: AgentSession[] = [];
  readonly clients: Client[];
  readonly runs = new Set<{ readonly run: AgentRun; end(): void; fail(error: Error): void }>();

  constructor(count: number) {
    this.clients = HOW.slice(0, count).map((how) => new Client(how));
  }

  async start(process: number): Promise<void> {
    this.processes[process] = await AgentSession.open({
      id: "a",
      store: this.store,
      content: content(0),
      now: () => this.now,
      leaseFor: LEASE,
      onError: (error) => {
        throw error;
      },
      agent: (run) =>
        new Promise<void>((resolve, reject) => {
          const entry = {
            run,
            end: () => (this.runs.delete(entry), resolve()),
            fail: (error: Error) => (this.runs.delete(entry), reject(error)),
          };
          this.runs.add(entry);
          run.signal.addEventListener("abort", entry.end);
        }),
    });
  }

  async happen(event: Event): Promise<void> {
    this.now += 1;
    const client = "client" in event ? this.clients[event.client % this.clients.length]! : undefined;
    const [running] = this.runs;
    switch (event.do) {
      case "record":
        // A run that was killed or stopped is told so.
        running?.run.record({ content: "did", after: content(event.pick) }).catch(() => {});
        break;
      case "end":
        running?.end();
        break;
      case "fail":
        running?.fail(new Error("no luck"));
        break;
      case "clear":
        // A person asks for it over HTTP; busy is an answer.
        this.processes[event.pick % 2]!.clear().catch(() => {});
        break;
      case "deliver":
        client!.deliver(event.pick);
        break;
      case "cut":
        client!.cut();
        break;
      case "reconnect":
        client!.connect(this.processes[event.client % 2]!);
        break;
      case "kill": {
        const dead = this.processes[event.process]!;
        dead.kill();
        for (const each of this.clients) if (each.isConnectedTo(dead)) each.cut();
        await this.start(event.process);
        break;
      }
      default:
        client!.ask(event.do, event.pick);
    }
    await atRest();
  }

  /** Runs come to their end, wires deliver, and who has none gets one. */
  async calm(): Promise<void> {
    for (const { end } of [...this.runs]) end();
    await atRest();
    // A run of a process that was killed is over when its lease is.
    this.now += 2 * LEASE;
    for (const process of [0, 1]) {
      if (this.processes[process]!.overview.state === "AVAILABLE") continue;
      await this.happen({ do: "kill", process });
    }
    await atRest();
    this.clients.forEach((client, index) => client.isConnected || client.connect(this.processes[index % 2]!));
    while (this.clients.map((client) => client.deliver()).some(Boolean)) await atRest();
  }

  free(): void {
    for (const session of this.processes) session.kill();
    for (const client of this.clients) client.headway.free();
  }
}

const pick = fc.nat({ max: 5 });
const client = fc.nat({ max: 3 });
const command = fc.constantFrom<Command>("prompt", "prompt", "stop", "revert", "revert", "redo", "checkout");
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: command, client, pick }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom("record" as const, "end" as const, "fail" as const), pick }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("deliver" as const), client, pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const), pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("cut" as const, "reconnect" as const), client }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), process: fc.nat({ max: 1 }) }) },
);

async function schedule(count: number, events: readonly Event[]): Promise<void> {
  const world = new World(count);
  try {
    await world.start(0);
    await world.start(1);
    world.clients.forEach((client, index) => client.connect(world.processes[index % 2]!));
    for (const event of events) await world.happen(event);
    await world.calm();
    const newcomer = new Client({ contents: "all" });
    newcomer.connect(world.processes[0]!);
    newcomer.deliver();
    const told = newcomer.seen();
    newcomer.headway.free();
    expect(told).toMatchObject({
      agentState: "AVAILABLE",
      path: { status: "ok" },
      diverged: false,
      needsResync: false,
    });
    for (const client of world.clients) {
      expect(client.seen()).toEqual(told);
      expect(client.open, "commands without an answer").toBe(0);
    }
    const [one, two] = world.processes.map(({ overview, headway }) => ({
      ...overview,
      clients: 0,
      content: headway.content(),
    }));
    expect(one).toEqual(two);
  } finally {
    world.free();
  }
}

test("r3_r4_r6_r8_r11_r14: at rest every client shows what the agent's history is", async () => {
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(event, { maxLength: 40 }), schedule), {
    numRuns: 300,
    seed: 5,
    endOnFailure: false,
  });
}, 120_000);
