// Mail, as the rest of the server knows it. Nobody waits for one: a request is answered the same, and in the same time,
// whether its mail is sent, refused, or was never to be written.
import { isIP } from 'node:net';
import { EMAIL } from '@cairn/protocol/names';

export interface Mail {
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

export interface MailOrder {
  /** What it is about, for the log. */
  readonly about: 'invitation' | 'reset' | 'sign-up';
  readonly to: string;
  /** Written when its turn comes; `undefined` when there is nothing to say. */
  readonly write: () => Mail | undefined | Promise<Mail | undefined>;
}

/** There is none where no SMTP server is set. */
export interface MailQueue {
  /** Returns at once, and never fails. */
  add(order: MailOrder): void;
  /** Takes no more, and waits for those that are left, within bounds. */
  close(): Promise<void>;
}

// The SMTP server that a setting names.

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
