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
    <Once title={`The invitation for ${name}`} texts={[{ what: 'Link', text: link }]} onDone={onDone}>
      <p>
        {mailed
          ? `This link is mailed to ${name}. Should it not come, hand it over yourself.`
          : `This server sends no mail: hand this link over to ${name} yourself.`}{' '}
        It works once, for 14 days, and is shown only now.
      </p>
    </Once>
  );
}

export const NewLink = ({ name, onConfirm }: { name: string; onConfirm: () => Promise<unknown> }) => (
  <Confirm
    action="New link"
    label={`New link for ${name}`}
    title={`A new link for ${name}?`}
    onConfirm={onConfirm}
    isSmall
  >
    <p>The link that they have works no longer. The new one is shown here, once.</p>
  </Confirm>
);
