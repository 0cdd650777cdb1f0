import type { CredentialEvent, CredentialSet } from '@cairn/sdk';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useFollowUp } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { addressOf, type Home, homeName, useHome } from '../../app/sight.ts';
import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { SmallButton } from '../../ui/button.tsx';
import { Author, Moment } from '../../ui/byline.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { TextField } from '../../ui/field.tsx';
import { List } from '../../ui/list.tsx';
import { Once } from '../../ui/once.tsx';
import { focusContent, Loaded, PagedList, useTitle } from '../../ui/page.tsx';
import { Section, Text } from '../../ui/text.tsx';
import { plain } from '../../ui/unseen.ts';
import { Calls } from '../commit/calls.tsx';
import { credentialEvents, credentialSetNamed, credentialsKey, KNOWN_KEYS, keyWords } from './credential-set.ts';
import { SetMark, SubscriptionLinks, usersOf } from './credential-sets.tsx';
import { Details } from './details.tsx';
import { newSigningSecret } from './secret.ts';
import { allSubscriptions } from './subscription.ts';

export function OneCredentialSet() {
  const home = useHome();
  const { name = '' } = useParams({ strict: false });
  useTitle(plain(name, 100), 'Credential sets', homeName(home));
  const set = useQuery(credentialSetNamed(home, name));
  const given = { given: [name], names: ['name'] };
  return (
    <>
      <Loaded query={set} what="the set">
        {(found) => <CredentialSetView home={home} set={found} />}
      </Loaded>
      <Calls
        shown={[
          {
            what: 'The keys of the set, without values',
            procedure: 'credential.get',
            ...given,
            command: 'credential view',
          },
          { what: 'Its log, with every use', procedure: 'credential.audit', ...given },
        ]}
      />
    </>
  );
}

function CredentialSetView({ home, set }: { home: Home; set: CredentialSet }) {
  const isRevoked = set.revokedAt !== undefined;
  return (
    <>
      <h1>
        {set.name} <SetMark set={set} />
      </h1>
      {set.description !== '' && (
        <p>
          <Text most={2_000}>{set.description}</Text>
        </p>
      )}
      {isRevoked && <p>This set is revoked. Its values are erased, and deliveries no longer use it.</p>}
      <Bindings home={home} set={set} />
      <h2>Keys</h2>
      <CredentialKeys home={home} set={set} />
      {!isRevoked && <KeyForm home={home} name={set.name} />}
      <h2>Revoke or delete</h2>
      <Ends home={home} set={set} />
      <CredentialEvents home={home} name={set.name} />
    </>
  );
}

function Bindings({ home, set }: { home: Home; set: CredentialSet }) {
  const { data: subscriptions } = useQuery(allSubscriptions(home));
  const users = usersOf(set, subscriptions ?? []);
  const { boundOrigin, boundFallbackOrigin, unboundAt, component } = set;
  return (
    <>
      {component !== undefined && (
        <p>
          It belongs to the component <Text>{component}</Text>, whose calls use it.
        </p>
      )}
      {subscriptions !== undefined && (
        <p>
          {users.length === 0
            ? 'No subscription uses it yet. Choose it on the page of a subscription, or when you create one.'
            : 'Used by '}
          <SubscriptionLinks home={home} names={users} />
        </p>
      )}
      {[boundOrigin, boundFallbackOrigin]
        .filter((origin) => origin !== undefined)
        .map((origin) => (
          <p key={origin} className="quiet">
            It is sent only to <Text>{origin}</Text>, where it was first used.
          </p>
        ))}
      {unboundAt !== undefined && (
        <p className="problem">
          It is blocked, because a delivery would have sent it to another origin (<Moment at={unboundAt} />
          ). Set its keys again to unblock it.
        </p>
      )}
    </>
  );
}

function Ends({ home, set: { name, revokedAt } }: { home: Home; set: CredentialSet }) {
  const { orgName, repoName } = home;
  const { queries, invalidate, navigate, say } = useFollowUp();
  const saved = useSaved(home, name);
  const revoke = async () => {
    const revoked = await client.credential.revoke(orgName, repoName, name);
    await saved(revoked, `The set ${name} is revoked and its values are erased.`);
    focusContent();
  };
  const remove = async () => {
    await client.credential.delete(orgName, repoName, name);
    await navigate({ to: '/$orgName/$repoName/operate/credentials', params: addressOf(home) });
    queries.removeQueries({ queryKey: credentialSetNamed(home, name).queryKey });
    say({ text: `The set ${name} is deleted.` });
    await invalidate(credentialsKey(home));
  };
  return (
    <>
      {revokedAt === undefined && (
        <p className="hint">
          Revoking erases the values immediately, even if subscriptions use the set. The set and its log remain visible.
        </p>
      )}
      <p className="hint">
        Deleting removes the set and frees its name. You can delete a set only if no subscription uses it.
      </p>
      <div className="actions">
        {revokedAt === undefined && (
          <Confirm action="Revoke" title={`Revoke ${name}?`} typed={name} onConfirm={revoke}>
            <p>This erases its values permanently. Deliveries with it fail until you bind another set.</p>
          </Confirm>
        )}
        <Confirm action="Delete" title={`Delete ${name}?`} typed={name} onConfirm={remove}>
          <p>This cannot be undone. It fails if a subscription uses the set.</p>
        </Confirm>
      </div>
    </>
  );
}

const WORDS: Readonly<Record<CredentialEvent['action'], string>> = {
  create: 'created',
  setKeys: 'keys set',
  unsetKey: 'key removed',
  revoke: 'revoked',
  delete: 'deleted',
  bind: 'bound to an origin',
  unbind: 'blocked until its keys are set',
  use: 'used',
};

function CredentialEvents({ home, name }: { home: Home; name: string }) {
  const events = useInfiniteQuery(credentialEvents(home, name));
  return (
    <Section id="events" title="Log">
      <PagedList query={events} what="the log" more="entries">
        {(all) => (
          <List className="operated" label="Log" items={all} keyOf={(_, index) => index}>
            {(event) => (
              <>
                <p>
                  {WORDS[event.action]} <Moment at={event.at} /> by <Author createdBy={event.actor} />
                </p>
                <Details details={event.details} home={home} />
              </>
            )}
          </List>
        )}
      </PagedList>
    </Section>
  );
}

function CredentialKeys({ home, set: { name, keys } }: { home: Home; set: CredentialSet }) {
  if (keys.length === 0) return <p>No keys.</p>;
  return (
    <List className="operated" label="Keys" items={keys} keyOf={({ key }) => key}>
      {({ key, setAt, setBy }) => (
        <>
          <p>
            <code>{key}</code> <Unset home={home} name={name} unset={key} />
          </p>
          {keyWords(key) !== undefined && <p>It {keyWords(key)}.</p>}
          <p className="quiet">
            set <Moment at={setAt} /> by <Author createdBy={setBy} />
          </p>
        </>
      )}
    </List>
  );
}

function Unset({ home, name, unset }: { home: Home; name: string; unset: string }) {
  const saved = useSaved(home, name);
  const remove = async () => {
    const changed = await client.credential.unsetKey(home.orgName, home.repoName, name, unset);
    await saved(changed, `${unset} was removed from ${name}.`);
    focusContent();
  };
  return (
    <Confirm action={`Remove ${unset}`} isSmall title={`Remove ${unset}?`} onConfirm={remove}>
      <p>This deletes the value, which nobody can recover. To use the key again, set it again.</p>
    </Confirm>
  );
}

const SECRET_KEY = /^(FALLBACK_)?WEBHOOK_SIGNING_SECRET$/;

function KeyForm({ home, name }: { home: Home; name: string }) {
  const { orgName, repoName } = home;
  const [made, setMade] = useState<string>();
  const saved = useSaved(home, name);
  const { form, field, values, set, problemAt } = useForm(
    { key: 'WEBHOOK_SIGNING_SECRET', value: '' },
    {
      run: ({ key, value }) => client.credential.setKeys(orgName, repoName, name, { [key]: value }),
      fields: () => ['/keys'],
      done: async (changed, { key, value }) => {
        set({ value: '' });
        if (value !== made) setMade(undefined);
        await saved(changed, `${key} is set in ${name}.`);
      },
    },
  );
  const make = () => {
    const secret = newSigningSecret();
    set({ value: secret });
    setMade(secret);
  };
  return (
    <ActionForm
      label="Set key"
      action="Set key"
      doing="Setting…"
      {...form}
      beside={SECRET_KEY.test(values.key) && <SmallButton onClick={make}>Generate secret</SmallButton>}
    >
      <TextField
        label="Key"
        hint={<KeyHint name={values.key} />}
        isRequired
        suggestions={KNOWN_KEYS}
        {...field('key')}
        problem={problemAt('/keys')}
      />
      <TextField
        label="Value"
        hint="The value is never shown. Setting an existing key replaces its value."
        type="password"
        autoComplete="new-password"
        isRequired
        {...field('value')}
      />
      {made !== undefined && (
        <Once title="New signing secret" texts={{ 'New signing secret': made }} onDone={() => setMade(undefined)}>
          <p>
            Give this secret to the receiver, and set the key. The secret is not shown again after you leave this page.
          </p>
        </Once>
      )}
    </ActionForm>
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
      Keys that start with WEBHOOK_ are for deliveries, and those with FALLBACK_WEBHOOK_ for the fallback URL.
    </>
  );
}

function useSaved(home: Home, name: string) {
  const { queries, invalidate, say } = useFollowUp();
  return async (set: CredentialSet, text: string) => {
    queries.setQueryData(credentialSetNamed(home, name).queryKey, set);
    say({ text });
    await invalidate(credentialsKey(home));
  };
}
