import { Confirm } from '../../ui/confirm.tsx';
import { Section } from '../../ui/text.tsx';

interface ArchiveProps {
  readonly name: string;
  /** Follows "the". */
  readonly what: string;
  readonly isArchived: boolean;
  readonly onChange: (isArchived: boolean) => Promise<unknown>;
  readonly onChanged: (text: string) => Promise<unknown>;
  readonly note?: string;
}

export function Archive({ name, what, isArchived, onChange, onChanged, note = '' }: ArchiveProps) {
  const action = isArchived ? 'Unarchive' : 'Archive';
  const change = async () => {
    await onChange(!isArchived);
    await onChanged(`The ${what} is ${isArchived ? 'writable again' : 'archived'}.`);
  };
  return (
    <Section title="Archive">
      <p>
        {isArchived ? `The ${what} is archived and read-only.` : `Archiving makes the ${what} read-only.`} {note}
      </p>
      <Confirm action={action} title={`${action} ${name}?`} onConfirm={change}>
        <p>
          The {what} becomes {isArchived ? 'writable again' : 'read-only until you unarchive it here'}.
        </p>
      </Confirm>
    </Section>
  );
}
