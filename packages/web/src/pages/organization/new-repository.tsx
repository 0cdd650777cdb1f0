import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useNotice } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { organizationsToMakeIn } from '../../data/queries.ts';
import { ActionForm } from '../../parts/form/action-form.tsx';
import { ChoiceField, TextField } from '../../parts/form/field.tsx';
import { useWrite } from '../../parts/form/use-write.ts';
import { Permitted } from '../../parts/permitted.tsx';
import { useTitle } from '../../parts/title.ts';

export function NewRepository() {
  const { orgName } = useParams({ from: '/$orgName' });
  useTitle('New repository', orgName);
  return (
    <>
      <h1>New repository</h1>
      <p>A repository holds records, the shapes that say what is in them, and all that they ever were.</p>
      <Permitted place={{ orgName }} scope="org:configure">
        <RepositoryForm key={orgName} first={orgName} />
      </Permitted>
    </>
  );
}

const VISIBILITIES = [
  { value: 'private', label: 'Private: for those alone who have a role' },
  { value: 'public', label: 'Public: everybody may read it, without signing in' },
] as const;

const FIELDS = ['/name', '/description'];

/** `first` is the organization that is chosen unless another is. */
function RepositoryForm({ first }: { first: string }) {
  const [orgName, setOrgName] = useState(first);
  const { data: others = [] } = useQuery(organizationsToMakeIn);
  const options = [...new Set([first, ...others])].sort().map((value) => ({ value }));
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [visibility, setVisibility] = useState<'private' | 'public'>('private');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useNotice();
  const { form, problemAt } = useWrite({
    run: () => client.repo.create(orgName, name, { description, visibility }),
    fields: FIELDS,
    done: async () => {
      await queries.invalidateQueries({ queryKey: ['repositories'] });
      await navigate({ to: '/$orgName/$repoName', params: { orgName, repoName: name } });
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
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        hint="Letters, digits, ., _ and -, not beginning with a dot."
        problem={problemAt('/name')}
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        isLong
        problem={problemAt('/description')}
      />
      <ChoiceField label="Who may read it" value={visibility} options={VISIBILITIES} onChange={setVisibility} />
    </ActionForm>
  );
}
