/** What an empty canvas says: what this is, and three ways to begin. */

const EXAMPLES: readonly { title: string; prompt: string }[] = [
  {
    title: "Chart people by city",
    prompt: "Build a workflow: CSV scan, then a filter age > 30, then a bar chart of count per city",
  },
  {
    title: "Join two files",
    prompt: "Read customers.csv, join with orders.csv on customer_id, then average total per country as a pie chart",
  },
  { title: "Find the top ten", prompt: "Read sales.csv, sort by total descending and limit to 10" },
];

export function EmptyCanvas({ onExample }: { onExample: (prompt: string) => void }) {
  return (
    <div className="empty" data-testid="empty">
      <h1>What shall we build?</h1>
      <p>Say it in the box on the side, and watch the agent put it on this canvas. Every turn can be taken back.</p>
      <ul>
        {EXAMPLES.map(({ title, prompt }) => (
          <li key={title}>
            <button type="button" className="example" onClick={() => onExample(prompt)}>
              <strong>{title}</strong>
              <span>{prompt}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
