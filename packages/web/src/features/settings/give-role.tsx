import type { RepositoryRole, RepositoryRoleResult } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../app/session.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { ChoiceField, TextField } from '../../ui/field.tsx';
import { Text } from '../../ui/text.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { InvitationLink } from '../organization/invitation-link.tsx';
import { everyMember, nameOf } from '../organization/member.ts';
import { isLessThan, REPOSITORY_ROLE_NAMES, REPOSITORY_ROLE_WORDS, roleInRepositories } from '../organization/role.ts';

interface GiveRoleProps {
  readonly orgName: string;
  readonly repoName: string;
  readonly onGiven: (text: string) => Promise<unknown>;
}

const OPTIONS = REPOSITORY_ROLE_NAMES.map((value) => ({ value }));

export function GiveRole({ orgName, repoName, onGiven }: GiveRoleProps) {
  const [person, setPerson] = useState('');
  const [role, setRole] = useState<RepositoryRole>('read');
  const [invited, setInvited] = useState<RepositoryRoleResult>();
  const { form, problemAt } = useWrite({
    run: () => client.repo.setRole(orgName, repoName, person.trim(), role),
    done: async (given) => {
      setPerson('');
      setInvited(given);
      await onGiven(`${nameOf(given)} has the role ${role} here${given.link === undefined ? '' : ', once invited'}.`);
    },
    fields: ['/handle', '/email', '/role'],
    unknown: '/handle',
  });
  return (
    <>
      {invited !== undefined && (
        <InvitationLink name={nameOf(invited)} invitation={invited} onDone={() => setInvited(undefined)} />
      )}
      <ActionForm
        label="Give a role"
        action="Give the role"
        doing="Giving it…"
        {...form}
        isReady={person.trim() !== ''}
      >
        <TextField
          label="Handle or email address"
          value={person}
          onChange={setPerson}
          hint="A role that they have here already is replaced."
          problem={problemAt('/handle') ?? problemAt('/email')}
        />
        <ChoiceField
          label="Role in this repository"
          value={role}
          options={OPTIONS}
          onChange={setRole}
          hint={REPOSITORY_ROLE_WORDS[role]}
          problem={problemAt('/role')}
        />
        <TakenAway orgName={orgName} person={person.trim()} role={role} />
      </ActionForm>
    </>
  );
}

interface TakenAwayProps {
  readonly orgName: string;
  readonly person: string;
  readonly role: RepositoryRole;
}

/** Said to who is about to give somebody less than they have: the role here is in place of the one there, not beside it. */
function TakenAway({ orgName, person, role }: TakenAwayProps) {
  const { data: members = [] } = useQuery({ ...everyMember(orgName), enabled: person !== '' });
  const member = members.find(({ handle, email }) => handle === person || email === person);
  const present = member && roleInRepositories(member.role);
  return (
    <div role="status">
      {member !== undefined && present !== undefined && isLessThan(role, present) && (
        <p>
          This takes rights away. As {member.role} of {orgName}, <Text>{person}</Text> may do here what the role{' '}
          {present} gives; from then on only what {role} gives.
        </p>
      )}
    </div>
  );
}
