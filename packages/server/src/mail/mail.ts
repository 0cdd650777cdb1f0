// The mail queue and its settings. Requests never wait for mail: answer and timing must not reveal whether one is sent.
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { EMAIL } from '@cairn/protocol/names';
import type { Logger } from 'pino';
import type { SendMail } from './smtp.ts';

export interface Mail {
  readonly subject: string;
  readonly text: string;
}

export interface MailOrder {
  readonly about: 'invitation' | 'reset' | 'sign-up';
  readonly to: string;
  /** Called when the mail is due; `undefined` sends nothing. */
  readonly write: () => Mail | undefined | Promise<Mail | undefined>;
}

export interface MailQueue {
  add(order: MailOrder): void;
  close(): Promise<void>;
}

export interface SmtpLocation {
  readonly host: string;
  readonly port: number;
  /** `implicit` encrypts from the first byte. `starttls` is mandatory: without it nothing is sent. */
  readonly tls: 'implicit' | 'starttls' | 'off';
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

const SMTP_URL_FORM =
  'a URL such as smtps://user:password@mail.example.com:465 or smtp://user:password@mail.example.com:587, with ?tls=off only for a server that has no TLS';

export function parseSmtpUrl(text: string): SmtpLocation {
  const url = URL.parse(text);
  const [user, password] = [decoded(url?.username), decoded(url?.password)];
  if (url === null || user === undefined || password === undefined || !isMailServer(url))
    throw new Error(`takes ${SMTP_URL_FORM}`);
  const implicit = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // Loopback needs no encryption. Elsewhere links and passwords could be read on the way.
  const plain = url.search !== '' || isLoopback(host);
  return {
    host,
    port: Number(url.port || (implicit ? 465 : 587)),
    tls: implicit ? 'implicit' : plain ? 'off' : 'starttls',
    credentials: user === '' ? undefined : { user, password },
  };
}

function isMailServer({ protocol, hostname, pathname, search, hash }: URL): boolean {
  if (hostname === '' || !/^\/?$/.test(pathname) || hash !== '') return false;
  return search === '' ? /^smtps?:$/.test(protocol) : protocol === 'smtp:' && search === '?tls=off';
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

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

export function parseSender(text: string): Sender {
  const [, name = '', address = text.trim()] = /^([^<>"\p{C}]*)<([^<>]+)>$/u.exec(text.trim()) ?? [];
  if (!EMAIL.test(address)) throw new Error('takes an address such as cairn@example.com or Cairn <cairn@example.com>');
  return { name: name.trim() || 'Cairn', address };
}

const WAITING_MAX = 1_000;
const AT_ONCE = 4;
const DRAIN_MS = 5_000;

interface QueueOptions {
  readonly send: SendMail;
  readonly allow: (to: string) => Promise<boolean>;
  readonly log: Logger;
  readonly drainMs?: number;
}

/** In memory: users can ask again, and inviters see the link anyway. Failures are logged. */
export function createMailQueue({ send, allow, log, drainMs = DRAIN_MS }: QueueOptions): MailQueue {
  const waiting: MailOrder[] = [];
  const sending = new Set<Promise<void>>();
  let closed = false;

  const carry = async ({ about, to, write }: MailOrder) => {
    try {
      if (!(await allow(to))) {
        log.warn({ mail: about }, 'A mail was not sent, because its recipient got too many within the hour.');
        return;
      }
      const mail = await write();
      if (mail !== undefined) await send({ ...mail, to });
    } catch (error) {
      log.error({ mail: about, ...failureOf(error) }, 'A mail was not sent. Check CAIRN_SMTP_URL and CAIRN_MAIL_FROM.');
    }
  };
  const begin = () => {
    while (sending.size < AT_ONCE) {
      const order = waiting.shift();
      if (order === undefined) return;
      const carried = carry(order).finally(() => {
        sending.delete(carried);
        begin();
      });
      sending.add(carried);
    }
  };
  const drain = async () => {
    while (sending.size > 0) await Promise.all(sending);
  };

  return {
    add: (order) => {
      if (closed || waiting.length >= WAITING_MAX) {
        log.warn({ mail: order.about }, 'A mail was not sent, because too many are waiting or the server is stopping.');
        return;
      }
      waiting.push(order);
      begin();
    },
    close: async () => {
      closed = true;
      const late = new AbortController();
      await Promise.race([drain(), delay(drainMs, undefined, { signal: late.signal }).catch(() => {})]);
      late.abort();
      const left = waiting.splice(0).length + sending.size;
      if (left > 0) log.warn({ left }, 'Mails were not sent, because the server stopped first.');
    },
  };
}

/** Keeps only codes, because an SMTP server's reply may quote the mail with its link or password. */
function failureOf(error: unknown): { code?: string; status?: number; reason?: string } {
  if (!(error instanceof Error)) return { reason: 'unknown' };
  const { code, responseCode, response } = error as Error & Partial<Record<string, unknown>>;
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof responseCode === 'number' && { status: responseCode }),
    ...(response === undefined && { reason: error.message }),
  };
}
