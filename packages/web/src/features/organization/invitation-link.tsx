import { Confirm } from '../../ui/confirm.tsx';
import { Once } from '../../ui/once.tsx';

interface InvitationLinkProps {
  readonly name: string;
  readonly invitation: { readonly link?: string | undefined; readonly mailed?: boolean | undefined };
  readonly onDone: () => void;
}

export function InvitationLink({ name, invitation: { link, mailed = false }, onDone }: InvitationLinkProps) {
  if (link === undefined) return null;
  return (
    <Once title={`Invitation for ${name}`} texts={[{ what: 'Link', text: link }]} onDone={onDone}>
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
