import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { toRepository } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { Permitted } from '../../app/permitted.tsx';
import { handleOf, organizationsToMakeIn, whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { ChoiceField, NameField } from '../../ui/field.tsx';
import { Loaded, Page, SignInFirst } from '../../ui/page.tsx';
import { ABOUT_NOTHING, AboutFields, newAbout } from './about-fields.tsx';

export function NewRepository() {
  const { orgName } = useParams({ from: '/$orgName' });
  return (
    <Page title="New repository" within={orgName}>
      {WHAT_IT_IS}
      <Permitted place={{ orgName }} scope="org:configure">
        <RepositoryForm key={orgName} first={orgName} />
      </Permitted>
    </Page>
  );
}

export function NewRepositoryAnywhere() {
  const { data: person } = useQuery(whoami);
  const places = useQuery(organizationsToMakeIn);
  const own = handleOf(person) ?? '';
  return (
    <Page title="New repository">
      {WHAT_IT_IS}
      {person?.kind === 'anonymous' ? (
        <SignInFirst what="create a repository" />
      ) : (
        <Loaded query={places} what="your organizations" isPart>
          {(names) => {
            const first = names.includes(own) ? own : names[0];
            return first === undefined ? (
              <p className="not-permitted">
                You cannot create repositories in any organization. Ask an admin of an organization for a role that
                includes it.
              </p>
            ) : (
              <RepositoryForm first={first} />
            );
          }}
        </Loaded>
      )}
    </Page>
  );
}

const WHAT_IT_IS = <p>A repository holds records, the shapes that define their fields, and their full history.</p>;

const VISIBILITIES = [
  { value: 'private', label: 'Private: only people with a role can read it' },
  { value: 'public', label: 'Public: everyone can read it without signing in' },
] as const;

function RepositoryForm({ first }: { first: string }) {
  const { data: others = [] } = useQuery(organizationsToMakeIn);
  const options = [...new Set([first, ...others])].sort().map((value) => ({ value }));
  const { invalidate, navigate, say } = useFollowUp();
  const { form, field } = useForm(
    { orgName: first, name: '', ...ABOUT_NOTHING, visibility: 'private' as 'private' | 'public' },
    {
      run: ({ orgName, name, visibility, ...about }) =>
        client.repo.create(orgName, name, { ...newAbout(about), visibility }),
      taken: '/name',
      done: async (_made, { orgName, name }) => {
        await invalidate(['repositories']);
        await navigate(toRepository({ orgName: orgName, repoName: name }));
        say({ text: `The repository ${orgName}/${name} was created.` });
      },
    },
  );
  return (
    <ActionForm label="New repository" action="Create repository" doing="Creating…" {...form}>
      <ChoiceField
        label="Organization"
        options={options}
        {...field('orgName')}
        hint="Its members can access the repository according to their roles."
      />
      <NameField
        of="repository"
        label="Name"
        isRequired
        hint="Letters, digits, ., _ and -. Do not start with a dot."
        {...field('name')}
      />
      <AboutFields field={field} />
      <ChoiceField label="Visibility" options={VISIBILITIES} {...field('visibility')} />
    </ActionForm>
  );
}
