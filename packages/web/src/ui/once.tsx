import type { ReactNode } from 'react';
import { CopyButton, SecondaryButton } from './button.tsx';
import { CodeBlock } from './text.tsx';

interface OnceProps {
  readonly title: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly children: ReactNode;
  readonly onDone: () => void;
}

export const Once = ({ title, texts, children, onDone }: OnceProps) => (
  <section className="once" aria-label={title} ref={focused} tabIndex={-1}>
    <h2>{title}</h2>
    {children}
    {Object.entries(texts).map(([what, text]) => (
      <Copyable key={what} what={what} text={text} />
    ))}
    <SecondaryButton onClick={onDone}>I have saved it</SecondaryButton>
  </section>
);

export const Copyable = ({ what, text }: { what: string; text: string }) => (
  <figure>
    <figcaption>
      {what} <CopyButton text={text} what={what} />
    </figcaption>
    <CodeBlock>{text}</CodeBlock>
  </figure>
);

const focused = (section: HTMLElement | null) => section?.focus();
