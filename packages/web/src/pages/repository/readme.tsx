// Drawn only where there is one: what reads markdown is loaded with it.
import { Component, type ReactNode } from 'react';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { LongText } from '../../parts/text.tsx';
import { isIntricate } from './intricacy.ts';
import { tame } from './readme-tree.ts';

const PLUGINS = { remark: [remarkGfm], rehype: [() => tame] };

export function Readme({ content }: { content: string }) {
  const text = content.replaceAll('\r\n', '\n');
  const asWritten = <AsWritten text={text} />;
  if (isIntricate(text)) return asWritten;
  return (
    <Readable key={text} instead={asWritten}>
      <Markdown remarkPlugins={PLUGINS.remark} rehypePlugins={PLUGINS.rehype}>
        {text}
      </Markdown>
    </Readable>
  );
}

function AsWritten({ text }: { text: string }) {
  return (
    <>
      <p className="quiet">It is shown as it was written: it is too intricate to be laid out.</p>
      <LongText>{text}</LongText>
    </>
  );
}

interface ReadableProps {
  readonly children: ReactNode;
  readonly instead: ReactNode;
}

/** A text that is nested too deeply to be drawn is shown as it was written. */
class Readable extends Component<ReadableProps, { readonly isUnreadable: boolean }> {
  override state = { isUnreadable: false };

  static getDerivedStateFromError() {
    return { isUnreadable: true };
  }

  override render() {
    return this.state.isUnreadable ? this.props.instead : this.props.children;
  }
}
