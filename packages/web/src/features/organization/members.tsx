import { ORGANIZATION_ROLES } from '@cairn/protocol/scopes';
import type { Member, MemberResult, OrganizationRole } from '@cairn/sdk';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { toOrganization } from '../../app/links.ts';
import { useMay } from '../../app/may.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { Permitted } from '../../app/permitted.tsx';
import { handleOf, whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { Moment } from '../../ui/byline.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ChoiceField, TextField } from '../../ui/field.tsx';
import { List } from '../../ui/list.tsx';
import { Loaded, MorePages, useTitle } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { InvitationLink, NewLink } from './invitation-link.tsx';
import { memberList, memberName, ORGANIZATION_ROLE_NAMES, ORGANIZATION_ROLE_WORDS, rightText } from './role.ts';
import { RoleMeaning } from './role-meaning.tsx';

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
  const list = useInfiniteQuery(memberList(orgName));
  const mayInvite = useMay({ orgName }, 'org:configure') === true;
  const mayMakeOwners = useMay({ orgName }, 'org:admin') === true;
  const all = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const owners = all.filter(({ role, pending }) => role === 'owner' && !pending);
  return (
    <>
      <Loaded query={list} what="members" isPart>
        {() => (
          <List className="entries" items={all} keyOf={memberName}>
            {(member) => (
              <MemberRow
                orgName={orgName}
                member={member}
                mayChange={mayInvite && (member.role !== 'owner' || mayMakeOwners)}
                mayMakeOwners={mayMakeOwners}
                isOnlyOwner={!list.hasNextPage && owners.length === 1 && owners[0] === member}
                onGone={onGone}
              />
            )}
          </List>
        )}
      </Loaded>
      <MorePages query={list} what="members" />
      <p className="hint">
        These roles apply to every repository of {orgName}. A role in a single repository replaces them there. It is
        listed in the settings of <Link {...toOrganization(orgName)}>the repository</Link>.
      </p>
      <RoleMeaning words={ORGANIZATION_ROLE_WORDS} scopes={ORGANIZATION_ROLES} />
      {mayInvite ? (
        <Invite orgName={orgName} mayMakeOwners={mayMakeOwners} />
      ) : (
        <p className="quiet">
          Inviting people and changing roles needs permission to {rightText('org:configure')}. Admins and owners have
          it.
        </p>
      )}
    </>
  );
}

/** Accounts become members at once; unknown addresses get a link. */
export function Invite({ orgName, mayMakeOwners }: { orgName: string; mayMakeOwners: boolean }) {
  const [invited, setInvited] = useState<MemberResult>();
  const { invalidate, say } = useFollowUp();
  const { form, field, values, set, problemAt } = useForm(
    { person: '', role: 'viewer' as OrganizationRole },
    {
      run: ({ person, role }) => client.org.addMember(orgName, person.trim(), role),
      fields: () => ['/handle', '/email', '/role'],
      unknown: '/handle',
      done: async (result) => {
        set({ person: '' });
        setInvited(result);
        if (result.link === undefined) say({ text: `${memberName(result)} is now ${result.role} of ${orgName}.` });
        await invalidate(memberList(orgName).queryKey);
      },
    },
  );
  return (
    <>
      <h2>Invite a member</h2>
      <InvitationLink invitation={invited} onDone={setInvited} />
      <ActionForm label="Invite a member" action="Invite" doing="Inviting…" {...form}>
        <TextField
          label="Handle or email address"
          {...field('person')}
          isRequired
          hint="People with an account become members immediately. For other email addresses, you get an invitation link."
          problem={problemAt('/handle') ?? problemAt('/email')}
        />
        <ChoiceField
          label="Role"
          options={roleOptions(mayMakeOwners)}
          hint={ORGANIZATION_ROLE_WORDS[values.role]}
          {...field('role')}
        />
      </ActionForm>
    </>
  );
}

interface MemberRowProps {
  readonly orgName: string;
  readonly member: Member;
  readonly mayChange: boolean;
  readonly mayMakeOwners: boolean;
  readonly isOnlyOwner: boolean;
  readonly onGone: () => void;
}

function MemberRow({ orgName, member, mayChange, mayMakeOwners, isOnlyOwner, onGone }: MemberRowProps) {
  const name = memberName(member);
  const [changed, setChanged] = useState<MemberResult>();
  const { invalidate, say } = useFollowUp();
  const refresh = () => invalidate(memberList(orgName).queryKey);
  const setRole = async (role: OrganizationRole) => {
    setChanged(await client.org.setMemberRole(orgName, name, role));
    say({ text: `${name} is now ${role} of ${orgName}.` });
    // Not awaited: the dialog would stay open in front of the link.
    void refresh();
  };
  const newLink = async () => {
    setChanged(await client.org.setMemberRole(orgName, name, member.role));
    void refresh();
  };
  const { data: person } = useQuery(whoami);
  const isOneself = member.handle !== undefined && handleOf(person) === member.handle;
  const removal = removalWords({ orgName, name, isPending: member.pending, isOneself });
  const remove = async () => {
    await client.org.removeMember(orgName, name);
    say({ text: removal.done });
    await refresh();
  };
  return (
    <>
      <div>
        <p>
          <Text>{name}</Text> <span className="label">{member.role}</span>{' '}
          {member.pending && <span className="label">invited</span>}
        </p>
        <p className="quiet">
          {member.pending && member.expiresAt !== undefined ? (
            <>
              The link expires <Moment at={member.expiresAt} isPlanned />
            </>
          ) : (
            <>
              Joined <Moment at={member.createdAt} />
            </>
          )}
        </p>
      </div>
      {mayChange && isOnlyOwner && (
        <p className="quiet">The only owner cannot leave or change role. Make somebody else an owner first.</p>
      )}
      {mayChange && !isOnlyOwner && (
        <div className="actions">
          {member.pending && <NewLink name={name} onConfirm={newLink} />}
          <ChangeRole name={name} member={member} mayMakeOwners={mayMakeOwners} onChange={setRole} />
          <Confirm
            action={removal.action}
            label={removal.label}
            title={removal.title}
            onConfirm={remove}
            onDone={onGone}
            isSmall
          >
            <p>{removal.meaning}</p>
          </Confirm>
        </div>
      )}
      <InvitationLink invitation={changed} onDone={setChanged} />
    </>
  );
}

interface Removal {
  readonly orgName: string;
  readonly name: string;
  readonly isPending: boolean;
  readonly isOneself: boolean;
}

function removalWords({ orgName, name, isPending, isOneself }: Removal) {
  if (isPending) {
    return {
      action: 'Cancel invitation',
      label: `Cancel invitation for ${name}`,
      title: `Cancel the invitation for ${name}?`,
      meaning: 'The link stops working. You can invite them again.',
      done: `The invitation for ${name} was cancelled.`,
    };
  }
  if (isOneself) {
    return {
      action: 'Remove',
      label: 'Remove yourself',
      title: `Remove yourself from ${orgName}?`,
      meaning: `You leave ${orgName} immediately, and lose your roles in its repositories. Everything that you wrote remains. To return, you need a new invitation.`,
      done: `You are no longer a member of ${orgName}.`,
    };
  }
  return {
    action: 'Remove',
    label: `Remove ${name}`,
    title: `Remove ${name} from ${orgName}?`,
    meaning:
      'They lose access immediately, including their roles in repositories. Everything that they wrote remains. You can invite them again.',
    done: `${name} is no longer a member.`,
  };
}

interface ChangeRoleProps extends Pick<MemberRowProps, 'member' | 'mayMakeOwners'> {
  readonly name: string;
  readonly onChange: (role: OrganizationRole) => Promise<unknown>;
}

function ChangeRole({ name, member, mayMakeOwners, onChange }: ChangeRoleProps) {
  const [role, setRole] = useState(member.role);
  return (
    <Confirm
      action="Change role"
      label={`Change role of ${name}`}
      title={`Change the role of ${name}`}
      onConfirm={() => onChange(role)}
      isSmall
    >
      <ChoiceField
        label="Role"
        value={role}
        options={roleOptions(mayMakeOwners)}
        onChange={setRole}
        hint={ORGANIZATION_ROLE_WORDS[role]}
      />
      {member.pending && <p>The earlier link stops working. A new link to send is shown here.</p>}
    </Confirm>
  );
}

const roleOptions = (mayMakeOwners: boolean) =>
  ORGANIZATION_ROLE_NAMES.filter((role) => role !== 'owner' || mayMakeOwners).map((value) => ({ value }));
