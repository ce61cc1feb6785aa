/**
 * A button that says why when it will not do it now. It stays reachable by keyboard and pointer (a `disabled` button
 * could not be asked for its reason), and a press on it tells the reason aloud.
 */
import type { ReactNode } from "react";

interface Props {
  className: string;
  testId: string;
  /** Why not, in words; undefined = it can be pressed. */
  refusal: string | undefined;
  hint: string;
  onClick: () => void;
  onRefused: (why: string) => void;
  children: ReactNode;
}

export function HintButton({ className, testId, refusal, hint, onClick, onRefused, children }: Props) {
  return (
    <button
      type="button"
      className={className}
      data-testid={testId}
      aria-disabled={refusal !== undefined}
      title={refusal ?? hint}
      onClick={() => (refusal === undefined ? onClick() : onRefused(refusal))}
    >
      {children}
      {refusal !== undefined && <span className="only-read">: {refusal}</span>}
    </button>
  );
}
