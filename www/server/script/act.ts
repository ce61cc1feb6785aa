/** From one request to the tool calls that do it, on the content as it is by then. */
import { summaryOf } from "../../shared/operator-words.ts";
import { add, aggregate, chart, combine, plainChart, portNumber } from "./add.ts";
import { linksInto, linksOutOf, nextOperatorId, type Operator } from "./content.ts";
import type { Draft } from "./draft.ts";
import { changedProperties } from "./change.ts";
import { autoName, inSentence, isAutoNamed, spoken } from "./names.ts";
import { isChart, kindOf, nameOf } from "./operators.ts";
import { meant } from "./refer.ts";
import type { Request } from "./requests.ts";
import type { Call } from "./tools.ts";

/** What came of a request: what was done, as words after "I", or why it was not. Things added are told apart, to be summed up. */
export type Came = { did: string } | { added: string[] } | { problem: string };

export function act(draft: Draft, request: Request): Came {
  switch (request.kind) {
    case "add":
      return added(draft, () => add(draft, request.type, request.properties, request.place));
    case "aggregate":
      return added(draft, () => aggregate(draft, request.measure, request.place));
    case "chart":
      return added(draft, () => chart(draft, request));
    case "combine":
      return added(draft, () => combine(draft, request));
    case "change":
      return change(draft, request.target, request.to);
    case "replace":
      return withOne(draft, request.target, (operator) => replace(draft, operator, request.type));
    case "delete":
      return remove(draft, request.target, request.all);
    case "clear":
      return clear(draft);
    case "rename":
      return withOne(draft, request.target, ({ operatorID, customDisplayName }) => {
        draft.step({ toolName: "modifyOperator", input: { operatorId: operatorID, summary: request.name } });
        return { did: `renamed “${customDisplayName}” to “${request.name}”` };
      });
    case "toggle":
      return withOne(draft, request.target, ({ operatorID, customDisplayName }) => {
        const toolName = request.on ? "enableOperator" : "disableOperator";
        draft.step({ toolName, input: { operatorId: operatorID } });
        return { did: `${request.on ? "enabled" : "disabled"} “${customDisplayName}”` };
      });
    case "comment": {
      // Above the operators, which only ever grow downwards.
      const position = { x: 100 + 240 * draft.content.commentBoxes.length, y: -50 };
      draft.step({ toolName: "addCommentBox", input: { content: request.text, position } });
      return { did: `left the comment “${request.text}”` };
    }
    case "move":
      return withOne(draft, request.target, ({ operatorID, customDisplayName }) => {
        const from = draft.content.operatorPositions[operatorID] ?? { x: 0, y: 0 };
        const position = request.to ?? { x: from.x + request.dx, y: from.y + request.dy };
        draft.step({ toolName: "moveOperator", input: { operatorId: operatorID, position } });
        return { did: `moved “${customDisplayName}”` };
      });
    case "tidy":
      if (draft.content.operators.length === 0) return { problem: "There is nothing on the canvas to tidy up." };
      draft.step({ toolName: "autoLayout", input: {} });
      return { did: "tidied up the layout" };
    case "connect":
      return connect(draft, request.from, request.to);
    case "disconnect":
      return disconnect(draft, request.from, request.to);
    default:
      return { problem: "" };
  }
}

/** What a request added, with whatever it needed above it: "a CSV file scan (people.csv)", "a filter (age > 30)". */
function added(draft: Draft, add: () => void): Came {
  const before = draft.steps.length;
  add();
  const names = draft.steps
    .slice(before)
    .flatMap((step) => step.calls)
    .flatMap(({ call }) => (call.toolName === "addOperator" ? [draft.operator(call.input.operatorId)] : []))
    .flatMap((operator) => (operator ? [withArticle(operator)] : []));
  return names.length > 0 ? { added: names } : { problem: "That could not be added." };
}

function withArticle({ operatorType, operatorProperties }: Operator): string {
  const name = inSentence(spoken(operatorType, operatorProperties));
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}

function change(draft: Draft, target: string, to: string): Came {
  return withOne(draft, target, (operator) => {
    const properties = changedProperties(operator, to);
    const name = `“${operator.customDisplayName}”`;
    if (!properties) return { problem: `I did not understand what ${name} should be: “${to}”.` };
    const whole = { ...operator.operatorProperties, ...properties };
    const summary = isAutoNamed(operator) ? autoName(operator.operatorType, whole) : undefined;
    draft.step({
      toolName: "modifyOperator",
      input: { operatorId: operator.operatorID, properties, ...(summary !== undefined && { summary }) },
    });
    return {
      did: `changed ${name} to ${summaryOf(operator.operatorType, whole) || inSentence(nameOf(operator.operatorType))}`,
    };
  });
}

/** Another type in the same place: same inputs, same outputs. */
function replace(draft: Draft, operator: Operator, type: string): Came {
  const id = operator.operatorID;
  const inputs = linksInto(draft.content, id).map((link) => link.source.operatorID);
  const outputs = linksOutOf(draft.content, id).map((link) => link.target.operatorID);
  const { operatorProperties: was } = operator;
  const lines = Array.isArray(was.lines) ? (was.lines[0] as Record<string, unknown> | undefined) : undefined;
  const x = String(was.fields ?? was.name ?? was.xColumn ?? lines?.xValue ?? was.textColumn ?? "city");
  const y = String(was.value ?? was.yColumn ?? lines?.yValue ?? "count");
  const properties = isChart(type) ? plainChart(type, x, y) : {};
  const newId = nextOperatorId(draft.content);
  draft.step(
    { toolName: "deleteOperator", input: { operatorId: id } },
    {
      toolName: "addOperator",
      input: {
        operatorId: newId,
        operatorType: type,
        properties,
        ...(inputs.length > 0 && { inputOperatorIds: { "0": inputs } }),
        summary: autoName(type, { ...kindOf(type)?.defaults, ...properties }),
      },
    },
    ...outputs.map((target): Call => ({
      toolName: "addLink",
      input: { sourceOperatorId: newId, targetOperatorId: target },
    })),
  );
  return { did: `turned “${operator.customDisplayName}” into a ${inSentence(nameOf(type))}` };
}

/** Deletes, and links what came before to what came after, so that the rows keep flowing. */
function remove(draft: Draft, target: string, all: boolean): Came {
  if (/^(?:the |my |all )*(?:sticky )?(?:comments?|notes?)(?: box(?:es)?)?$/i.test(target)) {
    const boxes = draft.content.commentBoxes;
    if (boxes.length === 0) return { problem: "There is no comment on the canvas." };
    const gone = all ? boxes : boxes.slice(-1);
    draft.step(
      ...gone.map((box): Call => ({ toolName: "deleteCommentBox", input: { commentBoxId: box.commentBoxID } })),
    );
    return { did: gone.length === 1 ? "deleted the comment" : `deleted ${gone.length} comments` };
  }
  const found = meant(draft.content, target);
  if (found.length === 0) return notFound(draft, target);
  const gone = all ? found : found.slice(-1);
  for (const { operatorID } of gone) {
    const sources = linksInto(draft.content, operatorID).map((link) => link.source.operatorID);
    const relinks = linksOutOf(draft.content, operatorID).flatMap(({ target: end }) =>
      sources.slice(0, 1).map((from): Call => ({
        toolName: "addLink",
        input: { sourceOperatorId: from, targetOperatorId: end.operatorID, targetPort: portNumber(end.portID) },
      })),
    );
    draft.step({ toolName: "deleteOperator", input: { operatorId: operatorID } }, ...relinks);
  }
  return { did: `deleted ${gone.map((operator) => `“${operator.customDisplayName}”`).join(" and ")}` };
}

function clear(draft: Draft): Came {
  const { operators, commentBoxes } = draft.content;
  if (operators.length + commentBoxes.length === 0) return { problem: "The canvas is empty already." };
  draft.step(
    ...operators.map(({ operatorID }): Call => ({ toolName: "deleteOperator", input: { operatorId: operatorID } })),
    ...commentBoxes.map((box): Call => ({ toolName: "deleteCommentBox", input: { commentBoxId: box.commentBoxID } })),
  );
  return { did: "cleared the canvas" };
}

function connect(draft: Draft, from: string, to: string): Came {
  return withOne(draft, from, (source) =>
    withOne(draft, to, (target) => {
      const into = linksInto(draft.content, target.operatorID);
      const names = `“${source.customDisplayName}” to “${target.customDisplayName}”`;
      if (into.some((link) => link.source.operatorID === source.operatorID))
        return { problem: `${names}: they are connected already.` };
      if (target.inputPorts.length === 0) return { problem: `“${target.customDisplayName}” takes no input.` };
      if (reaches(draft, target.operatorID, source.operatorID))
        return { problem: `Connecting ${names} would make a circle.` };
      const many = target.inputPorts[0]?.disallowMultiInputs === false;
      const used = new Set(into.map((link) => link.target.portID));
      const free = many ? 0 : target.inputPorts.findIndex((port) => !used.has(port.portID));
      const cut =
        free < 0
          ? into.slice(0, 1).map((link): Call => ({ toolName: "deleteLink", input: { linkId: link.linkID } }))
          : [];
      draft.step(...cut, {
        toolName: "addLink",
        input: {
          sourceOperatorId: source.operatorID,
          targetOperatorId: target.operatorID,
          targetPort: Math.max(free, 0),
        },
      });
      return { did: `connected ${names}` };
    }),
  );
}

function reaches(draft: Draft, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) for (const link of linksOutOf(draft.content, id)) seen.add(link.target.operatorID);
  return seen.has(to);
}

function disconnect(draft: Draft, one: string, other: string): Came {
  return withOne(draft, one, (source) =>
    withOne(draft, other, (target) => {
      const ends = [source.operatorID, target.operatorID];
      const found = draft.content.links.filter(
        (link) => ends.includes(link.source.operatorID) && ends.includes(link.target.operatorID),
      );
      const names = `“${source.customDisplayName}” and “${target.customDisplayName}”`;
      if (found.length === 0) return { problem: `${names} are not connected.` };
      draft.step(...found.map((link): Call => ({ toolName: "deleteLink", input: { linkId: link.linkID } })));
      return { did: `disconnected ${names}` };
    }),
  );
}

function withOne(draft: Draft, target: string, then: (operator: Operator) => Came): Came {
  const operator = meant(draft.content, target).at(-1);
  return operator ? then(operator) : notFound(draft, target);
}

function notFound(draft: Draft, target: string): Came {
  const there = draft.content.operators.map((operator) => `“${operator.customDisplayName}”`);
  const list = there.length === 0 ? "The canvas is empty." : `There is ${there.slice(0, 12).join(", ")}.`;
  return { problem: `I found no “${target.slice(0, 60)}” on the canvas. ${list}` };
}
