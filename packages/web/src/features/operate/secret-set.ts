import { client } from '../../app/session.ts';
import type { Home } from '../../app/sight.ts';
import { newSigningSecret } from './secret.ts';

interface NewSet {
  readonly setName: string;
  readonly subscriptionName: string;
}

export const createSetFor = ({ orgName, repoName }: Home, { setName, subscriptionName }: NewSet) =>
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
