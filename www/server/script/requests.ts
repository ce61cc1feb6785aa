/** What a sentence can ask for, once understood. Nothing here knows what is on the canvas. */

export type AggregateFunction = "count" | "sum" | "average" | "min" | "max";

/** "average age per city": what is measured, and what for each of. */
export interface Measure {
  fn: AggregateFunction;
  attribute: string;
  by?: string;
}

export interface Predicate {
  attribute: string;
  condition: string;
  value: string | number;
}

/** Where a new operator goes, by a phrase for its neighbour: "after the filter". */
export interface Place {
  where: "after" | "before";
  ref: string;
}

export type Request =
  | { kind: "add"; type: string; properties: Record<string, unknown>; place?: Place }
  | { kind: "aggregate"; measure: Measure; place?: Place }
  | { kind: "chart"; type: string; measure?: Measure; columns: string[]; place?: Place }
  | { kind: "combine"; type: "HashJoin" | "Union"; files: string[]; ref?: string; key: string }
  | { kind: "change"; target: string; to: string }
  | { kind: "replace"; target: string; type: string }
  | { kind: "delete"; target: string; all: boolean }
  | { kind: "clear" }
  | { kind: "rename"; target: string; name: string }
  | { kind: "toggle"; target: string; on: boolean }
  | { kind: "comment"; text: string }
  | { kind: "move"; target: string; dx: number; dy: number; to?: { x: number; y: number } }
  | { kind: "tidy" }
  | { kind: "connect"; from: string; to: string }
  | { kind: "disconnect"; from: string; to: string }
  | { kind: "describe" }
  | { kind: "help" }
  | { kind: "talk"; answer: string }
  | { kind: "fail" }
  | { kind: "unknown"; text: string };

export interface Understood {
  /** Take at least twenty steps, each twice as slow: time to try the Stop button. */
  slowly: boolean;
  requests: Request[];
}
