import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { isHidden } from '../../app/problem.ts';
import { repository } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { amountOf } from './change.ts';
import { useDraft, useDraftedNames } from './kept-draft.ts';
import { Discard } from './stranded-draft.tsx';

/** All that are begun in this tab, also of repositories that are not there any more. */
export function OpenDrafts() {
  const names = useDraftedNames();
  if (names.length === 0) return null;
  return (
    <section>
      <h2>Your drafts</h2>
      <p className="quiet">They are kept in this tab until they are committed.</p>
      <ul className="cards">
        {names.map((sight) => (
          <li key={`${sight.orgName}/${sight.repoName}`}>
            <OpenDraft sight={sight} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function OpenDraft({ sight }: { sight: Sight }) {
  const draft = useDraft(sight);
  const { error } = useQuery(repository(sight));
  const { orgName, repoName } = sight;
  return (
    <>
      <Link to="/$orgName/$repoName/draft" params={{ orgName, repoName }}>
        {orgName}/{repoName}
      </Link>
      <p>
        {amountOf(draft.changes)} not committed yet.
        {isHidden(error) &&
          ' No repository is called so any more, or you may not see it: open the draft to see what can be done.'}
      </p>
      {isHidden(error) && <Discard draft={draft} />}
    </>
  );
}
