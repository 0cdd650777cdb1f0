import type { MemberResult, OrganizationRole } from '@cairn/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNotice } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { ChoiceField, TextField } from '../../ui/field.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { InvitationLink } from './invitation-link.tsx';
import { members, nameOf } from './member.ts';
import { roleOptions } from './member-row.tsx';
import { ORGANIZATION_ROLE_WORDS } from './role.ts';

interface InviteProps {
  readonly orgName: string;
  readonly mayMakeOwners: boolean;
}

/** An account becomes a member at once; an address that nobody is known by gets a link. */
export function Invite({ orgName, mayMakeOwners }: InviteProps) {
  const [person, setPerson] = useState('');
  const [role, setRole] = useState<OrganizationRole>('viewer');
  const [invited, setInvited] = useState<MemberResult>();
  const queries = useQueryClient();
  const say = useNotice();
  const { form, problemAt } = useWrite({
    run: () => client.org.addMember(orgName, person.trim(), role),
    fields: ['/handle', '/email', '/role'],
    unknown: '/handle',
    done: async (result) => {
      setPerson('');
      setInvited(result);
      if (result.link === undefined) say({ text: `${nameOf(result)} is ${result.role} of ${orgName} now.` });
      await queries.invalidateQueries({ queryKey: members(orgName).queryKey });
    },
  });
  return (
    <>
      <h2>Invite somebody</h2>
      {invited !== undefined && (
        <InvitationLink name={nameOf(invited)} invitation={invited} onDone={() => setInvited(undefined)} />
      )}
      <ActionForm label="Invite somebody" action="Invite" doing="Inviting…" {...form}>
        <TextField
          label="Handle or email address"
          value={person}
          onChange={setPerson}
          isRequired
          hint="Who has an account here is a member at once. An address that no account is known by is invited by a link."
          problem={problemAt('/handle') ?? problemAt('/email')}
        />
        <ChoiceField
          label="Role"
          value={role}
          options={roleOptions(mayMakeOwners)}
          onChange={setRole}
          hint={ORGANIZATION_ROLE_WORDS[role]}
          problem={problemAt('/role')}
        />
      </ActionForm>
    </>
  );
}
