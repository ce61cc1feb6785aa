/** What the agent says when nothing on the canvas changes. */

/** What it can do, each with a sentence that does it. The tests hold it to every one of them. */
export const HELP: readonly { can: string; say: string }[] = [
  {
    can: "Build a workflow",
    say: "build a workflow: CSV scan, then a filter age > 30, then a bar chart of count per city",
  },
  { can: "Read a file", say: "read people.csv" },
  { can: "Filter rows", say: "add a filter age > 30 and city is Paris" },
  { can: "Keep or drop columns", say: "keep the columns name, age and city" },
  { can: "Sort", say: "sort by age descending" },
  { can: "Limit", say: "limit to 10" },
  { can: "Group", say: "average age per city" },
  { can: "Remove duplicates", say: "remove duplicates" },
  { can: "Search a text", say: "search for 'data' in text" },
  { can: "Join with another file", say: "join with another file orders.csv on id" },
  { can: "Put files together", say: "union with archive.csv" },
  { can: "Draw a chart (bar, pie, line, histogram, scatter, word cloud)", say: "add a pie chart of city" },
  { can: "Change an operator", say: "change the filter to age > 40" },
  { can: "Turn one into another", say: "turn the pie chart into a bar chart" },
  { can: "Rename", say: "rename the filter to Adults only" },
  { can: "Disable and enable", say: "disable the sort" },
  { can: "Delete (and join the ends)", say: "delete the filter" },
  { can: "Connect and disconnect", say: "connect op1 to the limit" },
  { can: "Move, or tidy up", say: "tidy up the layout" },
  { can: "Leave a comment", say: "add a comment check the ages" },
  { can: "Tell what is there", say: "describe the workflow" },
  { can: "Start over", say: "clear the canvas" },
  { can: "Take its time, so that you can press Stop", say: "slowly build a big workflow" },
  { can: "Fail, so that you can see it", say: "crash on purpose" },
];

export const helpText = (opening: string): string =>
  [
    opening,
    ...HELP.map(({ can, say }) => `• ${can}: “${say}”`),
    "You can put several into one sentence with commas, “and” or “then”. Below each turn is a Revert button, and Redo takes it back.",
  ].join("\n");

export const HELP_OPENING = "I edit the workflow on your canvas. This is what I understand:";

/** One answer for all that was not understood: with the list when nothing else was done either. */
export function notUnderstood(texts: readonly string[], didSomething: boolean): string {
  const quoted = texts.slice(0, 3).map((text) => `“${text.length > 120 ? `${text.slice(0, 119)}…` : text}”`);
  const what = `I did not understand ${quoted.join(", ")}`;
  return didSomething
    ? `${what}. Ask “what can you do?” for a list.`
    : helpText(`${what}, so I changed nothing. This is what I understand:`);
}

export const TOO_LONG = "That is more than I can read at once. Tell me in a few sentences what to do.";

export const FAILURE = "The model gave up on purpose. Nothing that was already on the canvas is lost.";

/** Small talk, by what it sounds like. */
export const SMALL_TALK: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:hi|hello|hey|hallo|howdy|greetings|good (?:morning|afternoon|evening|day)|ciao)\b[\s\w!,]{0,20}$/i,
    "Hello! Tell me what to put on the canvas, or ask “what can you do?”.",
  ],
  [
    /^(?:thanks|thank you|thx|cheers|great|cool|nice|perfect|awesome|well done|good job|wonderful)\b[\s\w!,]{0,30}$/i,
    "You are welcome. If you change your mind, Revert is below every turn.",
  ],
  [
    /^(?:bye|goodbye|see you|good ?night)\b[\s\w!,]{0,20}$/i,
    "Goodbye! Your turns stay here for as long as this service runs.",
  ],
  [
    /^(?:how are you|how do you do|what'?s up|how is it going)\b.*$/i,
    "All good here, and deterministic as ever. What shall we build?",
  ],
  [
    /^(?:who|what) are you\b.*$/i,
    "I am a scripted agent: I understand plain requests about a workflow and do the same thing every time.",
  ],
  [
    /^(?:undo|revert|redo|go back|take (?:that|it) back)\b.*$/i,
    "History is yours, not mine: press Revert below a turn to go back to before it, and Redo at the top to return.",
  ],
  [
    /^(?:stop|wait|cancel|hold on|never ?mind)\b.*$/i,
    "Nothing is running. While I work there is a Stop button where Send is now.",
  ],
  [/^(?:yes|no|ok|okay|sure|maybe|hm+|nothing)$/i, "All right. Tell me when there is something to do."],
];
