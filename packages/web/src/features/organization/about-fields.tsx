import { useState } from 'react';
import { ActionForm, useWrite } from '../../ui/action-form.tsx';
import { TextField } from '../../ui/field.tsx';

interface About {
  readonly displayName: string;
  readonly description: string;
}

export const ABOUT_NOTHING: About = { displayName: '', description: '' };
export const ABOUT_PLACES = ['/displayName', '/description'];

interface AboutFieldsProps {
  readonly about: About;
  readonly onChange: (about: About) => void;
  readonly problemAt: (path: string) => string | undefined;
  /** An existing display name can change but not be removed. */
  readonly isNamed?: boolean;
}

export const AboutFields = ({ about, onChange, problemAt, isNamed = false }: AboutFieldsProps) => (
  <>
    <TextField
      label="Display name"
      value={about.displayName}
      onChange={(displayName) => onChange({ ...about, displayName })}
      isRequired={isNamed}
      {...(!isNamed && { hint: 'Any text. Defaults to the name.' })}
      problem={problemAt('/displayName')}
    />
    <TextField
      label="Description"
      value={about.description}
      onChange={(description) => onChange({ ...about, description })}
      isLong
      problem={problemAt('/description')}
    />
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
  const [about, setAbout] = useState<About>({ displayName, description });
  const { form, problemAt } = useWrite({ run: () => onSave(about), done: onSaved, fields: ABOUT_PLACES });
  const isSame = about.displayName === displayName && about.description === description;
  return (
    <ActionForm label="About" action="Save" doing="Saving…" {...form} isReady={!isSame}>
      <AboutFields about={about} onChange={setAbout} problemAt={problemAt} isNamed />
    </ActionForm>
  );
}
