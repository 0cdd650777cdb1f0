// What an address that others chose may look like, before any name in it is looked up. The text is held against what
// URL makes of it: where the two differ (0x7f.1, fullwidth dots, tabs), somebody tries to say one host and mean another.
import { isIP } from 'node:net';
import { isPublicAddress } from './address.ts';

export interface Target {
  readonly url: URL;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The operator lets it be reached wherever it is, over http too. */
  readonly permitted: boolean;
}

/** Why an address may not be reached, and what to do. */
export class TargetRefusal extends Error {}

const PORTS: ReadonlySet<number> = new Set([443, 8443]);
/** Names that mean something else in every network. */
const PRIVATE_ENDINGS =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|onion|home\.arpa)$/;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const HOST_CHARACTERS_MAX = 253;
const FORM = /^(https?):\/\/([^/?#\\]*)(?:[/?#]|$)/i;
/** With what they would set, ready to be copied. */
const permit = (hostAndPort: string) =>
  `The operator of this server can permit a private target: add its host and port to the setting CAIRN_OUTBOUND_ALLOW, and start the server again: CAIRN_OUTBOUND_ALLOW=${hostAndPort}`;

export function parseTarget(text: string, allow: ReadonlySet<string>): Target {
  if (!/^[\x21-\x7e]*$/.test(text)) {
    throw new TargetRefusal(
      'The URL holds blanks or characters that are not ASCII. Write the host as xn--..., and encode the rest with %.',
    );
  }
  const [, , authority = ''] = FORM.exec(text) ?? [];
  if (authority === '' || text.includes('\\')) throw new TargetRefusal('Give a URL such as https://example.com/hook.');
  if (authority.includes('@')) {
    throw new TargetRefusal('The URL holds a user name or password. Leave them out, and use a credential set.');
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
    'The host of the URL is not written plainly. Give a name, an IPv4 address with four decimal parts, or an IPv6 address in its shortest form.',
  );
}

function requirePublic({ url, host, port }: Omit<Target, 'permitted'>): void {
  const advice = permit(`${url.hostname}:${port}`);
  if (url.protocol !== 'https:') throw new TargetRefusal(`The URL must begin with https://. ${advice}`);
  if (!PORTS.has(port)) throw new TargetRefusal(`The port must be 443 or 8443. ${advice}`);
  if (isIP(host) === 0) requirePublicName(host, advice);
  else if (!isPublicAddress(host)) throw notPublic({ url, host, port });
}

function requirePublicName(name: string, advice: string): void {
  const labels = name.split('.');
  if (name.length > HOST_CHARACTERS_MAX || !labels.every((label) => LABEL.test(label))) {
    throw new TargetRefusal(
      'The host of the URL is not a name of the internet. Write it without a dot at its end, such as hooks.example.com.',
    );
  }
  if (labels.length < 2 || PRIVATE_ENDINGS.test(name)) {
    throw new TargetRefusal(`The host ${name} is a name for private networks alone. Use a public one. ${advice}`);
  }
}

export function notPublic({ url, host, port }: Omit<Target, 'permitted'>): TargetRefusal {
  const advice = permit(`${url.hostname}:${port}`);
  return new TargetRefusal(`The host ${host} is, or leads to, an address that is not public. ${advice}`);
}
