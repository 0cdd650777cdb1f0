// Names to addresses: once for each request, so that what was checked is what is connected to.
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './address.ts';
import { notPublic, type Target } from './target.ts';

/** All addresses of a name; it throws, or answers none, where there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Where the connection goes, whatever the name means by then. */
export interface Pinned {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface Resolvers {
  /** For names of the internet. */
  readonly publicName: Resolve;
  /** For what the operator permits: names of the machine and of its network. */
  readonly permittedName: Resolve;
}

/** The name has no address, as far as can be found out now. */
export class NameError extends Error {}

export async function resolveTarget(resolvers: Resolvers, target: Target): Promise<Pinned[]> {
  const { host, permitted } = target;
  const addresses = isIP(host) === 0 ? await addressesOf(resolvers, { host, permitted }) : [host];
  // One that is private is enough: which of them is connected to is a matter of chance.
  if (!permitted && !addresses.every(isPublicAddress)) throw notPublic(target);
  return addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
}

async function addressesOf(
  { publicName, permittedName }: Resolvers,
  { host, permitted }: { host: string; permitted: boolean },
): Promise<readonly string[]> {
  const resolve = permitted ? permittedName : publicName;
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new NameError(`The name ${host} was not found. Check how it is written.`);
  return addresses;
}

/**
 * By the name servers, not by the machine's own look-up: that has only a few threads, and names that are slow to answer
 * would hold up all others.
 */
export const resolveByNameServer: Resolve = async (name) => {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};

export const resolveByMachine: Resolve = async (name) => {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
};
