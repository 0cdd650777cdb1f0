import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { toRepository } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { Permitted } from '../../app/permitted.tsx';
import { organizationsToMakeIn, whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { ActionForm, useWrite } from '../../ui/action-form.tsx';
import { ChoiceField, NameField } from '../../ui/field.tsx';
import { Loaded, SignInFirst, useTitle } from '../../ui/page.tsx';
import { ABOUT_NOTHING, ABOUT_PLACES, AboutFields, newAbout } from './about-fields.tsx';

export function NewRepository() {
  const { orgName } = useParams({ from: '/$orgName' });
  useTitle('New repository', orgName);
  return (
    <>
      <Heading />
      <Permitted place={{ orgName }} scope="org:configure">
        <RepositoryForm key={orgName} first={orgName} />
      </Permitted>
    </>
  );
}

export function NewRepositoryAnywhere() {
  useTitle('New repository');
  const { data: person } = useQuery(whoami);
  const places = useQuery(organizationsToMakeIn);
  const own = person !== undefined && 'handle' in person ? person.handle : '';
  return (
    <>
      <Heading />
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
    </>
  );
}

const Heading = () => (
  <>
    <h1>New repository</h1>
    <p>A repository holds records, the shapes that define their fields, and their full history.</p>
  </>
);

const VISIBILITIES = [
  { value: 'private', label: 'Private: only people with a role can read it' },
  { value: 'public', label: 'Public: everyone can read it without signing in' },
] as const;

function RepositoryForm({ first }: { first: string }) {
  const [orgName, setOrgName] = useState(first);
  const { data: others = [] } = useQuery(organizationsToMakeIn);
  const options = [...new Set([first, ...others])].sort().map((value) => ({ value }));
  const [name, setName] = useState('');
  const [about, setAbout] = useState(ABOUT_NOTHING);
  const [visibility, setVisibility] = useState<'private' | 'public'>('private');
  const { invalidate, navigate, say } = useFollowUp();
  const { form, problemAt } = useWrite({
    run: () => client.repo.create(orgName, name, { ...newAbout(about), visibility }),
    taken: '/name',
    fields: ['/name', ...ABOUT_PLACES],
    done: async () => {
      await invalidate(['repositories']);
      await navigate(toRepository({ orgName: orgName, repoName: name }));
      say({ text: `The repository ${orgName}/${name} was created.` });
    },
  });
  return (
    <ActionForm label="New repository" action="Create repository" doing="Creating…" {...form}>
      <ChoiceField
        label="Organization"
        value={orgName}
        options={options}
        onChange={setOrgName}
        hint="Its members can access the repository according to their roles."
      />
      <NameField
        of="repository"
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        hint="Letters, digits, ., _ and -. Do not start with a dot."
        problem={problemAt('/name')}
      />
      <AboutFields about={about} onChange={setAbout} problemAt={problemAt} />
      <ChoiceField label="Visibility" value={visibility} options={VISIBILITIES} onChange={setVisibility} />
    </ActionForm>
  );
}
