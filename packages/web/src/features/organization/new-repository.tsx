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
        <SignInFirst what="make a repository" />
      ) : (
        <Loaded query={places} what="where you may make one" isPart>
          {(names) => {
            const first = names.includes(own) ? own : names[0];
            return first === undefined ? (
              <p className="not-permitted">
                A repository belongs to an organization, and there is none in which you may make one. An admin of an
                organization can give you a role that lets you.
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
    <p>A repository holds records, the shapes that say what is in them, and all that they ever were.</p>
  </>
);

const VISIBILITIES = [
  { value: 'private', label: 'Private: for those alone who have a role' },
  { value: 'public', label: 'Public: everybody may read it, without signing in' },
] as const;

function RepositoryForm({ first }: { first: string }) {
  const [orgName, setOrgName] = useState(first);
  const { data: others = [] } = useQuery(organizationsToMakeIn);
  const options = [...new Set([first, ...others])].sort().map((value) => ({ value }));
  const [name, setName] = useState('');
  const [about, setAbout] = useState(ABOUT_NOTHING);
  const [visibility, setVisibility] = useState<'private' | 'public'>('private');
  const { queries, navigate, say } = useFollowUp();
  const { form, problemAt } = useWrite({
    run: () => client.repo.create(orgName, name, { ...newAbout(about), visibility }),
    taken: '/name',
    fields: ['/name', ...ABOUT_PLACES],
    done: async () => {
      await queries.invalidateQueries({ queryKey: ['repositories'] });
      await navigate(toRepository({ orgName: orgName, repoName: name }));
      say({ text: `The repository ${orgName}/${name} is made.` });
    },
  });
  return (
    <ActionForm label="New repository" action="Make the repository" doing="Making it…" {...form}>
      <ChoiceField
        label="Organization"
        value={orgName}
        options={options}
        onChange={setOrgName}
        hint="Where it belongs: its members may do there what their role gives."
      />
      <NameField
        of="repository"
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        hint="Letters, digits, ., _ and -, not beginning with a dot."
        problem={problemAt('/name')}
      />
      <AboutFields about={about} onChange={setAbout} problemAt={problemAt} />
      <ChoiceField label="Who may read it" value={visibility} options={VISIBILITIES} onChange={setVisibility} />
    </ActionForm>
  );
}
