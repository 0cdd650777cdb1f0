import type { MemberResult, RepositoryRoleResult } from '@cairn/sdk';
import { Confirm } from '../../ui/confirm.tsx';
import { Once } from '../../ui/once.tsx';
import { memberName } from './role.ts';

interface InvitationLinkProps {
  readonly invitation: MemberResult | RepositoryRoleResult | undefined;
  readonly onDone: (none: undefined) => void;
}

export function InvitationLink({ invitation, onDone }: InvitationLinkProps) {
  if (invitation?.link === undefined) return null;
  const { link, mailed = false } = invitation;
  const name = memberName(invitation);
  return (
    <Once title={`Invitation for ${name}`} texts={{ Link: link }} onDone={() => onDone(undefined)}>
      <p>
        {mailed
          ? `This link is being mailed to ${name}. If the mail does not arrive, send the link yourself.`
          : `This server does not send mail. Send this link to ${name} yourself.`}{' '}
        The link works once, expires after 14 days, and is shown only once.
      </p>
    </Once>
  );
}

export const NewLink = ({ name, onConfirm }: { name: string; onConfirm: () => Promise<unknown> }) => (
  <Confirm
    action="New link"
    label={`New link for ${name}`}
    title={`Create a new link for ${name}?`}
    onConfirm={onConfirm}
    isSmall
  >
    <p>The earlier link stops working. The new one is shown here, only once.</p>
  </Confirm>
);
