// The SMTP server that a setting names.
import { isIP } from 'node:net';
import { EMAIL } from '@cairn/protocol/names';

export interface SmtpLocation {
  readonly host: string;
  readonly port: number;
  /** `implicit`: from the first byte. `starttls`: before anything else is said, or not at all. */
  readonly tls: 'implicit' | 'starttls' | 'off';
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

const FORM =
  'a URL such as smtps://user:password@mail.example.com:465 or smtp://user:password@mail.example.com:587, with ?tls=off only for a server that has no TLS';

export function parseSmtpUrl(text: string): SmtpLocation {
  const url = URL.parse(text);
  const [user, password] = [decoded(url?.username), decoded(url?.password)];
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname))
    throw new Error(`takes ${FORM}`);
  if (user === undefined || password === undefined || !/^(\?tls=off)?$/.test(url.search) || url.hash !== '')
    throw new Error(`takes ${FORM}`);
  const implicit = url.protocol === 'smtps:';
  if (implicit && url.search !== '') throw new Error(`takes ${FORM}`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // Nobody listens between a machine and itself; elsewhere links and passwords would be read on the way.
  const plain = url.search !== '' || isLoopback(host);
  return {
    host,
    port: Number(url.port || (implicit ? 465 : 587)),
    tls: implicit ? 'implicit' : plain ? 'off' : 'starttls',
    credentials: user === '' ? undefined : { user, password },
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** `undefined` where there is a stray %. */
function decoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export interface Sender {
  readonly name: string;
  readonly address: string;
}

/** A name may stand before the address. */
export function parseSender(text: string): Sender {
  const [, name = '', address = text.trim()] = /^([^<>"\p{C}]*)<([^<>]+)>$/u.exec(text.trim()) ?? [];
  if (!EMAIL.test(address)) throw new Error('takes an address such as cairn@example.com or Cairn <cairn@example.com>');
  return { name: name.trim() || 'Cairn', address };
}
