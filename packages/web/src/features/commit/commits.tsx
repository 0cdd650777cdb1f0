import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId } from 'react';
import { atOf, type Sight, timeOf, useSight } from '../../app/sight.ts';
import { SecondaryButton } from '../../ui/button.tsx';
import { Loaded, useTitle } from '../../ui/page.tsx';
import { Calls } from './calls.tsx';
import { commitLog } from './commit.ts';
import { CommitList } from './commit-list.tsx';

export function Commits() {
  const sight = useSight();
  useTitle('Commits', `${sight.orgName}/${sight.repoName}`);
  const log = useInfiniteQuery(commitLog(sight));
  return (
    <>
      <div className="heading-row">
        <h1>Commits</h1>
        <Jump sight={sight} />
      </div>
      <p className="hint">
        A commit is a set of changes that is written as a whole, with an author and a message. Earlier versions remain
        readable.
      </p>
      <Loaded query={log} what="commits" isPart>
        {({ pages }) => <CommitList sight={sight} commits={pages.flatMap(({ items }) => items)} />}
      </Loaded>
      {log.data?.pages.at(0)?.items.length === 0 && <p className="quiet">There are no commits yet.</p>}
      {log.hasNextPage && (
        <SecondaryButton disabled={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {log.isFetchingNextPage ? 'Loading older commits…' : 'Show older commits'}
        </SecondaryButton>
      )}
      <Calls shown={[{ what: 'The commits, newest first', procedure: 'commit.log', options: atOf(sight) }]} />
    </>
  );
}

function Jump({ sight }: { sight: Sight }) {
  const navigate = useNavigate();
  const id = useId();
  const go = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const repoSeq = String(new FormData(event.currentTarget).get('repoSeq'));
    void navigate({ to: '/$orgName/$repoName/commits/$repoSeq', params: { ...sight, repoSeq }, search: timeOf(sight) });
  };
  return (
    <form className="jump" onSubmit={go}>
      <label htmlFor={id}>Go to commit</label>
      <input id={id} name="repoSeq" type="number" min={1} step={1} required inputMode="numeric" />
      <button type="submit" className="small">
        Go
      </button>
    </form>
  );
}
