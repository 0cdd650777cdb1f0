import { type ReactNode, useState } from 'react';
import { ActionForm } from '../../parts/form/action-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { useWrite } from '../../parts/form/use-write.ts';

interface RenameFormProps {
  readonly name: string;
  /** What becomes of the old name. */
  readonly hint: ReactNode;
  readonly onRename: (newName: string) => Promise<unknown>;
  readonly onRenamed: (newName: string) => unknown;
}

export function RenameForm({ name, hint, onRename, onRenamed }: RenameFormProps) {
  const [newName, setNewName] = useState(name);
  const { form, problemAt } = useWrite({
    run: () => onRename(newName),
    done: () => onRenamed(newName),
    fields: ['/newName'],
  });
  return (
    <ActionForm label="Rename" action="Rename" doing="Renaming…" {...form} isReady={newName !== '' && newName !== name}>
      <TextField label="Name" value={newName} onChange={setNewName} hint={hint} problem={problemAt('/newName')} />
    </ActionForm>
  );
}
