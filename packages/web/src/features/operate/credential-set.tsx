import type { CredentialSet } from '@cairn/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Calls } from '../../app/calls.tsx';
import { addressOf, type Home, homeName, useHome } from '../../app/home.ts';
import { useNotice } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { focusContent } from '../../ui/focus-content.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Moment } from '../../ui/moment.tsx';
import { plain, Text } from '../../ui/text.tsx';
import { useTitle } from '../../ui/title.ts';
import { CredentialEvents } from './credential-events.tsx';
import { CredentialKeys } from './credential-keys.tsx';
import { credentialSetNamed, credentialsKey } from './credential-set.ts';
import { SetMark } from './credential-sets.tsx';
import { SubscriptionLinks, usersOf } from './credential-users.tsx';
import { KeyForm } from './key-form.tsx';
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
        {(found) => <Shown home={home} set={found} />}
      </Loaded>
      <Calls
        shown={[
          { what: 'Which keys the set holds', procedure: 'credential.get', ...given, command: 'credential view' },
          { what: 'What happened to it, every use included', procedure: 'credential.audit', ...given },
        ]}
      />
    </>
  );
}

function Shown({ home, set }: { home: Home; set: CredentialSet }) {
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
      {isRevoked && <p>It is revoked: its values are erased, and nothing is sent with it any more.</p>}
      <Bindings home={home} set={set} />
      <h2>Keys</h2>
      <CredentialKeys home={home} set={set} />
      {!isRevoked && <KeyForm home={home} name={set.name} />}
      <h2>The end of it</h2>
      <Ends home={home} set={set} />
      <CredentialEvents home={home} name={set.name} />
    </>
  );
}

/** Which subscriptions use it, and where it may go. */
function Bindings({ home, set }: { home: Home; set: CredentialSet }) {
  const { data: subscriptions } = useQuery(allSubscriptions(home));
  const users = usersOf(set, subscriptions ?? []);
  const { boundOrigin, boundFallbackOrigin, unboundAt, component } = set;
  return (
    <>
      {component !== undefined && (
        <p>
          It came with the component <Text>{component}</Text>, which is called with it.
        </p>
      )}
      {subscriptions !== undefined && (
        <p>
          {users.length === 0
            ? 'No subscription uses it yet: choose it on the page of a subscription, or when you make one.'
            : 'Used by '}
          <SubscriptionLinks home={home} names={users} />
        </p>
      )}
      {[boundOrigin, boundFallbackOrigin]
        .filter((origin) => origin !== undefined)
        .map((origin) => (
          <p key={origin} className="quiet">
            It is sent to <Text>{origin}</Text> alone, where it was used first.
          </p>
        ))}
      {unboundAt !== undefined && (
        <p className="problem">
          It would have gone to another origin (<Moment at={unboundAt} />
          ): nothing is sent with it until its keys are set anew.
        </p>
      )}
    </>
  );
}

function Ends({ home, set: { name, revokedAt } }: { home: Home; set: CredentialSet }) {
  const { orgName, repoName } = home;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useNotice();
  const revoke = async () => {
    const revoked = await client.credential.revoke(orgName, repoName, name);
    queries.setQueryData(credentialSetNamed(home, name).queryKey, revoked);
    say({ text: `The set ${name} is revoked, and its values are erased.` });
    await queries.invalidateQueries({ queryKey: credentialsKey(home) });
    focusContent();
  };
  const remove = async () => {
    await client.credential.delete(orgName, repoName, name);
    await navigate({ to: '/$orgName/$repoName/operate/credentials', params: addressOf(home) });
    queries.removeQueries({ queryKey: credentialSetNamed(home, name).queryKey });
    say({ text: `The set ${name} is deleted.` });
    await queries.invalidateQueries({ queryKey: credentialsKey(home) });
  };
  return (
    <>
      {revokedAt === undefined && (
        <p className="hint">
          Revoke: its values are erased at once, also while subscriptions use it; the set and what happened to it stay
          to be seen.
        </p>
      )}
      <p className="hint">Delete: the set is gone, and its name is free again. No subscription may use it.</p>
      <div className="actions">
        {revokedAt === undefined && (
          <Confirm action="Revoke" title={`Revoke ${name}?`} typed={name} onConfirm={revoke}>
            <p>Its values are erased at once and for good. Deliveries with it fail until another set is bound.</p>
          </Confirm>
        )}
        <Confirm action="Delete" title={`Delete ${name}?`} typed={name} onConfirm={remove}>
          <p>Only a set that no subscription uses can be deleted. This cannot be undone.</p>
        </Confirm>
      </div>
    </>
  );
}
