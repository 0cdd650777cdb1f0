import { isName } from '@cairn/model/name-proposal';
import { type ReactNode, useState } from 'react';
import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { Question } from '../../ui/confirm.tsx';
import { NameField } from '../../ui/field.tsx';

interface RenameFormProps {
  readonly of: 'organization' | 'repository';
  readonly name: string;
  readonly hint: ReactNode;
  readonly fullName: (name: string) => string;
  readonly broken: ReactNode;
  readonly onRename: (newName: string) => Promise<unknown>;
  readonly onRenamed: (newName: string) => unknown;
}

export function RenameForm({ of, name, hint, fullName, broken, onRename, onRenamed }: RenameFormProps) {
  const [isAsked, setIsAsked] = useState(false);
  const {
    values: { newName },
    form,
    field,
  } = useForm(
    { newName: name },
    {
      run: (values) => onRename(values.newName),
      done: (_renamed, values) => onRenamed(values.newName),
      taken: '/newName',
    },
  );
  return (
    <>
      <ActionForm
        label="Rename"
        action="Rename"
        doing="Renaming…"
        {...form}
        onSubmit={() => (isName(of, newName) ? setIsAsked(true) : form.onSubmit())}
        isReady={newName !== '' && newName !== name}
      >
        <NameField of={of} label="Name" hint={hint} {...field('newName')} />
      </ActionForm>
      {isAsked && (
        // Problems of the name appear at its field, so the dialog closes at once.
        <Question
          title={`Rename ${fullName(name)} to ${fullName(newName)}?`}
          action="Rename"
          onConfirm={async () => form.onSubmit()}
          onClose={() => setIsAsked(false)}
        >
          <p>{broken}</p>
        </Question>
      )}
    </>
  );
}
