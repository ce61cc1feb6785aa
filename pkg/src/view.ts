/** Builds a {@link View}: the header at once, steps and turns when they are first read. */
import type { ViewHeader } from "./records.js";
import type { Step, Turn, View } from "./types.js";

export function makeView(header: ViewHeader, readSteps: () => readonly Step[], readTurns: () => readonly Turn[]): View {
  let steps: readonly Step[] | undefined;
  let turns: readonly Turn[] | undefined;
  return Object.freeze({
    connection: header.live ? ("live" as const) : ("offline" as const),
    agentState: header.agentState,
    staleStopping: header.staleStopping,
    headId: header.headId,
    path: Object.freeze({
      status: header.pathStatus,
      ...(header.pathAt === undefined ? {} : { at: header.pathAt }),
    }),
    diverged: header.diverged,
    needsResync: header.needsResync,
    length: header.length,
    get steps() {
      return (steps ??= readSteps());
    },
    get turns() {
      return (turns ??= readTurns());
    },
    canRedo: header.canRedo ?? ("unknown" as const),
    ...(header.redoLeadsTo === undefined ? {} : { redoLeadsTo: header.redoLeadsTo }),
    ...(header.pending === undefined ? {} : { pending: header.pending }),
    autosave: header.autosave,
    canvas: Object.freeze({
      bound: header.canvasBound,
      equalsHead: !header.canvasDiffers,
      manualEdits: header.manualEdits,
      stashes: header.stashes,
      contentUnknown: header.contentUnknown,
    }),
    usage: Object.freeze({ path: Object.freeze(header.pathUsage), total: Object.freeze(header.totalUsage) }),
    capabilities: Object.freeze(header.capabilities),
  });
}
