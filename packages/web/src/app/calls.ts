import { hasUnseen, unseenAs } from '../ui/unseen.ts';
// The same read by HTTP, SDK and CLI, ready to be copied.

export interface ReadCall {
  readonly what: string;
  readonly procedure: string;
  /** Arguments of the SDK call after the repository and before the options. */
  readonly given?: readonly (string | number)[];
  readonly names?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly isEverywhere?: boolean;
  /** The CLI command, if it differs from the procedure. */
  readonly command?: string;
  readonly words?: readonly string[];
  readonly rest?: string;
}

export interface Address {
  readonly url: string;
  readonly orgName?: string | undefined;
  readonly repoName?: string | undefined;
  readonly isSignedIn: boolean;
}

export interface SameCalls {
  readonly http: string;
  readonly sdk: string;
  readonly cli: string;
}

export function callsOf(shown: ReadCall, { orgName, repoName, ...server }: Address): SameCalls {
  const address = shown.isEverywhere ? server : { orgName, repoName, ...server };
  return { http: httpCall(shown, address), sdk: sdkCall(shown, address), cli: cliCall(shown, address) };
}

/** For an organization's own objects the SDK takes null as the repository, and the command takes `--org`. */
const isOwn = ({ procedure }: ReadCall, { orgName, repoName }: Address): boolean =>
  orgName !== undefined && repoName === undefined && /^(subscription|credential|action)\./.test(procedure);

const place = ({ orgName, repoName }: Address): string[] =>
  [orgName, repoName].filter((part): part is string => part !== undefined);

function httpCall(shown: ReadCall, address: Address): string {
  const { url, isSignedIn } = address;
  const target =
    shown.rest === undefined ? trpcCall(shown, address) : quoted(`${url}${restAddress(shown.rest, shown.options)}`);
  const authorization = isSignedIn ? ' \\\n  -H "Authorization: Bearer $CAIRN_TOKEN"' : '';
  return `curl ${target}${authorization}`;
}

/** REST repeats a parameter for each value of a list, except `fields`. */
function restAddress(path: string, options: ReadCall['options'] = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    if (Array.isArray(value) && name !== 'fields') for (const one of value) query.append(name, oneOf(one));
    else if (value !== undefined) query.append(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

const oneOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify([value]) : String(value));

function trpcCall({ procedure, given = [], names = [], options = {} }: ReadCall, address: Address): string {
  const { orgName, repoName } = address;
  const named = Object.fromEntries(names.map((name, index) => [name, given[index]]));
  const input = JSON.stringify({ orgName, repoName, ...named, ...options });
  const target = quoted(`${address.url}/trpc/${procedure}`);
  return input === '{}' ? target : `-G ${target} \\\n  --data-urlencode ${quoted(`input=${input}`)}`;
}

function sdkCall(shown: ReadCall, address: Address): string {
  const { procedure, given = [], options = {} } = shown;
  const told = Object.entries(options).filter(([, value]) => value !== undefined);
  const input = [...place(address), ...(isOwn(shown, address) ? [null] : []), ...given].map((value) => literal(value));
  if (told.length > 0) input.push(`{ ${told.map(([name, value]) => `${name}: ${literal(value)}`).join(', ')} }`);
  return program(address, `${procedure}(${input.join(', ')})`);
}

const PRINTED = 'console.log(answer);';

export const program = ({ url, isSignedIn }: Address, call: string): string =>
  [
    "import { CairnClient } from '@cairn/sdk';",
    '',
    isSignedIn
      ? `const client = CairnClient.fromEnv(); // CAIRN_URL=${url} CAIRN_TOKEN=...`
      : `const client = new CairnClient({ url: ${literal(url)} });`,
    `const answer = await client.${call};`,
    PRINTED,
  ].join('\n');

export function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return JSON.stringify(value);
}

const FLAGS: Readonly<Record<string, string>> = { atRepoSeq: 'at', sinceRepoSeq: 'since' };

function cliCall(shown: ReadCall, address: Address): string {
  const all = [...(shown.words ?? wordsOf(shown, address)), '--json'];
  const { url } = address;
  return `CAIRN_URL=${quoted(url)} cairn ${all.map(quoted).join(' ')}`;
}

function wordsOf(shown: ReadCall, address: Address): string[] {
  const { procedure, command, given = [], options = {} } = shown;
  const { orgName = '', repoName } = address;
  const words = (command ?? procedure.replace('.', ' ')).split(' ');
  const own = isOwn(shown, address) ? ['--org', orgName] : place(address);
  const repo = repoName === undefined ? own : ['--repo', `${orgName}/${repoName}`];
  const flags = Object.entries(options).flatMap(([name, value]) => flag(FLAGS[name] ?? kebab(name), value));
  return [...words, ...given.map(String), ...repo, ...flags];
}

function flag(name: string, value: unknown): string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [`--${name}`];
  if (Array.isArray(value)) {
    return name === 'fields' ? [`--${name}`, value.join(',')] : value.flatMap((one) => [`--${name}`, oneOf(one)]);
  }
  return [`--${name}`, String(value)];
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Quotes a word for a shell, with invisible characters as bytes. */
export function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!hasUnseen(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  return `$'${unseenAs(bytesOf, word.replaceAll('\\', '\\\\').replaceAll("'", "\\'"))}'`;
}

const bytesOf = (character: string): string =>
  [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
