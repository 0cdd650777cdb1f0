import { REPOSITORY_ROLES } from '@cairn/protocol/scopes';
import type { RepositoryRole, RepositoryRoleHolder, RepositoryRoleResult } from '@cairn/sdk';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFollowUp } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ChoiceField, TextField } from '../../ui/field.tsx';
import { List } from '../../ui/list.tsx';
import { PagedList } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { InvitationLink, NewLink } from '../organization/invitation-link.tsx';
import {
  afterTakingAway,
  everyMember,
  isLessThan,
  memberName,
  REPOSITORY_ROLE_NAMES,
  REPOSITORY_ROLE_WORDS,
  roleHolders,
  roleInRepositories,
} from '../organization/role.ts';
import { RoleMeaning } from '../organization/role-meaning.tsx';

export function RoleHolders({ orgName, repoName }: { orgName: string; repoName: string }) {
  const { invalidate, say } = useFollowUp();
  const list = useInfiniteQuery(roleHolders(orgName, repoName));
  const refresh = async (text: string) => {
    say({ text });
    await invalidate(roleHolders(orgName, repoName).queryKey);
  };
  const takeAway = async (name: string) => {
    await client.repo.setRole(orgName, repoName, name, null);
    await refresh(`${name} no longer has a role in this repository.`);
  };
  return (
    <>
      <p>
        Members of {orgName} have access through their role there. A role that you give somebody in this repository
        replaces it.
      </p>
      <PagedList query={list} what="roles">
        {(holders) => (
          <List className="entries" label="Roles in this repository" items={holders} keyOf={memberName}>
            {(holder) => (
              <HolderRow
                orgName={orgName}
                holder={holder}
                onTakeAway={takeAway}
                onInvite={(name, role) => client.repo.setRole(orgName, repoName, name, role)}
              />
            )}
          </List>
        )}
      </PagedList>
      <GiveRole orgName={orgName} repoName={repoName} onGiven={refresh} />
      <RoleMeaning words={REPOSITORY_ROLE_WORDS} scopes={REPOSITORY_ROLES} />
    </>
  );
}

interface HolderRowProps {
  readonly orgName: string;
  readonly holder: RepositoryRoleHolder;
  readonly onTakeAway: (name: string) => Promise<unknown>;
  readonly onInvite: (name: string, role: RepositoryRole) => Promise<RepositoryRoleResult>;
}

function HolderRow({ orgName, holder, onTakeAway, onInvite }: HolderRowProps) {
  const name = memberName(holder);
  const [invited, setInvited] = useState<RepositoryRoleResult>();
  return (
    <>
      <div>
        <Text>{name}</Text> <span className="label">{holder.role}</span>{' '}
        {holder.pending && <span className="label">invited</span>}
      </div>
      {holder.pending && <NewLink name={name} onConfirm={async () => setInvited(await onInvite(name, holder.role))} />}
      <Confirm
        action="Remove"
        label={`Remove the role of ${name}`}
        title={`Remove the role of ${name} in this repository?`}
        onConfirm={() => onTakeAway(name)}
        isSmall
      >
        <Afterwards orgName={orgName} holder={holder} />
      </Confirm>
      <InvitationLink invitation={invited} onDone={setInvited} />
    </>
  );
}

function Afterwards({ orgName, holder }: Pick<HolderRowProps, 'orgName' | 'holder'>) {
  const { data: members } = useQuery(everyMember(orgName));
  const { handle, email, role, pending } = holder;
  if (pending) return <p>This cancels the invitation, and its link stops working.</p>;
  if (members === undefined) {
    return <p>Their role in the organization applies again. Without one, they lose access to this repository.</p>;
  }
  const member = members.find((one) => (handle === undefined ? one.email === email : one.handle === handle));
  return (
    <p>
      <Text most={1_000}>{afterTakingAway({ orgName, name: memberName(holder), role, memberRole: member?.role })}</Text>
    </p>
  );
}

interface GiveRoleProps {
  readonly orgName: string;
  readonly repoName: string;
  readonly onGiven: (text: string) => Promise<unknown>;
}

const OPTIONS = REPOSITORY_ROLE_NAMES.map((value) => ({ value }));

function GiveRole({ orgName, repoName, onGiven }: GiveRoleProps) {
  const [invited, setInvited] = useState<RepositoryRoleResult>();
  const { form, field, values, set, problemAt } = useForm(
    { person: '', role: 'read' as RepositoryRole },
    {
      run: ({ person, role }) => client.repo.setRole(orgName, repoName, person.trim(), role),
      done: async (given, { role }) => {
        set({ person: '' });
        setInvited(given);
        await onGiven(
          `${memberName(given)} has the role ${role} here${given.link === undefined ? '' : ' once they accept the invitation'}.`,
        );
      },
      fields: () => ['/handle', '/email', '/role'],
      unknown: '/handle',
    },
  );
  const person = values.person.trim();
  return (
    <>
      <InvitationLink invitation={invited} onDone={setInvited} />
      <ActionForm label="Give a role" action="Give role" doing="Saving…" {...form} isReady={person !== ''}>
        <TextField
          label="Handle or email address"
          {...field('person')}
          hint="Replaces a role that they already have here."
          problem={problemAt('/handle') ?? problemAt('/email')}
        />
        <ChoiceField
          label="Role in this repository"
          options={OPTIONS}
          hint={REPOSITORY_ROLE_WORDS[values.role]}
          {...field('role')}
        />
        <TakenAway orgName={orgName} person={person} role={values.role} />
      </ActionForm>
    </>
  );
}

/** A repository role replaces the organization's, and may take rights away. */
function TakenAway({ orgName, person, role }: { orgName: string; person: string; role: RepositoryRole }) {
  const { data: members = [] } = useQuery({ ...everyMember(orgName), enabled: person !== '' });
  const member = members.find(({ handle, email }) => handle === person || email === person);
  const present = member && roleInRepositories(member.role);
  return (
    <div role="status">
      {member !== undefined && present !== undefined && isLessThan(role, present) && (
        <p>
          This removes permissions. As {member.role} of {orgName}, <Text>{person}</Text> has the role {present} here,
          which allows more than {role}.
        </p>
      )}
    </div>
  );
}
