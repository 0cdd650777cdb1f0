import { splitWref } from '@cairn/model/wref';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toCommit, toEdit, toNamed } from '../../app/links.ts';
import { commitAt } from '../../app/queries.ts';
import { type Sight, timeOf, useSight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { record } from './record.ts';

export function RecordLink({ wref, children }: { wref: string; children?: string }) {
  const sight = useSight();
  const { orgName = sight.orgName, repoName = sight.repoName, name, version } = splitWref(wref);
  const isHere = orgName === sight.orgName && repoName === sight.repoName;
  const search = { ...(isHere && timeOf(sight)), ...(version !== undefined && { version }) };
  return (
    <Link {...toNamed({ orgName, repoName }, name, search)}>
      <Text>{children ?? wref}</Text>
    </Link>
  );
}

/** Null for a record that the viewer may not see. */
export const PerhapsHidden = ({ wref }: { wref: string | null }) =>
  wref === null ? <span className="quiet">hidden from you</span> : <RecordLink wref={wref} />;

export const CommitLink = ({ sight, repoSeq }: { sight: Sight; repoSeq: number }) => (
  <Link {...toCommit(sight, repoSeq)}>commit {repoSeq.toLocaleString('en')}</Link>
);

/** The message of a commit, after a colon. */
export function CommitMessage({ sight, repoSeq }: { sight: Sight; repoSeq: number }) {
  const { data } = useQuery(commitAt(sight, repoSeq));
  const message = data?.items.find((commit) => commit.repoSeq === repoSeq)?.message;
  return (
    message && (
      <>
        : <Text>{message}</Text>
      </>
    )
  );
}

export function StepLinks({ sight, name }: { readonly sight: Sight; readonly name: string }) {
  return (
    <>
      <Link {...toEdit(sight, name, { step: 'rename' })}>Rename</Link>
      <Link {...toEdit(sight, name, { step: 'retract' })}>Retract</Link>
    </>
  );
}

interface NameNoteProps {
  readonly sight: Sight;
  readonly durableId: string;
  readonly name: string;
  readonly askedAs: string | undefined;
}

export function NameNote({ sight, durableId, name, askedAs }: NameNoteProps) {
  const { orgName, repoName } = sight;
  const isPast = sight.at !== undefined;
  const now = useQuery({ ...record({ orgName, repoName }, durableId), enabled: isPast });
  if (!isPast) {
    if (askedAs === undefined) return null;
    return (
      <p className="quiet">
        Formerly <Text>{askedAs}</Text>.
      </p>
    );
  }
  const present = now.data?.name;
  if (present === undefined || present === name) return null;
  return (
    <p className="quiet">
      Now called{' '}
      <Link {...toNamed({ orgName, repoName }, present)}>
        <Text>{present}</Text>
      </Link>
      .
    </p>
  );
}
