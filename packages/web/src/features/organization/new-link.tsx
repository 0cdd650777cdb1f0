import { Confirm } from '../../ui/confirm.tsx';

interface NewLinkProps {
  /** Who is invited. */
  readonly name: string;
  readonly onConfirm: () => Promise<unknown>;
}

/** For an invitation whose link is lost: nobody can be shown it again. */
export function NewLink({ name, onConfirm }: NewLinkProps) {
  return (
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
}
