import { ORGANIZATION_ROLES } from '@cairn/protocol/roles';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Calls } from '../../app/calls.tsx';
import { useMay } from '../../app/may.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { MorePages } from '../../ui/more-pages.tsx';
import { Permitted } from '../../ui/permitted.tsx';
import { useTitle } from '../../ui/title.ts';
import { members, nameOf } from './member.ts';
import { MemberRow, roleOptions } from './member-row.tsx';
import { ORGANIZATION_ROLE_WORDS, rightText } from './role.ts';
import { RoleMeaning } from './role-meaning.tsx';
import '../../ui/css/organization.css';
import type { MemberResult, OrganizationRole } from '@cairn/sdk';
import { useNotice } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { ChoiceField, TextField } from '../../ui/field.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { InvitationLink } from './invitation-link.tsx';

/** Who belongs to the organization, in which role, and who is invited. */
export function Members() {
  const { orgName } = useParams({ from: '/$orgName' });
  useTitle('Members', orgName);
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        Members
      </h1>
      <Permitted place={{ orgName }} scope="org:read">
        <MemberList orgName={orgName} onGone={() => heading.current?.focus()} />
        <Calls shown={[{ what: 'The members', procedure: 'org.listMembers', command: 'org members' }]} />
      </Permitted>
    </>
  );
}

function MemberList({ orgName, onGone }: { orgName: string; onGone: () => void }) {
  const list = useInfiniteQuery(members(orgName));
  const mayInvite = useMay({ orgName }, 'org:configure') === true;
  const mayMakeOwners = useMay({ orgName }, 'org:admin') === true;
  const all = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const owners = all.filter(({ role, pending }) => role === 'owner' && !pending);
  return (
    <>
      <Loaded query={list} what="members" isPart>
        {() => (
          <ul className="entries">
            {all.map((member) => (
              <li key={nameOf(member)}>
                <MemberRow
                  orgName={orgName}
                  member={member}
                  mayChange={mayInvite && (member.role !== 'owner' || mayMakeOwners)}
                  mayMakeOwners={mayMakeOwners}
                  isOnlyOwner={!list.hasNextPage && owners.length === 1 && owners[0] === member}
                  onGone={onGone}
                />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <MorePages query={list} what="members" />
      <p className="hint">
        These roles hold in every repository of {orgName}. Who was given another role in one of them has that one there,
        members or not: it is shown in the settings of{' '}
        <Link to="/$orgName" params={{ orgName }}>
          the repository
        </Link>
        .
      </p>
      <RoleMeaning words={ORGANIZATION_ROLE_WORDS} scopes={ORGANIZATION_ROLES} />
      {mayInvite ? (
        <Invite orgName={orgName} mayMakeOwners={mayMakeOwners} />
      ) : (
        <p className="quiet">
          To invite people and to give them other roles takes the right to {rightText('org:configure')}, which admins
          and owners have.
        </p>
      )}
    </>
  );
}

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
