// The text of the requests that a load sends: the same one each time, or one with another number.

export interface SentRequest {
  readonly path: string;
  /** Sent by POST. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Stands for a number in the path or in the body. */
export const NUMBER = '{n}';
const DIGITS_MAX = 9;

/** The next one each time; or any one below a bound, so that no two requests need be of the same record. */
export type Numbers = { readonly from: number } | { readonly below: number };

export interface Sent extends SentRequest {
  readonly token?: string;
  readonly numbers?: Numbers;
}

/** Gives the text of one request after the other. */
export function requestText(sent: Sent): () => string {
  const next = numbersOf(sent.numbers);
  const text = textOf(sent);
  const [before = '', ...after] = text.split(NUMBER);
  if (after.length === 0) return () => text;
  const made = () => [before, ...after].join(String(next()));
  if (sent.json === undefined) return made;
  // Spaces behind a body make all of them as long as the head says.
  const length = withDigits(text).length;
  return () => made().padEnd(length);
}

const withDigits = (text: string) => text.replaceAll(NUMBER, '0'.repeat(DIGITS_MAX));

function numbersOf(numbers: Numbers = { from: 0 }): () => number {
  if ('below' in numbers) return () => Math.floor(Math.random() * numbers.below);
  let { from } = numbers;
  return () => from++;
}

function textOf({ path, token, json, headers = {} }: Sent): string {
  const length = json === undefined ? {} : { 'content-length': Buffer.byteLength(withDigits(json)) };
  const all = {
    host: 'localhost',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...headers,
    ...length,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${json === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json ?? ''}`;
}
