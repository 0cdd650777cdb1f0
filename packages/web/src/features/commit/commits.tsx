import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { toCommit } from '../../app/links.ts';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import { NumberForm } from '../../ui/field.tsx';
import { PagedList, useTitle } from '../../ui/page.tsx';
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
      <PagedList query={log} what="commits" none={<p className="quiet">There are no commits yet.</p>}>
        {(commits) => <CommitList sight={sight} commits={commits} />}
      </PagedList>
      <Calls shown={[{ what: 'The commits, newest first', procedure: 'commit.log', options: atOf(sight) }]} />
    </>
  );
}

function Jump({ sight }: { sight: Sight }) {
  const navigate = useNavigate();
  return (
    <NumberForm className="jump" label="Go to commit" onGo={(repoSeq) => void navigate(toCommit(sight, repoSeq))} />
  );
}
