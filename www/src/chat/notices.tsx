/** What the engine found worth knowing and refused nothing for. Folded away until somebody looks. */
import type { Messages } from "../messages.ts";
import { useStore } from "../use-headway.ts";

export function Notices({ messages }: { messages: Messages }) {
  const { notices } = useStore(messages);
  if (notices.length === 0) return null;
  return (
    <details className="notices" data-testid="notices">
      <summary>
        {notices.length === 1 ? "1 notice" : `${notices.length} notices`}
        <button
          type="button"
          className="link-button"
          onClick={(event) => {
            event.preventDefault();
            messages.clearNotices();
          }}
        >
          Clear
        </button>
      </summary>
      <ul>
        {[...notices].reverse().map((notice) => (
          <li key={notice.id}>
            <time>{new Date(notice.at).toLocaleTimeString()}</time> {notice.message}
            {notice.times > 1 && <b> ×{notice.times}</b>} <code>{notice.code}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
