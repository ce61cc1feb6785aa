/**
 * Text from the conversation. It is data: shown as text, never as markup (X4). Only plain web addresses become links, and
 * only after a look at their scheme.
 */

const ADDRESS = /(https?:\/\/[^\s<>"'`]+)/gi;

export function MessageText({ text }: { text: string }) {
  return text.split(ADDRESS).map((part, index) => {
    const { address, rest } = split(part);
    // The parts are the text itself, in its order; a place in it is a name for a part.
    return address === undefined ? (
      part
    ) : (
      <span key={index}>
        <a href={address} target="_blank" rel="noopener noreferrer nofollow">
          {address}
        </a>
        {rest}
      </span>
    );
  });
}

/** A web address, without the full stop or bracket that follows it in a sentence. */
function split(part: string): { address?: string; rest: string } {
  const [, address = "", rest = ""] = /^(https?:\/\/.*?)([.,;:!?)\]}]*)$/i.exec(part) ?? [];
  if (address === "" || !URL.canParse(address)) return { rest: part };
  const { protocol } = new URL(address);
  return protocol === "http:" || protocol === "https:" ? { address, rest } : { rest: part };
}
