import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLive } from '../../app/live.tsx';
import { repositoryFate, whoami } from '../../app/queries.ts';
import { useSession } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { Moment } from '../../ui/moment.tsx';
import { PerhapsPrivate } from '../../ui/perhaps-private.tsx';

interface ClosedNoteProps {
  readonly sight: Sight;
  /** By which it is known under any name. */
  readonly createdAt: number;
}

/** That a repository was closed to who looks at it: what they see is all that they will, until it is opened again. */
export function ClosedNote({ sight, createdAt }: ClosedNoteProps) {
  const { state } = useLive();
  const { isEnded } = useSession();
  if (state !== 'closed' || isEnded) return null;
  return (
    <section className="problem" role="alert">
      <p>
        You can no longer read {sight.orgName}/{sight.repoName}: <Fate sight={sight} createdAt={createdAt} /> What you
        still see was loaded before. See <Link to="/">all that there is</Link>.
      </p>
      <PerhapsPrivate />
    </section>
  );
}

/** What became of it, as far as who looks can know. */
function Fate({ sight: { orgName, repoName }, createdAt }: ClosedNoteProps) {
  const { data: person } = useQuery(whoami);
  const isKnown = person !== undefined && person.kind !== 'anonymous';
  // What was known before it was closed says nothing.
  const { data: fate } = useQuery({ ...repositoryFate(createdAt), staleTime: 0, enabled: isKnown });
  if (fate?.kind === 'deleted') {
    return (
      <>
        it was deleted (<Moment at={fate.at} />
        ). For 30 days it can be restored in{' '}
        <Link to="/$orgName/-/settings" params={{ orgName }}>
          the settings of {orgName}
        </Link>
        .
      </>
    );
  }
  if (fate?.kind === 'renamed' && (fate.orgName !== orgName || fate.repoName !== repoName)) {
    const { kind: _, ...params } = fate;
    return (
      <>
        it is called{' '}
        <Link to="/$orgName/$repoName" params={params}>
          {fate.orgName}/{fate.repoName}
        </Link>{' '}
        now.
      </>
    );
  }
  return <>it was made private, renamed or deleted, or your role was taken.</>;
}
