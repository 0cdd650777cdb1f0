import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLive } from '../../app/live.tsx';
import { useSession } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { organization } from '../../data/queries.ts';
import { Missing } from '../../parts/missing.tsx';
import { PerhapsPrivate } from '../../parts/perhaps-private.tsx';
import { Text } from '../../parts/text.tsx';
import { LostDraft } from './lost-draft.tsx';

/** What is not there, or not to be seen. Its organization is offered where there is one. */
export function NoRepository({ sight }: { sight: Sight }) {
  const { orgName, repoName } = sight;
  const { data: around } = useQuery(organization(orgName));
  return (
    <>
      <Missing title="There is no such repository">
        <p>
          No repository is called <Text>{`${orgName}/${repoName}`}</Text>, or you may not see it.
        </p>
        <PerhapsPrivate />
        <p>
          See{' '}
          {around !== undefined && (
            <>
              <Link to="/$orgName" params={{ orgName }}>
                the repositories of {orgName}
              </Link>
              , or{' '}
            </>
          )}
          <Link to="/">all that there is</Link>.
        </p>
      </Missing>
      <LostDraft sight={sight} />
    </>
  );
}

/** That a repository was closed to who looks at it: what they see is all that they will. */
export function ClosedNote({ sight: { orgName, repoName } }: { sight: Sight }) {
  const { state } = useLive();
  const { isEnded } = useSession();
  if (state !== 'closed' || isEnded) return null;
  return (
    <section className="problem" role="alert">
      <p>
        You can no longer read {orgName}/{repoName}: it was made private, renamed or deleted, or your role was taken.
        What you still see was loaded before. See <Link to="/">all that there is</Link>.
      </p>
      <PerhapsPrivate />
    </section>
  );
}
