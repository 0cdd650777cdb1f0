// Loaded on demand, with the Markdown parser.
import { useRouter } from '@tanstack/react-router';
import { Component, type ComponentProps, type MouseEvent, type ReactNode, useMemo } from 'react';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import type { Sight } from '../../app/sight.ts';
import { LongText } from '../../ui/text.tsx';
import { isIntricate, type ReadmeNode, tame } from './readme-tree.ts';

const REMARK = [remarkGfm];
const PARTS = { a: ReadmeLink };

export function Readme({ sight, content }: { sight: Sight; content: string }) {
  const rehype = useMemo(() => [() => (tree: ReadmeNode) => tame(tree, sight)], [sight]);
  const text = content.replaceAll('\r\n', '\n');
  const asWritten = <AsWritten text={text} />;
  if (isIntricate(text)) return asWritten;
  return (
    <Readable key={text} instead={asWritten}>
      <Markdown remarkPlugins={REMARK} rehypePlugins={rehype} components={PARTS}>
        {text}
      </Markdown>
    </Readable>
  );
}

function ReadmeLink({ href = '', rel, children }: ComponentProps<'a'>) {
  const { history } = useRouter();
  const go = (event: MouseEvent) => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!isPlain || !href.startsWith('/')) return;
    event.preventDefault();
    history.push(href);
  };
  return (
    <a href={href} rel={rel} onClick={go}>
      {children}
    </a>
  );
}

const AsWritten = ({ text }: { text: string }) => (
  <>
    <p className="quiet">This text is too complex to format, so it is shown as plain text.</p>
    <LongText>{text}</LongText>
  </>
);

interface ReadableProps {
  readonly children: ReactNode;
  readonly instead: ReactNode;
}

/** Shows deeply nested text, which overflows the renderer, as written. */
class Readable extends Component<ReadableProps, { readonly isUnreadable: boolean }> {
  override state = { isUnreadable: false };

  static getDerivedStateFromError() {
    return { isUnreadable: true };
  }

  override render() {
    return this.state.isUnreadable ? this.props.instead : this.props.children;
  }
}
