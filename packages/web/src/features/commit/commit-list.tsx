import type { CommitRecord } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { toCommit } from '../../app/links.ts';
import { useLive } from '../../app/live.tsx';
import type { Sight } from '../../app/sight.ts';
import { Author, Moment } from '../../ui/byline.tsx';
import { Text } from '../../ui/text.tsx';

export function CommitList({ sight, commits }: { sight: Sight; commits: readonly CommitRecord[] }) {
  const seen = useSeenBefore(commits.at(0)?.repoSeq);
  return (
    <ol className="commits">
      {commits.map((commit) => (
        <li key={commit.repoSeq} value={commit.repoSeq} className={commit.repoSeq > seen ? 'changed' : undefined}>
          <CommitLine sight={sight} commit={commit} />
        </li>
      ))}
    </ol>
  );
}

function CommitLine({ sight, commit }: { sight: Sight; commit: CommitRecord }) {
  const { repoSeq, createdBy, createdAt, operationCount, imported } = commit;
  return (
    <>
      <Link {...toCommit(sight, repoSeq)}>
        <span className="sequence">{repoSeq.toLocaleString('en')}</span> <Message message={commit.message} />
      </Link>
      <p className="quiet">
        <Author createdBy={createdBy} />, <Moment at={createdAt} />, {counted(operationCount, imported)}
      </p>
    </>
  );
}

export function Message({ message }: { message: string | null }) {
  if (message === null) return <em className="quiet">Hidden message</em>;
  const [line = ''] = message.trim().split('\n', 1);
  return line === '' ? <em className="quiet">No message</em> : <Text>{line}</Text>;
}

export function counted(count: number, imported?: true): string {
  const many = count.toLocaleString('en');
  if (imported) return `an import of ${many} rows`;
  return count === 1 ? '1 operation' : `${many} operations`;
}

function useSeenBefore(newest = Number.POSITIVE_INFINITY): number {
  const { changed } = useLive();
  const [seen, setSeen] = useState(newest);
  useEffect(() => {
    if (changed.size === 0) setSeen(newest);
  }, [changed, newest]);
  return seen;
}
