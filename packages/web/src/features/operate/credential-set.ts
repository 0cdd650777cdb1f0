import type { CredentialSet, Subscription } from '@cairn/sdk';
import { queryOptions } from '@tanstack/react-query';
import { allItems, homeKey, paged } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Home } from '../../app/sight.ts';
import { newSigningSecret } from './secret.ts';

const EVENTS_A_PAGE = 20;

export const credentialsKey = (home: Home) => [...homeKey(home), 'credentials', 'now'] as const;

export const credentialSets = (home: Home) =>
  queryOptions({
    queryKey: [...credentialsKey(home), 'all'],
    queryFn: ({ signal }) => allItems(client.credential.list(home.orgName, home.repoName, { signal, limit: 500 })),
  });

export const credentialSetNamed = (home: Home, name: string) =>
  queryOptions({
    queryKey: [...credentialsKey(home), 'one', name],
    queryFn: ({ signal }) => client.credential.get(home.orgName, home.repoName, name, { signal }),
  });

export const credentialEvents = (home: Home, name: string) =>
  paged(
    [...credentialsKey(home), 'events', name],
    (asked) => client.credential.audit(home.orgName, home.repoName, name, asked),
    EVENTS_A_PAGE,
  );

// Other keys are stored and not sent.
const WEBHOOK_KEYS: Readonly<Record<string, string>> = {
  WEBHOOK_SIGNING_SECRET: 'signs each delivery, so that the receiver can verify it',
  WEBHOOK_BEARER_TOKEN: 'is sent as Authorization: Bearer …',
  WEBHOOK_API_KEY: 'is sent in the header x-api-key, or in the header named by WEBHOOK_API_KEY_HEADER',
  WEBHOOK_API_KEY_HEADER: 'is the name of the header for WEBHOOK_API_KEY',
  WEBHOOK_BASIC_USERNAME: 'is sent with WEBHOOK_BASIC_PASSWORD as Authorization: Basic …',
  WEBHOOK_BASIC_PASSWORD: 'is sent with WEBHOOK_BASIC_USERNAME as Authorization: Basic …',
};

const FALLBACK = 'FALLBACK_';

export const KNOWN_KEYS: readonly string[] = Object.keys(WEBHOOK_KEYS);

export function keyWords(key: string): string | undefined {
  if (key === 'CLI_SIGNING_SECRET') return 'signs calls of component commands';
  const isFallback = key.startsWith(FALLBACK);
  const words = WEBHOOK_KEYS[isFallback ? key.slice(FALLBACK.length) : key];
  if (words !== undefined) return isFallback ? `${words}, for the fallback URL` : words;
  return /^(WEBHOOK|FALLBACK)_/.test(key) ? undefined : 'is stored, but not sent';
}

// A set is bound to one origin. A delivery elsewhere would block the set for everyone, so the form warns first.

export interface Addresses {
  readonly webhookUrl: string;
  readonly fallbackWebhookUrl: string;
}

type BoundSet = Pick<CredentialSet, 'name' | 'boundOrigin' | 'boundFallbackOrigin' | 'unboundAt'>;
type User = Pick<Subscription, 'name' | 'credentialSet' | 'webhookOrigin'>;

const originOf = (address: string): string | undefined => (URL.canParse(address) ? new URL(address).origin : undefined);

export const otherUsers = (setName: string, subscriptions: readonly User[], ownName?: string): readonly User[] =>
  subscriptions.filter(({ name, credentialSet }) => credentialSet === setName && name !== ownName);

const elsewhere = (users: readonly User[], origin: string) =>
  users.filter(({ webhookOrigin }) => originOf(webhookOrigin) !== origin);

const namesOf = (users: readonly User[]): string => users.map(({ name }) => name).join(', ');

export function setProblem(set: BoundSet, addresses: Addresses, users: readonly User[]): string | undefined {
  const { name, unboundAt } = set;
  if (unboundAt !== undefined)
    return `${name} is blocked until its keys are set again. Set them, choose another set, or create a new secret.`;
  const bound = boundElsewhere(set, addresses, users);
  if (bound === undefined) return undefined;
  const also = users.length === 0 ? '' : `, including those of ${namesOf(users)}`;
  return `${name} is bound to ${bound}. A delivery to another origin would block all deliveries with this set${also}. Create a new secret, or choose another set.`;
}

/** Before its first delivery a set belongs where its other users send. */
function boundElsewhere(
  { boundOrigin, boundFallbackOrigin }: BoundSet,
  { webhookUrl, fallbackWebhookUrl }: Addresses,
  users: readonly User[],
): string | undefined {
  const [origin, fallback] = [originOf(webhookUrl), originOf(fallbackWebhookUrl)];
  if (origin !== undefined) {
    const other = elsewhere(users, origin)[0];
    const bound = boundOrigin ?? (other && originOf(other.webhookOrigin));
    if (bound !== undefined && bound !== origin) return bound;
  }
  return fallback === undefined || fallback === boundFallbackOrigin ? undefined : boundFallbackOrigin;
}

export function moveProblem(subscription: User, webhookUrl: string, users: readonly User[]): string | undefined {
  const origin = originOf(webhookUrl);
  if (origin === undefined || origin === originOf(subscription.webhookOrigin) || users.length === 0) return undefined;
  const { name, credentialSet } = subscription;
  return `${credentialSet} is bound to ${originOf(subscription.webhookOrigin)}, and is also used by ${namesOf(users)}. Another origin would block it. Unbind ${name} on its page first, and create a new secret there.`;
}

export function waitingAdvice(subscription: User, users: readonly User[]): string {
  const { name, credentialSet } = subscription;
  const others = elsewhere(users, originOf(subscription.webhookOrigin) ?? '');
  if (others.length === 0)
    return `Set the keys of ${credentialSet} again. The set is then bound to the origin of ${name}.`;
  return `The same set is used for another origin by ${namesOf(others)}. Give ${name} its own set: unbind it on its page, and create a new secret there. Then set the keys of ${credentialSet} again for the others.`;
}

export function freeSetName(name: string, taken: readonly string[]): string {
  for (let number = 2; taken.includes(name) && number <= taken.length + 1; number += 1) {
    const numbered = `${name.slice(0, 95)}-${number}`;
    if (!taken.includes(numbered)) return numbered;
  }
  return name;
}

export const createSetFor = ({ orgName, repoName }: Home, setName: string, subscriptionName: string) =>
  client.credential.create(orgName, repoName, setName, { description: `For the subscription ${subscriptionName}` });

/** Deletes the set again if `use` fails. */
export async function withNewSecret<Used>({ orgName, repoName }: Home, setName: string, use: () => Promise<Used>) {
  const secret = newSigningSecret();
  try {
    await client.credential.setKeys(orgName, repoName, setName, { WEBHOOK_SIGNING_SECRET: secret });
    return { used: await use(), secret };
  } catch (error) {
    await client.credential.delete(orgName, repoName, setName).catch(() => undefined);
    throw error;
  }
}
