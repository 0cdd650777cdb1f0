import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { toCommit } from '../../app/links.ts';
import { atOf, homeName, useSight } from '../../app/sight.ts';
import { NumberForm } from '../../ui/field.tsx';
import { Page, PagedList } from '../../ui/page.tsx';
import { Calls } from './calls.tsx';
import { commitLog } from './commit.ts';
import { CommitList } from './commit-list.tsx';

export function Commits() {
  const sight = useSight();
  const navigate = useNavigate();
  const log = useInfiniteQuery(commitLog(sight));
  const jump = (
    <NumberForm className="jump" label="Go to commit" onGo={(repoSeq) => void navigate(toCommit(sight, repoSeq))} />
  );
  return (
    <Page title="Commits" within={homeName(sight)} beside={jump}>
      <p className="hint">
        A commit is a set of changes that is written as a whole, with an author and a message. Earlier versions remain
        readable.
      </p>
      <PagedList query={log} what="commits" none={<p className="quiet">There are no commits yet.</p>}>
        {(commits) => <CommitList sight={sight} commits={commits} />}
      </PagedList>
      <Calls shown={[{ what: 'The commits, newest first', procedure: 'commit.log', options: atOf(sight) }]} />
    </Page>
  );
}
