/** One tool call: a line that opens to what was asked and answered, as text. */
import { useState } from "react";
import { asText, type ToolLine as Line } from "./tool-words.ts";

const MARKS: Readonly<Record<Line["mark"], string>> = {
  add: "+",
  change: "~",
  delete: "−",
  link: "→",
  look: "·",
  other: "•",
};

export function ToolLine({ line }: { line: Line }) {
  // What is inside is made when somebody looks: there may be thousands of these, and megabytes in them.
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className={`tool tool-${line.mark}${line.failed ? " is-failed" : ""}`}
    >
      <summary>
        <span className="tool-mark" aria-hidden="true">
          {line.failed ? "!" : MARKS[line.mark]}
        </span>
        <span className="tool-words">
          {line.failed ? "Failed: " : ""}
          {line.verb} <b>{line.what}</b>
          {line.detail !== "" && <span className="tool-detail"> · {line.detail}</span>}
        </span>
      </summary>
      {isOpen && (
        <div className="tool-body">
          <h4>
            {line.call.toolName} <code>{line.call.toolCallId}</code>
          </h4>
          <pre>{asText(line.call.input)}</pre>
          {line.output !== "" && (
            <>
              <h4>Answer</h4>
              <pre>{line.output}</pre>
            </>
          )}
        </div>
      )}
    </details>
  );
}
