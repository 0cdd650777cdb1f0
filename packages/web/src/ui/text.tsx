// Untrusted text: invisible characters show their code, and long texts are cut.
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { beginningOf, piecesOf } from './unseen.ts';

const SHORT = 200;
const LONG = 4_000;

export function Text({ children, most = SHORT }: { children: string; most?: number }) {
  const isCut = children.length > most;
  return (
    <bdi title={isCut ? `${children.length.toLocaleString('en')} characters` : undefined}>
      {visible(isCut ? beginningOf(children, most) : children)}
      {isCut && '…'}
    </bdi>
  );
}

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

interface SectionProps {
  readonly id?: string;
  readonly title: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Section({ id, title, className, children }: SectionProps) {
  const own = useId();
  return (
    <section aria-labelledby={id ?? own} className={className}>
      <h2 id={id ?? own}>{title}</h2>
      {children}
    </section>
  );
}

export const CodeText = (props: ComponentProps<typeof Text>) => (
  <code>
    <Text {...props} />
  </code>
);

export const ProblemText = ({ children }: { children: string }) => (
  <p className="problem">
    <Text most={1_000}>{children}</Text>
  </p>
);

export const CodeBlock = ({ children }: { children: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
  <pre tabIndex={0}>
    <code>{children}</code>
  </pre>
);

export const Alert = ({ children }: { children: ReactNode }) => (
  <p className="problem" role="alert">
    {children}
  </p>
);

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

export const CommandNote = () => (
  <>
    In a checkout of Cairn, run <code>npx cairn</code> instead of <code>cairn</code>. To use it in any folder,{' '}
    <a href="/docs/cli#install-the-command">install it</a>.
  </>
);

interface FoldProps {
  readonly summary: ReactNode;
  readonly isWrong: boolean;
  readonly children: ReactNode;
}

export function Fold({ summary, isWrong, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isWrong);
  const [wasWrong, setWasWrong] = useState(isWrong);
  if (isWrong !== wasWrong) {
    setWasWrong(isWrong);
    if (isWrong) setOpen(true);
  }
  return (
    <details
      className={isWrong ? 'fold wrong' : 'fold'}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{summary}</summary>
      <div className="folded">{children}</div>
    </details>
  );
}

// Long lists are rendered in chunks.

const PORTION = 100;

interface Portion<Item> {
  readonly shown: readonly Item[];
  readonly left: number;
  readonly more: () => void;
}

export function usePortion<Item>(items: readonly Item[], size = PORTION): Portion<Item> {
  const [most, setMost] = useState(size);
  return {
    shown: items.length > most ? items.slice(0, most) : items,
    left: Math.max(0, items.length - most),
    more: () => setMost((before) => before + size),
  };
}

export function ShowMore({ left, more, what }: { left: number; more: () => void; what: string }) {
  if (left === 0) return null;
  return (
    <button type="button" className="small" onClick={more}>
      Show more: {left.toLocaleString('en')} {what} left
    </button>
  );
}
