// The keys of a credential set that deliveries use: their rules, and the headers that they make.
import { VERSION } from '@cairn/protocol/version';
import { Webhook } from 'standardwebhooks';

export type DeliveryTarget = 'webhook' | 'fallback';

export type Values = ReadonlyMap<string, string>;

const SIGNING_SECRET = 'WEBHOOK_SIGNING_SECRET';
const BEARER_TOKEN = 'WEBHOOK_BEARER_TOKEN';
const API_KEY = 'WEBHOOK_API_KEY';
const API_KEY_HEADER = 'WEBHOOK_API_KEY_HEADER';
const BASIC_USERNAME = 'WEBHOOK_BASIC_USERNAME';
const BASIC_PASSWORD = 'WEBHOOK_BASIC_PASSWORD';
const FALLBACK = 'FALLBACK_';

const SIGNING_BYTES_MIN = 24;
const DEFAULT_API_KEY_HEADER = 'x-api-key';
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const TAKEN_HEADER =
  /^(?:accept-encoding|authorization|connection|content-.*|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent|webhook-.*|x-cairn-.*)$/i;

const CHECKS: Readonly<Record<string, (value: string) => string | undefined>> = {
  [SIGNING_SECRET]: signingProblem,
  [BEARER_TOKEN]: headerValueProblem,
  [API_KEY]: headerValueProblem,
  [API_KEY_HEADER]: headerNameProblem,
  [BASIC_USERNAME]: usernameProblem,
  [BASIC_PASSWORD]: () => undefined,
};

function signingProblem(value: string): string | undefined {
  try {
    new Webhook(value);
  } catch {
    return 'must be base64, optionally with the prefix whsec_. Create one with: openssl rand -base64 32';
  }
  const bytes = Buffer.from(value.replace(/^whsec_/, ''), 'base64').length;
  if (bytes >= SIGNING_BYTES_MIN) return undefined;
  return `must have at least ${SIGNING_BYTES_MIN} bytes in base64. Create one with: openssl rand -base64 32`;
}

function headerValueProblem(value: string): string | undefined {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return undefined;
  return 'goes into a header, so it must be printable ASCII with no space at either end';
}

function headerNameProblem(value: string): string | undefined {
  if (!HEADER_NAME.test(value)) return 'must be a header name, such as x-api-key';
  if (!TAKEN_HEADER.test(value)) return undefined;
  return `names the header ${value.toLowerCase()}, which deliveries already use. Choose another header; for Authorization, set ${BEARER_TOKEN}`;
}

function usernameProblem(value: string): string | undefined {
  return value.includes(':') ? 'must not contain a colon, which would end the user name' : undefined;
}

export function problemOf(key: string, value: string): string | undefined {
  const plain = key.startsWith(FALLBACK) ? key.slice(FALLBACK.length) : key;
  const check = Object.hasOwn(CHECKS, plain) ? CHECKS[plain] : undefined;
  if (check !== undefined) return check(value);
  // A misspelled key would silently have no effect.
  if (!/^(?:WEBHOOK|FALLBACK)_/.test(key)) return undefined;
  return `is not a known key. Use one of ${Object.keys(CHECKS).join(', ')}, or one of them with the prefix ${FALLBACK}`;
}

export const RIVALS: readonly (readonly [string, string])[] = ['', FALLBACK].flatMap((prefix) =>
  [BASIC_USERNAME, BASIC_PASSWORD].map((basic) => [prefix + BEARER_TOKEN, prefix + basic] as const),
);

export function keysFor(target: DeliveryTarget): string[] {
  const names = [SIGNING_SECRET, BEARER_TOKEN, API_KEY, BASIC_USERNAME, BASIC_PASSWORD];
  return target === 'webhook' ? names : names.map((name) => FALLBACK + name);
}

export interface SignedDelivery {
  readonly id: string;
  readonly at: Date;
  readonly body: string;
}

/** The headers of any request to a webhook or to an endpoint of a component. */
export function webhookHeaders(
  { headersFor }: { headersFor: (delivery: SignedDelivery) => Record<string, string> },
  id: string,
  body: string,
): Record<string, string> {
  const at = new Date();
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    ...headersFor({ id, at, body }),
    'content-type': 'application/json',
    'user-agent': `Cairn/${VERSION}`,
  };
}

export function deliveryHeaders(
  values: Values,
  target: DeliveryTarget,
  delivery: SignedDelivery,
): Record<string, string> {
  const given = (key: string) => values.get(target === 'webhook' ? key : FALLBACK + key);
  const [secret, bearer, apiKey] = [SIGNING_SECRET, BEARER_TOKEN, API_KEY].map(given);
  const basic = basicOf(given(BASIC_USERNAME), given(BASIC_PASSWORD));
  return {
    ...(apiKey !== undefined && { [(given(API_KEY_HEADER) ?? DEFAULT_API_KEY_HEADER).toLowerCase()]: apiKey }),
    ...(basic !== undefined && { authorization: `Basic ${basic}` }),
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...(secret !== undefined && signature(secret, delivery)),
  };
}

function signature(secret: string, { id, at, body }: SignedDelivery): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

function basicOf(username: string | undefined, password: string | undefined): string | undefined {
  if (username === undefined && password === undefined) return undefined;
  return Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64');
}

/** The values that must not appear in a stored answer, in every form in which they are sent. */
export function secretsOf(values: Values): string[] {
  const secret = [...values].filter(([key]) => !key.endsWith(API_KEY_HEADER)).map(([, value]) => value);
  const basic = ['', FALLBACK].map((prefix) =>
    basicOf(values.get(prefix + BASIC_USERNAME), values.get(prefix + BASIC_PASSWORD)),
  );
  const bare = secret.filter((value) => value.startsWith('whsec_')).map((value) => value.slice('whsec_'.length));
  return [...secret, ...bare, ...basic.filter((text) => text !== undefined)];
}
