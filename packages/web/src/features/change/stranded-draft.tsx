import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toDraft } from '../../app/links.ts';
import { useNotice } from '../../app/notice.tsx';
import { isHidden } from '../../app/problem.ts';
import { repository } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { homeName } from '../../app/sight.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Disclosure, List } from '../../ui/list.tsx';
import { Copyable } from '../../ui/once.tsx';
import { focusContent } from '../../ui/page.tsx';
import { Section, Text } from '../../ui/text.tsx';
import { formatOperationLines } from '../commit/commit.ts';
import { amountOf, type Change, changeKey, inOrder, operationsOf, restoredText, titleOf } from './change.ts';
import { type Draft, useDraft, useDraftedNames } from './kept-draft.ts';

interface StrandedDraftProps {
  readonly draft: Draft;
  readonly isMoved?: boolean;
  readonly children?: ReactNode;
}

export function StrandedDraft({ draft, isMoved = false, children }: StrandedDraftProps) {
  const { changes } = draft;
  if (changes.length === 0) return null;
  return (
    <>
      <p>
        {amountOf(changes)} not committed yet{!isMoved && ', and you cannot commit now'}. {children}
      </p>
      <WhereKept draft={draft} />
      <ul>
        {inOrder(changes).map((change) => (
          <li key={changeKey(change)}>
            <Text>{titleOf(change)}</Text>
          </li>
        ))}
      </ul>
      <Disclosure className="calls" summary="Export as JSON">
        {() => (
          <>
            <p className="quiet">
              Save the lines as a file. Anyone with write access can import it, here or elsewhere.
            </p>
            <Copyable what="Operations, one per line" text={formatOperationLines(operationsOf(changes))} />
          </>
        )}
      </Disclosure>
      <p>
        <Discard draft={draft} />
      </p>
    </>
  );
}

export const WhereKept = ({ draft: { isKept } }: { draft: Draft }) => (
  <p className="quiet">
    {isKept
      ? 'Until then your changes are stored in this tab only. They survive a reload. You lose them if you close the tab or sign out.'
      : 'Until then your changes are on this page only, because the browser has no space to store them. You lose them if you reload the page or close the tab.'}
  </p>
);

export function Discard({ draft }: { draft: Draft }) {
  const { dropAll } = useDropping(draft);
  return (
    <Confirm action="Discard all" title="Discard your changes?" onConfirm={async () => dropAll()} onDone={focusContent}>
      <p>None of them are committed. You can undo this from the message that follows, but not later.</p>
    </Confirm>
  );
}

export function OpenDrafts() {
  const names = useDraftedNames();
  if (names.length === 0) return null;
  return (
    <Section title="Your drafts">
      <p className="quiet">Drafts are stored in this tab until you commit them.</p>
      <List className="cards" items={names} keyOf={homeName}>
        {(sight) => <OpenDraft sight={sight} />}
      </List>
    </Section>
  );
}

function OpenDraft({ sight }: { sight: Sight }) {
  const draft = useDraft(sight);
  const { error } = useQuery(repository(sight));
  const { orgName, repoName } = sight;
  return (
    <>
      <Link {...toDraft({ orgName, repoName })}>
        {orgName}/{repoName}
      </Link>
      <p>
        {amountOf(draft.changes)} not committed yet.
        {isHidden(error) &&
          ' The repository no longer exists under this name, or you do not have access. Open the draft to see your options.'}
      </p>
      {isHidden(error) && <Discard draft={draft} />}
    </>
  );
}

export function useDropping({ changes, drop, restore }: Draft) {
  const say = useNotice();
  const take = (dropped: readonly Change[], text: string) => {
    drop(dropped);
    say({
      text: <Text most={400}>{text}</Text>,
      undo: {
        label: 'Undo',
        run: async () => {
          const isBack = new Set(restore(dropped, changes));
          const taken = dropped.filter((one) => !isBack.has(one));
          say({ text: <Text most={400}>{restoredText([...isBack], taken)}</Text>, isFailure: isBack.size === 0 });
        },
      },
    });
  };
  return {
    dropOne: (change: Change) => {
      take([change], `Discarded: ${titleOf(change)}.`);
      focusContent();
    },
    dropAll: () => take(changes, `Your draft was discarded: ${amountOf(changes)} removed.`),
  };
}
