import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { TextField } from '../../ui/field.tsx';

interface About {
  readonly displayName: string;
  readonly description: string;
}

export const ABOUT_NOTHING: About = { displayName: '', description: '' };

interface AboutFieldsProps {
  readonly field: (name: keyof About) => {
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly problem: string | undefined;
  };
  /** An existing display name can change but not be removed. */
  readonly isNamed?: boolean;
}

export const AboutFields = ({ field, isNamed = false }: AboutFieldsProps) => (
  <>
    <TextField
      label="Display name"
      isRequired={isNamed}
      {...(!isNamed && { hint: 'Any text. Defaults to the name.' })}
      {...field('displayName')}
    />
    <TextField label="Description" isLong {...field('description')} />
  </>
);

export const newAbout = ({ displayName, description }: About) => ({
  description,
  ...(displayName.trim() !== '' && { displayName: displayName.trim() }),
});

interface AboutFormProps extends About {
  readonly onSave: (about: About) => Promise<unknown>;
  readonly onSaved: () => unknown;
}

export function AboutForm({ onSave, onSaved, displayName, description }: AboutFormProps) {
  const { values, field, form } = useForm<About, unknown>({ displayName, description }, { run: onSave, done: onSaved });
  const isSame = values.displayName === displayName && values.description === description;
  return (
    <ActionForm label="About" action="Save" doing="Saving…" {...form} isReady={!isSame}>
      <AboutFields field={field} isNamed />
    </ActionForm>
  );
}
