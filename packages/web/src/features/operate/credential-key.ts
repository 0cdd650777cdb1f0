// What the keys of a credential set do, in plain words. Others are kept, and not sent.
const WEBHOOK_KEYS: Readonly<Record<string, string>> = {
  WEBHOOK_SIGNING_SECRET: 'signs each delivery, so that the receiver knows that it comes from here',
  WEBHOOK_BEARER_TOKEN: 'is sent as Authorization: Bearer …',
  WEBHOOK_API_KEY: 'is sent in the header x-api-key, or in the one that WEBHOOK_API_KEY_HEADER names',
  WEBHOOK_API_KEY_HEADER: 'names the header that WEBHOOK_API_KEY is sent in',
  WEBHOOK_BASIC_USERNAME: 'is sent with WEBHOOK_BASIC_PASSWORD as Authorization: Basic …',
  WEBHOOK_BASIC_PASSWORD: 'is sent with WEBHOOK_BASIC_USERNAME as Authorization: Basic …',
};

const FALLBACK = 'FALLBACK_';

/** Those that can be chosen from. */
export const KNOWN_KEYS: readonly string[] = Object.keys(WEBHOOK_KEYS);

/** Undefined where the server will say that it is no key that it knows. */
export function keyWords(key: string): string | undefined {
  if (key === 'CLI_SIGNING_SECRET') return 'signs the calls of commands of a component';
  const isFallback = key.startsWith(FALLBACK);
  const words = WEBHOOK_KEYS[isFallback ? key.slice(FALLBACK.length) : key];
  if (words !== undefined) return isFallback ? `${words}, at the fallback address` : words;
  return /^(WEBHOOK|FALLBACK)_/.test(key) ? undefined : 'is kept, and sent nowhere';
}
