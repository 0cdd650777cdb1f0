import { type ReactNode, useState } from 'react';
import { Copyable } from '../../app/calls.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { focusContent } from '../../ui/focus-content.ts';
import { Text } from '../../ui/text.tsx';
import { linesOf } from '../commit/commit-calls.ts';
import { amountOf, keyOf, operationsOf, titleOf } from './change.ts';
import { inOrder } from './change-order.ts';
import type { Draft } from './kept-draft.ts';
import { useDropping } from './use-dropping.tsx';

interface StrandedDraftProps {
  readonly draft: Draft;
  /** Whether it can be gone on with elsewhere. */
  readonly isMoved?: boolean;
  /** How it goes on. */
  readonly children?: ReactNode;
}

/** Who may not write any more, or finds no repository, cannot commit it: what is in it can be taken along, or let go of. */
export function StrandedDraft({ draft, isMoved = false, children }: StrandedDraftProps) {
  const { changes } = draft;
  const [isOpen, setOpen] = useState(false);
  if (changes.length === 0) return null;
  return (
    <>
      <p>
        {amountOf(changes)} not committed yet{!isMoved && ', and cannot be now'}. {children}
      </p>
      <WhereKept draft={draft} />
      <ul>
        {inOrder(changes).map((change) => (
          <li key={keyOf(change)}>
            <Text>{titleOf(change)}</Text>
          </li>
        ))}
      </ul>
      <details className="calls" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Take it along as JSON</summary>
        {isOpen && (
          <>
            <p className="quiet">Kept in a file, it can be imported by who may write, here or elsewhere.</p>
            <Copyable what="The operations, one on each line" text={linesOf(operationsOf(changes))} />
          </>
        )}
      </details>
      <p>
        <Discard draft={draft} />
      </p>
    </>
  );
}

/** Until it is committed. */
export const WhereKept = ({ draft: { isKept } }: { draft: Draft }) => (
  <p className="quiet">
    {isKept
      ? 'Until then your changes are kept in this tab only, also when the page is loaded anew. Closing the tab, or signing out in it, loses them.'
      : 'Until then your changes are on this page only, since the browser has no room to keep them: loading it anew, or closing the tab, loses them.'}
  </p>
);

export function Discard({ draft }: { draft: Draft }) {
  const { dropAll } = useDropping(draft);
  return (
    <Confirm action="Discard all" title="Discard your changes?" onConfirm={async () => dropAll()} onDone={focusContent}>
      <p>None of them was committed. The notice that follows can put them back; later nothing can.</p>
    </Confirm>
  );
}
