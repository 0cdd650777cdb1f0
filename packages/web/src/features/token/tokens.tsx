import type { MintedToken, RotatedToken, TokenRecord } from '@cairn/sdk';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFollowUp } from '../../app/notice.tsx';
import { paged, whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { SmallButton } from '../../ui/button.tsx';
import { Author, Moment } from '../../ui/byline.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ChoiceField, NameField, TextField } from '../../ui/field.tsx';
import { List } from '../../ui/list.tsx';
import { Once } from '../../ui/once.tsx';
import { Page, PagedList, SignInFirst } from '../../ui/page.tsx';
import { CommandNote, Text } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { SCOPE_PLACES, ScopeFields } from './scope-fields.tsx';
import { type Draft, EMPTY_DRAFT, entryOf, missingIn, toldOf } from './token-draft.ts';

export function Tokens() {
  const { data: person } = useQuery(whoami);
  return (
    <Page title="Tokens">
      <p>
        A token lets a script or an agent act as you, with the permissions that you choose, until it expires. For your
        own use of the CLI, run <code>cairn auth login</code> instead.
      </p>
      {person?.kind === 'anonymous' && <SignInFirst what="see your tokens" />}
      {person !== undefined && person.kind !== 'anonymous' && (
        <>
          <TokenList />
          <NewToken />
          <Calls shown={[{ what: 'Your tokens', procedure: 'token.list', isEverywhere: true }]} />
        </>
      )}
    </Page>
  );
}

function TokenList() {
  const list = useInfiniteQuery(tokens);
  return (
    <PagedList query={list} what="tokens" none={<p className="quiet">You have no tokens yet.</p>}>
      {(all) => (
        <List className="entries" label="Your tokens" items={all} keyOf={({ name }) => name}>
          {(token) => <TokenRow token={token} />}
        </List>
      )}
    </PagedList>
  );
}

export function TokenRow({ token }: { token: TokenRecord }) {
  const { name, description, scopes } = token;
  const [rotated, setRotated] = useState<RotatedToken>();
  const { invalidate, say } = useFollowUp();
  const refresh = () => invalidate(tokens.queryKey);
  const rotate = async () => {
    setRotated(await client.token.rotate(name));
    // Not awaited: the dialog would stay open in front of the new value.
    void refresh();
  };
  const revoke = async () => {
    await client.token.revoke(name);
    say({ text: `The token ${name} was revoked.` });
    await refresh();
  };
  return (
    <>
      <div>
        <p>
          {name}{' '}
          {isOver(token) && <span className="label">{token.revokedAt === undefined ? 'expired' : 'revoked'}</span>}
        </p>
        {description !== '' && (
          <p>
            <Text>{description}</Text>
          </p>
        )}
        {scopes.map((entry) => (
          <p key={toldOf(entry)} className="quiet">
            <Text>{toldOf(entry)}</Text>
          </p>
        ))}
        <Dates token={token} />
      </div>
      {!isOver(token) && (
        <div className="actions">
          <Confirm action="Rotate" label={`Rotate ${name}`} title={`Rotate ${name}?`} onConfirm={rotate} isSmall>
            <p>This creates a new value, which is shown once. The old value works for another 24 hours.</p>
          </Confirm>
          <Confirm action="Revoke" label={`Revoke ${name}`} title={`Revoke ${name}?`} onConfirm={revoke} isSmall>
            <p>
              This revokes the token and all tokens created with it immediately. It cannot be undone, and you cannot
              reuse the name.
            </p>
          </Confirm>
        </div>
      )}
      {rotated !== undefined && <TokenValue minted={rotated} onDone={() => setRotated(undefined)} />}
    </>
  );
}

const isOver = ({ revokedAt, expiresAt }: TokenRecord): boolean => revokedAt !== undefined || expiresAt <= Date.now();

const Dates = ({ token: { createdAt, createdBy, expiresAt, lastUsedAt, revokedAt } }: { token: TokenRecord }) => (
  <p className="quiet">
    Created <Moment at={createdAt} />
    {createdBy !== 'session' && (
      <>
        {' '}
        by <Author createdBy={createdBy} />
      </>
    )}
    , {revokedAt === undefined ? 'expires' : 'revoked'}{' '}
    <Moment at={revokedAt ?? expiresAt} isPlanned={revokedAt === undefined} />,{' '}
    {lastUsedAt === undefined ? 'never used' : 'last used '}
    {lastUsedAt !== undefined && <Moment at={lastUsedAt} />}
  </p>
);

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

const EMPTY_TOKEN = { name: '', description: '', entries: [EMPTY_DRAFT] as readonly Draft[] };

export function NewToken() {
  const [minted, setMinted] = useState<MintedToken>();
  const queries = useQueryClient();
  const { form, field, values, set, problemAt } = useForm(
    { ...EMPTY_TOKEN, life: '30' as Life },
    {
      run: ({ name, description, entries, life }) =>
        client.token.create(name, { description, scopes: entries.map(entryOf), expiresAt: Date.now() + lifeMs(life) }),
      taken: '/name',
      fields: ({ entries }) => [
        '/name',
        '/description',
        ...entries.flatMap((_, at) => SCOPE_PLACES.map((place) => `/scopes/${at}${place}`)),
      ],
      done: async (made) => {
        setMinted(made);
        set(EMPTY_TOKEN);
        await queries.invalidateQueries({ queryKey: tokens.queryKey });
      },
    },
  );
  const { entries } = values;
  const setEntries = (changed: readonly Draft[]) => set({ entries: changed });
  const change = (at: number, entry: Draft) => setEntries(entries.map((one, index) => (index === at ? entry : one)));
  return (
    <>
      <h2>New token</h2>
      {minted !== undefined && <TokenValue minted={minted} onDone={() => setMinted(undefined)} />}
      <ActionForm label="New token" action="Create token" doing="Creating…" {...form} lacks={missingIn(entries)}>
        <NameField
          of="token"
          label="Name"
          isRequired
          hint="Letters, digits, - and _. You cannot reuse the name of an earlier token."
          {...field('name')}
        />
        <TextField label="Description" {...field('description')} />
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
        <SmallButton onClick={() => setEntries([...entries, EMPTY_DRAFT])}>Add another resource</SmallButton>
        <ChoiceField label="Expires in" options={LIVES} {...field('life')} />
      </ActionForm>
    </>
  );
}

export const tokens = paged(['tokens'], (asked) => client.token.list(asked));

function TokenValue({ minted: { name, token }, onDone }: { minted: MintedToken; onDone: () => void }) {
  const url = window.location.origin;
  return (
    <Once
      title={`Token ${name}`}
      texts={{
        Value: token,
        'For the CLI': `CAIRN_URL=${url} CAIRN_TOKEN=${token} cairn auth whoami`,
        'For curl': `curl -H 'Authorization: Bearer ${token}' ${url}/trpc/auth.whoami`,
        'For the SDK': `const client = new CairnClient({ url: '${url}', token: '${token}' });`,
      }}
      onDone={onDone}
    >
      <p>The value is shown only once, because the server does not store it. Keep it in a safe place.</p>
      <p className="hint">
        <CommandNote />
      </p>
    </Once>
  );
}
