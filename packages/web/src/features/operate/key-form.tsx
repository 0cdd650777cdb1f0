import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useFollowUp } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import type { Home } from '../../app/sight.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { SmallButton } from '../../ui/button.tsx';
import { Field, TextField } from '../../ui/field.tsx';
import { Once } from '../../ui/once.tsx';
import { problemsOf } from '../../ui/problems.ts';
import { Text } from '../../ui/text.tsx';
import { credentialSetNamed, credentialsKey, KNOWN_KEYS, keyWords } from './credential-set.ts';
import { newSigningSecret } from './secret.ts';

const SECRET_KEY = /^(FALLBACK_)?WEBHOOK_SIGNING_SECRET$/;

export function KeyForm({ home, name }: { home: Home; name: string }) {
  const [key, setKey] = useState('WEBHOOK_SIGNING_SECRET');
  const [value, setValue] = useState('');
  const [made, setMade] = useState<string>();
  const setting = useSetting(home, name);
  const { byPath, whole } = problemsOf(setting.error, ['/keys']);
  const make = () => {
    const secret = newSigningSecret();
    setValue(secret);
    setMade(secret);
  };
  const submit = () =>
    setting.mutate(
      { key, value },
      {
        onSuccess: () => {
          setValue('');
          if (value !== made) setMade(undefined);
        },
      },
    );
  return (
    <ActionForm
      label="Set a key"
      action="Set the key"
      doing="Setting…"
      isPending={setting.isPending}
      problem={whole}
      onSubmit={submit}
      beside={SECRET_KEY.test(key) && <SmallButton onClick={make}>Make a new secret</SmallButton>}
    >
      <KeyField value={key} onChange={setKey} problem={byPath.get('/keys')} />
      <TextField
        label="Value"
        hint="It is not shown again. A key that the set has gets the new value."
        type="password"
        autoComplete="new-password"
        isRequired
        value={value}
        onChange={setValue}
      />
      {made !== undefined && (
        <Once title="The new secret" texts={[{ what: 'The new secret', text: made }]} onDone={() => setMade(undefined)}>
          <p>Give this secret to the receiver, and set the key. It is not shown again when you leave this page.</p>
        </Once>
      )}
    </ActionForm>
  );
}

interface KeyFieldProps {
  readonly value: string;
  readonly onChange: (key: string) => void;
  readonly problem: string | undefined;
}

function KeyField({ value, onChange, problem }: KeyFieldProps) {
  const id = useId();
  return (
    <>
      <Field label="Key" hint={<KeyHint name={value} />} problem={problem}>
        {(control) => (
          <input
            {...control}
            list={id}
            required
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
      <datalist id={id}>
        {KNOWN_KEYS.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  );
}

function KeyHint({ name }: { name: string }) {
  const words = keyWords(name);
  return (
    <>
      {name !== '' && words !== undefined && (
        <>
          <Text>{name}</Text> {words}.{' '}
        </>
      )}
      Those that begin with WEBHOOK_ are for deliveries, with FALLBACK_ in front for those to the fallback.
    </>
  );
}

function useSetting(home: Home, name: string) {
  const { orgName, repoName } = home;
  const { queries, say } = useFollowUp();
  return useMutation({
    mutationFn: ({ key, value }: { key: string; value: string }) =>
      client.credential.setKeys(orgName, repoName, name, { [key]: value }),
    gcTime: 0,
    onSuccess: async (set, { key }) => {
      queries.setQueryData(credentialSetNamed(home, name).queryKey, set);
      say({ text: `${key} is set in ${name}.` });
      await queries.invalidateQueries({ queryKey: credentialsKey(home) });
    },
  });
}
