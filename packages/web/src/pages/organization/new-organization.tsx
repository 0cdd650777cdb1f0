import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useNotice } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { whoami } from '../../data/queries.ts';
import { ActionForm } from '../../parts/form/action-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { useWrite } from '../../parts/form/use-write.ts';
import { SignInFirst } from '../../parts/sign-in-first.tsx';
import { useTitle } from '../../parts/title.ts';

/** Who makes it becomes its owner. */
export function NewOrganization() {
  useTitle('New organization');
  const { data: person } = useQuery(whoami);
  return (
    <>
      <h1>New organization</h1>
      <p>
        An organization holds repositories, and the people who work on them. You become its owner. Of your own you have
        one already, called like you.
      </p>
      {person?.kind === 'anonymous' && <SignInFirst what="make an organization" />}
      {person !== undefined && 'operator' in person && (
        <>
          {!person.operator && (
            <p className="quiet">
              Who runs this server decides who may make organizations. If it is not open to all, you will be told so.
            </p>
          )}
          <OrganizationForm />
        </>
      )}
    </>
  );
}

const FIELDS = ['/name', '/displayName', '/description'];

function OrganizationForm() {
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [description, setDescription] = useState('');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useNotice();
  const { form, problemAt } = useWrite({
    run: () =>
      client.org.create(name, { description, ...(displayName.trim() !== '' && { displayName: displayName.trim() }) }),
    fields: FIELDS,
    done: async () => {
      await Promise.all(['organizations', 'whoami'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
      await navigate({ to: '/$orgName', params: { orgName: name } });
      say({ text: `The organization ${name} is made. You are its owner.` });
    },
  });
  return (
    <ActionForm label="New organization" action="Make the organization" doing="Making it…" {...form}>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        hint="1 to 39 of a-z, 0-9 and -. It stands in addresses and in names of repositories."
        problem={problemAt('/name')}
      />
      <TextField
        label="Shown name"
        value={displayName}
        onChange={setDisplayName}
        hint="What people call it, such as Acme, Inc. Without one, the name."
        problem={problemAt('/displayName')}
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        isLong
        problem={problemAt('/description')}
      />
    </ActionForm>
  );
}
