import type { MintedToken } from '@cairn/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../app/session.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { ChoiceField, TextField } from '../../ui/field.tsx';
import { NameField } from '../../ui/name-field.tsx';
import { useWrite } from '../../ui/use-write.ts';
import { SCOPE_PLACES, ScopeFields } from './scope-fields.tsx';
import { tokens } from './token.ts';
import { type Draft, EMPTY_DRAFT, entryOf, missingIn } from './token-draft.ts';
import { TokenValue } from './token-value.tsx';

const DAY_MS = 86_400_000;
const LIVES = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
] as const;
type Life = (typeof LIVES)[number]['value'];

const lifeMs = (life: Life): number => Number(life) * DAY_MS;

/** What is filled in, and what may still be wrong with it. */
function useTokenDraft() {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [life, setLife] = useState<Life>('30');
  const [entries, setEntries] = useState<readonly Draft[]>([EMPTY_DRAFT]);
  const clear = () => {
    setName('');
    setDescription('');
    setEntries([EMPTY_DRAFT]);
  };
  return { name, setName, description, setDescription, life, setLife, entries, setEntries, clear };
}

export function NewToken() {
  const draft = useTokenDraft();
  const { name, description, life, entries, setEntries } = draft;
  const [minted, setMinted] = useState<MintedToken>();
  const queries = useQueryClient();
  const { form, problemAt } = useWrite({
    run: () =>
      client.token.create(name, {
        description,
        scopes: entries.map(entryOf),
        expiresAt: Date.now() + lifeMs(life),
      }),
    taken: '/name',
    fields: [
      '/name',
      '/description',
      ...entries.flatMap((_, at) => SCOPE_PLACES.map((place) => `/scopes/${at}${place}`)),
    ],
    done: async (made) => {
      setMinted(made);
      draft.clear();
      await queries.invalidateQueries({ queryKey: tokens.queryKey });
    },
  });
  const change = (at: number, entry: Draft) => setEntries(entries.map((one, index) => (index === at ? entry : one)));
  return (
    <>
      <h2>New token</h2>
      {minted !== undefined && <TokenValue minted={minted} onDone={() => setMinted(undefined)} />}
      <ActionForm label="New token" action="Make the token" doing="Making it…" {...form} lacks={missingIn(entries)}>
        <NameField
          of="token"
          label="Name"
          value={name}
          onChange={draft.setName}
          isRequired
          hint="Letters, digits, - and _. A name is used once, also after its token has ended."
          problem={problemAt('/name')}
        />
        <TextField
          label="What it is for"
          value={description}
          onChange={draft.setDescription}
          problem={problemAt('/description')}
        />
        {entries.map((entry, at) => (
          <ScopeFields
            // biome-ignore lint/suspicious/noArrayIndexKey: what is filled in belongs to its place.
            key={at}
            number={entries.length === 1 ? undefined : at + 1}
            entry={entry}
            problemAt={(place) => problemAt(`/scopes/${at}${place}`)}
            onChange={(changed) => change(at, changed)}
            {...(entries.length > 1 && { onRemove: () => setEntries(entries.filter((_, index) => index !== at)) })}
          />
        ))}
        <button type="button" className="small" onClick={() => setEntries([...entries, EMPTY_DRAFT])}>
          Add another place
        </button>
        <ChoiceField label="Ends in" value={life} options={LIVES} onChange={draft.setLife} />
      </ActionForm>
    </>
  );
}
