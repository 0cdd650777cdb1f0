import { ORGANIZATION_ROLES } from '@cairn/protocol/scopes';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import { useMay } from '../../app/may.ts';
import { members, nameOf } from '../../data/member.ts';
import { ORGANIZATION_ROLE_WORDS, rightText } from '../../data/role.ts';
import { Calls } from '../../parts/calls.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { MorePages } from '../../parts/more-pages.tsx';
import { Permitted } from '../../parts/permitted.tsx';
import { RoleMeaning } from '../../parts/role-meaning.tsx';
import { useTitle } from '../../parts/title.ts';
import { Invite } from './invite.tsx';
import { MemberRow } from './member-row.tsx';
import '../../look/organization.css';

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
