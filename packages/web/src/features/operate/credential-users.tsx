import type { CredentialSet, Subscription } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import { addressOf, type Home } from '../../app/home.ts';

/** The names of the subscriptions whose deliveries go with a set. */
export const usersOf = ({ name }: CredentialSet, subscriptions: readonly Subscription[]): readonly string[] =>
  subscriptions.filter(({ credentialSet }) => credentialSet === name).map((user) => user.name);

export function SubscriptionLinks({ home, names }: { home: Home; names: readonly string[] }) {
  return names.map((name, index) => (
    <span key={name}>
      {index > 0 && ', '}
      <Link to="/$orgName/$repoName/operate/subscriptions/$name" params={{ ...addressOf(home), name }} search={{}}>
        {name}
      </Link>
    </span>
  ));
}
