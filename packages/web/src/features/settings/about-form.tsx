import { useState } from 'react';
import { ActionForm, useWrite } from '../../ui/action-form.tsx';
import { ABOUT_PLACES, type About, AboutFields } from '../organization/about-fields.tsx';

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
