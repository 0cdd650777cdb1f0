// Checks addresses that others chose, and resolves their names. A host must be written exactly as `URL` parses it: a
// difference (0x7f.1, fullwidth dots, tabs) means that somebody names one host and targets another.

import { lookup, Resolver } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

export interface Target {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  readonly permitted: boolean;
}

export class TargetRefusal extends Error {}

const PORTS: ReadonlySet<number> = new Set([443, 8443]);
const PRIVATE_ENDINGS =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|onion|home\.arpa)$/;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const HOST_CHARACTERS_MAX = 253;
const TARGET_URL = /^(https?):\/\/([^/?#\\]*)(?:[/?#]|$)/i;
const permit = (hostAndPort: string) =>
  `The operator of this server can permit a private target: set CAIRN_OUTBOUND_ALLOW=${hostAndPort} and restart the server.`;

export function parseTarget(text: string, allow: ReadonlySet<string>): Target {
  if (!/^[\x21-\x7e]*$/.test(text)) {
    throw new TargetRefusal(
      'The URL contains spaces or characters outside ASCII. Write the host as xn--..., and percent-encode the rest.',
    );
  }
  const [, , authority = ''] = TARGET_URL.exec(text) ?? [];
  if (authority === '' || text.includes('\\'))
    throw new TargetRefusal('This is not a URL. Write it as https://example.com/hook.');
  if (authority.includes('@')) {
    throw new TargetRefusal('The URL contains a user name or password. Remove them, and use a credential set.');
  }
  const url = parseUrl(text, authority);
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const permitted = allow.has(`${url.hostname}:${port}`);
  if (!permitted) requirePublic({ url, host, port });
  return { url, host, port, permitted };
}

function parseUrl(text: string, authority: string): URL {
  const url = URL.parse(text);
  const written = authority.toLowerCase().replace(/:\d*$/, '');
  if (url !== null && url.hostname === written) return url;
  throw new TargetRefusal(
    'The host of the URL is not in its standard form. Write a name, an IPv4 address with four decimal parts, or an IPv6 address in its shortest form.',
  );
}

function requirePublic({ url, host, port }: Omit<Target, 'permitted'>): void {
  const advice = permit(`${url.hostname}:${port}`);
  if (url.protocol !== 'https:') throw new TargetRefusal(`The URL must start with https://. ${advice}`);
  if (!PORTS.has(port)) throw new TargetRefusal(`The port must be 443 or 8443. ${advice}`);
  if (isIP(host) === 0) requirePublicName(host, advice);
  else if (!isPublicAddress(host)) throw notPublic({ url, host, port });
}

function requirePublicName(name: string, advice: string): void {
  const labels = name.split('.');
  if (name.length > HOST_CHARACTERS_MAX || !labels.every((label) => LABEL.test(label))) {
    throw new TargetRefusal(
      'The host of the URL is not a valid internet name. Write a name such as hooks.example.com, without a dot at the end.',
    );
  }
  if (labels.length < 2 || PRIVATE_ENDINGS.test(name)) {
    throw new TargetRefusal(`The host ${name} exists only in private networks. Use a public host. ${advice}`);
  }
}

function notPublic({ url, host, port }: Omit<Target, 'permitted'>): TargetRefusal {
  const advice = permit(`${url.hostname}:${port}`);
  return new TargetRefusal(`The host ${host} is, or resolves to, an address that is not public. ${advice}`);
}

type Range = readonly [network: string, prefix: number];

/** From the registries of special-purpose addresses of IANA, plus addresses where clouds serve secrets. */
const NOT_PUBLIC_IPV4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32],
];

/** Global unicast. Addresses that embed an IPv4 address lie outside, or among the exceptions. */
const PUBLIC_IPV6: readonly Range[] = [['2000::', 3]];

const NOT_PUBLIC_IPV6: readonly Range[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4: an IPv4 address in disguise.
  ['2002::', 16],
  ['3fff::', 20],
];

const blockedIpv4 = listOf(NOT_PUBLIC_IPV4, 'ipv4');
const globalIpv6 = listOf(PUBLIC_IPV6, 'ipv6');
const blockedIpv6 = listOf(NOT_PUBLIC_IPV6, 'ipv6');

function listOf(ranges: readonly Range[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}

function isPublicAddress(address: string): boolean {
  // A zone refers to a link of this machine.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !blockedIpv4.check(address, 'ipv4');
  return family === 6 && globalIpv6.check(address, 'ipv6') && !blockedIpv6.check(address, 'ipv6');
}

export type Resolve = (name: string) => Promise<readonly string[]>;

export interface Pinned {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface Resolvers {
  readonly publicName: Resolve;
  readonly permittedName: Resolve;
}

export class NameError extends Error {}

export async function resolveTarget(resolvers: Resolvers, target: Target): Promise<Pinned[]> {
  const { host, permitted } = target;
  const addresses = isIP(host) === 0 ? await addressesOf(resolvers, { host, permitted }) : [host];
  // One private address is enough to refuse, because the connection could use any of them.
  if (!permitted && !addresses.every(isPublicAddress)) throw notPublic(target);
  return addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
}

async function addressesOf(
  { publicName, permittedName }: Resolvers,
  { host, permitted }: { host: string; permitted: boolean },
): Promise<readonly string[]> {
  const resolve = permitted ? permittedName : publicName;
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw new NameError(`The name ${host} was not found. Check its spelling.`);
  return addresses;
}

/** The machine's own lookup has only a few threads, so slow names would delay all others. */
export const resolveByNameServer: Resolve = async (name) => {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};

export const resolveByMachine: Resolve = async (name) => {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
};

/** Shows only the origin of an endpoint, because paths and queries of webhooks often hold secrets. */
export function maskedOrigin(url: string): string {
  return `${new URL(url).origin}/***`;
}
