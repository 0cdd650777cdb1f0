import { useState } from 'react';
import { ActionForm } from '../../parts/form/action-form.tsx';
import { TextField } from '../../parts/form/field.tsx';
import { useWrite } from '../../parts/form/use-write.ts';

interface About {
  readonly displayName: string;
  readonly description: string;
}

interface AboutFormProps extends About {
  readonly onSave: (about: About) => Promise<unknown>;
  readonly onSaved: () => unknown;
}

/** What an organization or a repository says of itself. */
export function AboutForm({ onSave, onSaved, ...before }: AboutFormProps) {
  const [displayName, setDisplayName] = useState(before.displayName);
  const [description, setDescription] = useState(before.description);
  const { form, problemAt } = useWrite({
    run: () => onSave({ displayName, description }),
    done: onSaved,
    fields: ['/displayName', '/description'],
  });
  const isSame = displayName === before.displayName && description === before.description;
  return (
    <ActionForm label="About" action="Save" doing="Saving…" {...form} isReady={!isSame}>
      <TextField
        label="Shown name"
        value={displayName}
        onChange={setDisplayName}
        isRequired
        problem={problemAt('/displayName')}
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        isLong
        problem={problemAt('/description')}
      />
    </ActionForm>
  );
}
