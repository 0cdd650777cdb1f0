import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { organization } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { Missing } from '../../ui/missing.tsx';
import { PerhapsPrivate } from '../../ui/perhaps-private.tsx';
import { Text } from '../../ui/text.tsx';
import { useTitle } from '../../ui/title.ts';
import { LostDraft } from './lost-draft.tsx';

/** What is not there, or not to be seen. Its organization is offered where there is one. */
export function NoRepository({ sight }: { sight: Sight }) {
  const { orgName, repoName } = sight;
  useTitle('No such repository', `${orgName}/${repoName}`);
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
