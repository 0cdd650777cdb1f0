import type { CredentialSet } from '@cairn/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useNotice } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { credentialSetNamed, credentialsKey } from '../../data/credential-set.ts';
import { allSubscriptions } from '../../data/subscription.ts';
import { Calls } from '../../parts/calls.tsx';
import { focusContent } from '../../parts/focus-content.ts';
import { Confirm } from '../../parts/form/confirm.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { plain, Text } from '../../parts/text.tsx';
import { useTitle } from '../../parts/title.ts';
import { CredentialEvents } from './credential-events.tsx';
import { CredentialKeys } from './credential-keys.tsx';
import { SetMark } from './credential-sets.tsx';
import { KeyForm } from './key-form.tsx';

export function OneCredentialSet() {
  const sight = useSight();
  const { name } = useParams({ from: '/$orgName/$repoName/operate/credentials/$name' });
  useTitle(plain(name, 100), 'Credential sets', `${sight.orgName}/${sight.repoName}`);
  const set = useQuery(credentialSetNamed(sight, name));
  const given = { given: [name], names: ['name'] };
  return (
    <>
      <Loaded query={set} what="the set">
        {(found) => <Shown sight={sight} set={found} />}
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

function Shown({ sight, set }: { sight: Sight; set: CredentialSet }) {
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
      <Bindings sight={sight} set={set} />
      <h2>Keys</h2>
      <CredentialKeys sight={sight} set={set} />
      {!isRevoked && <KeyForm sight={sight} name={set.name} />}
      <h2>The end of it</h2>
      <Ends sight={sight} set={set} />
      <CredentialEvents sight={sight} name={set.name} />
    </>
  );
}

/** Which subscriptions use it, and where it may go. */
function Bindings({ sight, set }: { sight: Sight; set: CredentialSet }) {
  const { orgName, repoName } = sight;
  const { data: subscriptions } = useQuery(allSubscriptions(sight));
  const users = subscriptions?.filter(({ credentialSet }) => credentialSet === set.name) ?? [];
  const { boundOrigin, boundFallbackOrigin, unboundAt } = set;
  return (
    <>
      {subscriptions !== undefined && (
        <p>
          {users.length === 0 ? 'No subscription uses it.' : 'Used by '}
          {users.map(({ name }, index) => (
            <span key={name}>
              {index > 0 && ', '}
              <Link
                to="/$orgName/$repoName/operate/subscriptions/$name"
                params={{ orgName, repoName, name }}
                search={{}}
              >
                {name}
              </Link>
            </span>
          ))}
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

function Ends({ sight, set: { name, revokedAt } }: { sight: Sight; set: CredentialSet }) {
  const { orgName, repoName } = sight;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useNotice();
  const revoke = async () => {
    const revoked = await client.credential.revoke(orgName, repoName, name);
    queries.setQueryData(credentialSetNamed(sight, name).queryKey, revoked);
    say({ text: `The set ${name} is revoked, and its values are erased.` });
    await queries.invalidateQueries({ queryKey: credentialsKey(sight) });
    focusContent();
  };
  const remove = async () => {
    await client.credential.delete(orgName, repoName, name);
    await navigate({ to: '/$orgName/$repoName/operate/credentials', params: { orgName, repoName } });
    queries.removeQueries({ queryKey: credentialSetNamed(sight, name).queryKey });
    say({ text: `The set ${name} is deleted.` });
    await queries.invalidateQueries({ queryKey: credentialsKey(sight) });
  };
  return (
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
  );
}
