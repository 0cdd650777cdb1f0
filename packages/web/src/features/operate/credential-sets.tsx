import type { CredentialSet, Subscription } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toCredentialSet, toSubscription } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { type Home, homeName, useHome } from '../../app/sight.ts';
import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { NameField, TextField } from '../../ui/field.tsx';
import { List } from '../../ui/list.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { credentialSets, credentialsKey } from './credential-set.ts';
import { StateMark } from './state-mark.tsx';
import { allSubscriptions } from './subscription.ts';

export function CredentialSets() {
  const home = useHome();
  const sets = useQuery(credentialSets(home));
  return (
    <Page title="Credential sets" within={homeName(home)}>
      <p className="hint">
        A credential set holds the secrets for a receiver: a key that signs deliveries, or credentials such as a bearer
        token. Values are encrypted at rest and never shown, and every use is logged.
      </p>
      <Loaded query={sets} what="credential sets" isPart>
        {(all) =>
          all.length === 0 ? (
            <p>There are no credential sets yet.</p>
          ) : (
            <List className="operated" label="Credential sets" items={all} keyOf={({ name }) => name}>
              {(set) => <Line home={home} set={set} />}
            </List>
          )
        }
      </Loaded>
      <h2>New set</h2>
      <NewSet home={home} />
      <Calls shown={[{ what: 'The sets, without their values', procedure: 'credential.list' }]} />
    </Page>
  );
}

function Line({ home, set }: { home: Home; set: CredentialSet }) {
  const { name, description, keys } = set;
  const users = usersOf(set, useQuery(allSubscriptions(home)).data ?? []);
  return (
    <>
      <p>
        <Link {...toCredentialSet(home, name)}>{name}</Link> <SetMark set={set} />
      </p>
      <p className="quiet">
        {keys.length === 0 ? 'No keys' : <Text>{keys.map(({ key }) => key).join(', ')}</Text>}
        {description !== '' && (
          <>
            . <Text>{description}</Text>
          </>
        )}
      </p>
      {users.length > 0 && (
        <p className="quiet">
          Used by <SubscriptionLinks home={home} names={users} />
        </p>
      )}
    </>
  );
}

export function SetMark({ set: { revokedAt, unboundAt } }: { set: CredentialSet }) {
  if (revokedAt !== undefined) return <StateMark state="revoked" />;
  return unboundAt === undefined ? null : <StateMark state="unbound" />;
}

function NewSet({ home }: { home: Home }) {
  const { orgName, repoName } = home;
  const { invalidate, navigate, say } = useFollowUp();
  const { form, field } = useForm(
    { name: '', description: '' },
    {
      run: ({ name, description }) => client.credential.create(orgName, repoName, name, { description }),
      taken: '/name',
      done: async (_made, { name }) => {
        await invalidate(credentialsKey(home));
        await navigate(toCredentialSet(home, name));
        say({ text: `The set ${name} was created. Set its keys next.` });
      },
    },
  );
  return (
    <ActionForm label="New set" action="Create set" doing="Creating…" {...form}>
      <NameField
        of="credentialSet"
        label="Name"
        hint="Letters, digits, ., _ and -, such as hooks. Subscriptions refer to the set by this name."
        isRequired
        {...field('name')}
      />
      <TextField label="Description" {...field('description')} />
    </ActionForm>
  );
}

export const usersOf = ({ name }: CredentialSet, subscriptions: readonly Subscription[]): readonly string[] =>
  subscriptions.filter(({ credentialSet }) => credentialSet === name).map((user) => user.name);

export const SubscriptionLinks = ({ home, names }: { home: Home; names: readonly string[] }) =>
  names.map((name, index) => (
    <span key={name}>
      {index > 0 && ', '}
      <Link {...toSubscription(home, name)}>{name}</Link>
    </span>
  ));
