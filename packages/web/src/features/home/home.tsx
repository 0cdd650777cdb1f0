import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toNewRepository, toOrganization, toRepository } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { handleOf, organizations, ownOrganizations, repositories, whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { List } from '../../ui/list.tsx';
import { Failure, Loaded, Page } from '../../ui/page.tsx';
import { CommandNote, Text } from '../../ui/text.tsx';
import { OpenDrafts } from '../change/stranded-draft.tsx';
import { Calls } from '../commit/calls.tsx';
import { RepositoryList } from '../organization/repository-list.tsx';
import { DEMO_NAME, writeValley } from './valley.ts';

const SHOWN = [
  { what: 'The repositories that you can see', procedure: 'repo.list' },
  { what: 'The organizations', procedure: 'org.list' },
];

export function Home() {
  const { data: person } = useQuery(whoami);
  const own = handleOf(person);
  const found = useQuery(repositories());
  return (
    <Page title="Repositories" beside={own && <Link {...toNewRepository(own)}>New repository</Link>}>
      <p>Cairn stores versioned, structured knowledge: records, assertions about them, and their full history.</p>
      {person?.kind === 'anonymous' && (
        <p className="quiet">
          You see public repositories. <a href="/auth/sign-in">Sign in</a> to see your own.
        </p>
      )}
      <Loaded query={found} what="repositories" isPart>
        {({ items }) => (items.length === 0 ? <Beginning /> : <RepositoryList repositories={items} />)}
      </Loaded>
      <OpenDrafts />
      <Organizations own={own} mayMake={person !== undefined && 'handle' in person && person.createsOrganizations} />
      <p>
        To extend a repository, install programs from the <Link to="/-/registry">component registry</Link>.
      </p>
      <Calls shown={SHOWN} />
    </Page>
  );
}

function Organizations({ own, mayMake }: { own: string | undefined; mayMake: boolean }) {
  const query = useQuery(organizations);
  const { data: held = [] } = useQuery(ownOrganizations);
  if (query.data?.items.length === 0 && !mayMake) return null;
  return (
    <>
      <div className="heading-row">
        <h2>Organizations</h2>
        {mayMake && <Link to="/-/new-organization">New organization</Link>}
      </div>
      <Loaded query={query} what="organizations" isPart>
        {({ items }) => (
          <List className="cards" items={items} keyOf={({ name }) => name}>
            {({ name, displayName, description }) => (
              <>
                <Link {...toOrganization(name)}>{name}</Link>{' '}
                <Role isOwn={name === own} role={held.find(({ resource }) => resource === name)?.role} />{' '}
                {displayName !== name && (
                  <span className="quiet">
                    <Text>{displayName}</Text>
                  </span>
                )}
                <p className="quiet">
                  <Text>{description}</Text>
                </p>
              </>
            )}
          </List>
        )}
      </Loaded>
    </>
  );
}

const Role = ({ isOwn, role }: { isOwn: boolean; role: string | undefined }) =>
  (isOwn || role) && <span className="label">{isOwn ? 'yours' : `your role: ${role}`}</span>;

export function Beginning() {
  const { data: person } = useQuery(whoami);
  const handle = handleOf(person);
  return (
    <section className="beginning">
      <p>
        There are no repositories that you can see. A repository holds records, the shapes that define their fields, and
        their full history.
      </p>
      {handle !== undefined && (
        <>
          <MakeDemo orgName={handle} />
          <p>
            Or <Link {...toNewRepository(handle)}>create an empty repository</Link>.
          </p>
          <p>
            Or create one with the CLI. <CommandNote />
          </p>
          <pre>
            <code>{`cairn auth login --url ${window.location.origin}\ncairn repo create ${handle}/world`}</code>
          </pre>
        </>
      )}
      {person?.kind === 'anonymous' && (
        <p>
          To create one, <a href="/auth/sign-in">sign in</a>. A new server has no accounts yet: open the setup link that
          the server printed when it started.
        </p>
      )}
      <p>
        For the next steps, see <a href="/docs/get-started">Get started</a>.
      </p>
    </section>
  );
}

function MakeDemo({ orgName }: { orgName: string }) {
  const { invalidate, navigate } = useFollowUp();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => writeValley(client, orgName),
    onSuccess: async () => {
      await invalidate(['repositories']);
      await navigate(toRepository({ orgName: orgName, repoName: DEMO_NAME }));
    },
  });
  return (
    <>
      <p>
        To see how Cairn works, create a small repository with demo data. You can delete it at any time in its settings.
      </p>
      <Button disabled={isPending} onClick={() => mutate()}>
        {isPending ? 'Creating…' : `Create demo repository ${orgName}/${DEMO_NAME}`}
      </Button>
      <Failure error={error} />
    </>
  );
}
