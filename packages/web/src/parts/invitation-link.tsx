import { Once } from './once.tsx';

interface InvitationLinkProps {
  readonly name: string;
  readonly link: string;
  readonly onDone: () => void;
}

/** What to send to who was invited. */
export function InvitationLink({ name, link, onDone }: InvitationLinkProps) {
  return (
    <Once title={`The invitation for ${name}`} texts={[{ what: 'Link', text: link }]} onDone={onDone}>
      <p>
        Send this link to {name}. It works once, for 14 days, and is shown only now. Where this server sends mail, it is
        mailed there too.
      </p>
    </Once>
  );
}
