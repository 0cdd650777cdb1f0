// Text that somebody else wrote. It is shown as it is, never run; what would change how its surroundings are read, such as a
// right-to-left override, is shown by its number; and what is very long is cut, with a way to see the rest.
import { type ReactNode, useState } from 'react';
import { beginningOf, piecesOf } from '../features/repository/unseen.ts';

export { plain } from '../features/repository/unseen.ts';

/** So much of a text stands in a line of a list. */
const SHORT = 200;
const LONG = 4_000;

/** As it is, within its own direction. */
export function Text({ children, most = SHORT }: { children: string; most?: number }) {
  const isCut = children.length > most;
  return (
    <bdi title={isCut ? `${children.length.toLocaleString('en')} characters` : undefined}>
      {visible(isCut ? beginningOf(children, most) : children)}
      {isCut && '…'}
    </bdi>
  );
}

/** A text of any length, with its lines. */
export function LongText({ children }: { children: string }) {
  const [isOpen, setOpen] = useState(false);
  const isCut = children.length > LONG && !isOpen;
  return (
    <div className="long-text">
      <bdi>{visible(isCut ? beginningOf(children, LONG) : children)}</bdi>
      {isCut && (
        <button type="button" className="secondary" onClick={() => setOpen(true)}>
          Show all {children.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}

function visible(text: string): ReactNode {
  const pieces = piecesOf(text);
  if (pieces.length < 2 && !pieces[0]?.isUnseen) return text;
  return pieces.map((piece, index) => {
    if (!piece.isUnseen) return piece.text;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a text that changes is another text.
      <span key={index} className="unseen">
        {piece.text}
      </span>
    );
  });
}
