/**
 * Auto-layout, left to right: a column for each distance from a source, and in a column the order that its inputs suggest.
 * It runs after every addition, so operators that nobody touched move too, as on the services in the wild.
 */
import type { Point, WorkflowContent } from "./content.ts";

const LEFT = 100;
const TOP = 80;
const COLUMN = 300;
const ROW = 150;

export function layOut(content: WorkflowContent): Record<string, Point> {
  const columns = toColumns(content);
  const row = new Map<string, number>();
  const inputs = new Map<string, string[]>();
  for (const link of content.links) {
    const sources = inputs.get(link.target.operatorID) ?? [];
    inputs.set(link.target.operatorID, [...sources, link.source.operatorID]);
  }
  for (const column of columns) {
    // A wish is the mean row of the inputs; what wishes for less comes first, and nobody sits on anybody.
    const wishes = column.map((id, index) => {
      const rows = (inputs.get(id) ?? []).map((source) => row.get(source) ?? 0);
      return { id, wish: rows.length > 0 ? rows.reduce((sum, r) => sum + r, 0) / rows.length : index };
    });
    wishes.sort((a, b) => a.wish - b.wish);
    let free = 0;
    for (const { id, wish } of wishes) {
      const at = Math.max(free, wish);
      row.set(id, at);
      free = at + 1;
    }
  }
  const positions: Record<string, Point> = {};
  columns.forEach((column, index) => {
    for (const id of column) {
      positions[id] = { x: LEFT + index * COLUMN, y: Math.round(TOP + (row.get(id) ?? 0) * ROW) };
    }
  });
  // The order of the keys is that of the operators, so that equal workflows are equal texts.
  const ordered: Record<string, Point> = {};
  for (const { operatorID } of content.operators) {
    const position = positions[operatorID];
    if (position) ordered[operatorID] = position;
  }
  return ordered;
}

/** Operators by their longest distance from a source. A cycle, which no tool here makes, would end up in the last column. */
function toColumns(content: WorkflowContent): string[][] {
  const waiting = new Map(content.operators.map(({ operatorID }) => [operatorID, 0]));
  for (const link of content.links) {
    const count = waiting.get(link.target.operatorID);
    if (count !== undefined) waiting.set(link.target.operatorID, count + 1);
  }
  const columns: string[][] = [];
  while (waiting.size > 0) {
    let column = [...waiting].filter(([, inputs]) => inputs === 0).map(([id]) => id);
    if (column.length === 0) column = [...waiting.keys()];
    for (const id of column) waiting.delete(id);
    for (const link of content.links) {
      const count = waiting.get(link.target.operatorID);
      if (count !== undefined && column.includes(link.source.operatorID)) {
        waiting.set(link.target.operatorID, count - 1);
      }
    }
    columns.push(column);
  }
  return columns;
}
