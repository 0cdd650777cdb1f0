// A credential set with a new signing secret, for one subscription.

import { client } from '../../app/session.ts';
import type { Home } from '../../app/sight.ts';
import { newSigningSecret } from './secret.ts';

interface NewSet {
  readonly setName: string;
  readonly subscriptionName: string;
}

export const createSetFor = ({ orgName, repoName }: Home, { setName, subscriptionName }: NewSet) =>
  client.credential.create(orgName, repoName, setName, { description: `For the subscription ${subscriptionName}` });

/** Puts a new secret into a new set, and makes use of it; the set goes again if that fails. */
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
