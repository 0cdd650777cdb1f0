// The mail with the link of an invitation. The inviter is shown the link all the same.
import { utcTimeText } from '@cairn/protocol/time-text';
import { authorOf } from '../access/attribution.ts';
import type { Context } from '../access/context.ts';

interface MailedInvitation {
  readonly email?: string | undefined;
  readonly expiresAt?: number | undefined;
  readonly role: string | null;
  readonly link: string;
  /** The organization or repository. */
  readonly place: string;
}

/** Whether it is mailed: not every server sends mail. */
export function mailInvitation(
  { mail, principal, publicUrl }: Context,
  { email, expiresAt = 0, role, link, place }: MailedInvitation,
): boolean {
  if (mail === undefined || email === undefined) return false;
  const inviter = 'handle' in principal ? principal.handle : authorOf(principal);
  const text = `${inviter} invites you to ${place} on Cairn at ${publicUrl}, as ${role}.

To accept, open this link. It works once, until ${utcTimeText(expiresAt)}:

${link}

If you do not know ${inviter}, or do not want to join, there is nothing to do.
`;
  mail.add({ about: 'invitation', to: email, write: () => ({ subject: `${inviter} invites you to ${place}`, text }) });
  return true;
}
