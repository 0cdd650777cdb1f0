import type { Member, MemberResult, OrganizationRole } from '@cairn/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNotice } from '../../app/notice.tsx';
import { whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ChoiceField } from '../../ui/field.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Text } from '../../ui/text.tsx';
import { InvitationLink } from './invitation-link.tsx';
import { members, nameOf } from './member.ts';
import { NewLink } from './new-link.tsx';
import { ORGANIZATION_ROLE_NAMES, ORGANIZATION_ROLE_WORDS } from './role.ts';

interface MemberRowProps {
  readonly orgName: string;
  readonly member: Member;
  readonly mayChange: boolean;
  readonly mayMakeOwners: boolean;
  /** An organization is never without an owner. */
  readonly isOnlyOwner: boolean;
  /** After it is removed, the keyboard must go on somewhere. */
  readonly onGone: () => void;
}

/** A member, or somebody who is invited. */
export function MemberRow({ orgName, member, mayChange, mayMakeOwners, isOnlyOwner, onGone }: MemberRowProps) {
  const name = nameOf(member);
  const [changed, setChanged] = useState<MemberResult>();
  const queries = useQueryClient();
  const say = useNotice();
  const refresh = () => queries.invalidateQueries({ queryKey: members(orgName).queryKey });
  const setRole = async (role: OrganizationRole) => {
    setChanged(await client.org.setMemberRole(orgName, name, role));
    say({ text: `${name} is ${role} of ${orgName} now.` });
    // Not waited for: the question would stand before the link, which the keyboard goes on with.
    void refresh();
  };
  // An invitation to the same role is another one.
  const newLink = async () => {
    setChanged(await client.org.setMemberRole(orgName, name, member.role));
    void refresh();
  };
  const { data: person } = useQuery(whoami);
  const isOneself = person !== undefined && 'handle' in person && person.handle === member.handle;
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
              The link ends <Moment at={member.expiresAt} isPlanned />
            </>
          ) : (
            <>
              Joined <Moment at={member.createdAt} />
            </>
          )}
        </p>
      </div>
      {mayChange && isOnlyOwner && (
        <p className="quiet">
          The only owner stays. To leave, or to have another role, make somebody else an owner first.
        </p>
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
      {changed !== undefined && (
        <InvitationLink name={name} invitation={changed} onDone={() => setChanged(undefined)} />
      )}
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
      meaning: 'The link that was sent works no longer. You can invite them again.',
      done: `The invitation for ${name} is cancelled.`,
    };
  }
  if (isOneself) {
    return {
      action: 'Remove',
      label: 'Remove yourself',
      title: `Remove yourself from ${orgName}?`,
      meaning: `You leave ${orgName} at once, with every role in its repositories. What you wrote stays. To come back, you must be invited again.`,
      done: `You are no member of ${orgName} any more.`,
    };
  }
  return {
    action: 'Remove',
    label: `Remove ${name}`,
    title: `Remove ${name} from ${orgName}?`,
    meaning:
      'It ends at once, with every role in the repositories of the organization. What was written stays. You can invite them again.',
    done: `${name} is no member any more.`,
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
      title={`The role of ${name}`}
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
      {member.pending && <p>The link that was sent works no longer: a new one is shown here, to be sent.</p>}
    </Confirm>
  );
}

/** Only owners make owners. */
export const roleOptions = (mayMakeOwners: boolean) =>
  ORGANIZATION_ROLE_NAMES.filter((role) => role !== 'owner' || mayMakeOwners).map((value) => ({ value }));
