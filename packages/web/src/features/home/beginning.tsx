import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { problemOf } from '../../app/problem.ts';
import { whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { CommandNote } from '../../ui/command-note.tsx';
import { DEMO_NAME, writeValley } from './valley.ts';

/** For who sees nothing yet: what a repository is, and how to come by one. */
export function Beginning() {
  const { data: person } = useQuery(whoami);
  const handle = person !== undefined && 'handle' in person ? person.handle : undefined;
  return (
    <section className="beginning">
      <p>
        A repository holds records, the shapes that say what is in them, and everything that was ever said about them.
        There is none yet that you can see.
      </p>
      {handle !== undefined && <MakeDemo orgName={handle} />}
      {handle !== undefined && (
        <p>
          Or make{' '}
          <Link to="/$orgName/-/new-repository" params={{ orgName: handle }}>
            an empty one of your own
          </Link>
          .
        </p>
      )}
      {handle !== undefined && (
        <>
          <p>
            Or make one from the command line. <CommandNote />
          </p>
          <pre>
            <code>{`cairn auth login --url ${window.location.origin}\ncairn repo create ${handle}/world`}</code>
          </pre>
        </>
      )}
      {person?.kind === 'anonymous' && (
        <p>
          To make one, <a href="/auth/sign-in">sign in</a>. On a new server nobody can yet: who has the set-up link,
          which the server prints when it starts, opens it and begins.
        </p>
      )}
      <p>
        <a href="/docs/get-started">Get started</a> goes on from there.
      </p>
    </section>
  );
}

function MakeDemo({ orgName }: { orgName: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => writeValley(client, orgName),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['repositories'] });
      await navigate({ to: '/$orgName/$repoName', params: { orgName, repoName: DEMO_NAME } });
    },
  });
  return (
    <>
      <p>
        To see how it works, make a small one that is filled already; it can be deleted at any time, in its settings.
      </p>
      <button type="button" disabled={isPending} onClick={() => mutate()}>
        {isPending ? 'Making it…' : `Make the demo repository ${orgName}/${DEMO_NAME}`}
      </button>
      {error !== null && (
        <p className="problem" role="alert">
          {problemOf(error).advice}
        </p>
      )}
    </>
  );
}
