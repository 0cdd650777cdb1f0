// Every setting of the server in one table: its environment variable, its flag, its default and what it means. The
// `--help` text and docs/reference/settings.md are made from it. The only file that reads the environment.
import { existsSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LIMITS, type LimitName, type Limits } from '@cairn/protocol/limits';

/** A setting that cannot be used. The message is one line that says which and what it takes. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Setting<Result> {
  readonly env: string;
  /** `undefined`: the setting has no default and may be absent. */
  readonly default: string | undefined;
  /** Throws an Error that says what the setting takes. */
  readonly parse: (text: string) => Result;
  readonly meaning: string;
  /** Secrets are not taken from the command line, where every user of the machine can read them. */
  readonly secret?: true;
}

function setting<Result, Default extends string | undefined>(row: Setting<Result> & { readonly default: Default }) {
  return row;
}

const takes = (what: string) => new Error(`takes ${what}`);

function wholeNumber({ min, max }: { min: number; max: number }) {
  return (text: string) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) throw takes(`a whole number from ${min} to ${max}`);
    return value;
  };
}

function oneOf<Choice extends string>(...choices: Choice[]) {
  return (text: string) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw takes(`one of ${choices.join(', ')}`);
    return choice;
  };
}

function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw takes('an http or https URL without query or credentials, such as https://cairn.example.com');
  }
  return url.href.replace(/\/+$/, '');
}

function postgresUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || !isDecodable(url))
    throw takes('a URL such as postgres://user@host:5432/name');
  return text;
}

// The driver decodes user and password; a stray % would stop it with a message that nobody understands.
function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function origins(text: string): string[] {
  const list = text.split(',').filter((part) => part !== '');
  for (const origin of list) {
    if (origin !== '*' && URL.parse(origin)?.origin !== origin) {
      throw takes('a comma-separated list of origins such as https://app.example.com, or *');
    }
  }
  return list;
}

function addressRanges(text: string): BlockList {
  const ranges = new BlockList();
  for (const part of text.split(',').map((entry) => entry.trim())) {
    if (part === 'loopback') {
      ranges.addSubnet('127.0.0.0', 8, 'ipv4');
      ranges.addAddress('::1', 'ipv6');
    } else if (part !== '') {
      const [, address = '', prefix] = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
      const version = isIP(address);
      const bits = version === 4 ? 32 : 128;
      if (version === 0 || Number(prefix ?? bits) > bits) {
        throw takes(
          'a comma-separated list of addresses, ranges such as 10.0.0.0/8 or fd00::/8, and the word loopback',
        );
      }
      ranges.addSubnet(address, Number(prefix ?? bits), version === 4 ? 'ipv4' : 'ipv6');
    }
  }
  return ranges;
}

function longSecret(text: string): string {
  if (text.length < 32) throw takes('at least 32 characters; make one with `openssl rand -base64 32`');
  return text;
}

const text = (value: string) => value;

const BASE_SETTINGS = {
  port: setting({
    env: 'PORT',
    default: '8787',
    parse: wholeNumber({ min: 0, max: 65_535 }),
    meaning: 'TCP port to listen on; 0 takes a free one.',
  }),
  host: setting({
    env: 'CAIRN_HOST',
    default: '127.0.0.1',
    parse: text,
    meaning: 'Address to listen on; 0.0.0.0 for all.',
  }),
  publicUrl: setting({
    env: 'CAIRN_PUBLIC_URL',
    default: undefined,
    parse: httpUrl,
    meaning:
      'Where clients reach the server; every absolute address is made from it. By default http://localhost:PORT.',
  }),
  data: setting({
    env: 'CAIRN_DATA',
    default: './data',
    parse: (path) => resolve(path),
    meaning: 'Folder of the SQLite database and of the key file.',
  }),
  databaseUrl: setting({
    env: 'CAIRN_DATABASE_URL',
    default: undefined,
    parse: postgresUrl,
    meaning: 'PostgreSQL to use instead of SQLite.',
    secret: true,
  }),
  secret: setting({
    env: 'CAIRN_SECRET',
    default: undefined,
    parse: longSecret,
    meaning:
      'What all keys are derived from, the same on every node. By default a key file in CAIRN_DATA, made at first start.',
    secret: true,
  }),
  ownerEmail: setting({
    env: 'CAIRN_OWNER_EMAIL',
    default: undefined,
    parse: text,
    meaning: 'With CAIRN_OWNER_PASSWORD: creates the first owner at start, without the set-up link.',
  }),
  ownerPassword: setting({
    env: 'CAIRN_OWNER_PASSWORD',
    default: undefined,
    parse: text,
    meaning: "The first owner's password.",
    secret: true,
  }),
  orgCreation: setting({
    env: 'CAIRN_ORG_CREATION',
    default: 'operators',
    parse: oneOf('operators', 'open'),
    meaning: 'Who may create organizations: operators of the server, or, when open, every account.',
  }),
  corsOrigins: setting({
    env: 'CAIRN_CORS_ORIGINS',
    default: '',
    parse: origins,
    meaning: 'Origins whose pages may call the server with credentials, separated by commas; * for all.',
  }),
  trustedProxies: setting({
    env: 'CAIRN_TRUSTED_PROXIES',
    default: '',
    parse: addressRanges,
    meaning:
      'Proxies whose X-Forwarded-For is believed: addresses, ranges such as 10.0.0.0/8, or loopback, separated by commas. Without it, all clients behind a proxy count as one address.',
  }),
  logLevel: setting({
    env: 'CAIRN_LOG_LEVEL',
    default: 'info',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    meaning: 'What the log holds: trace, debug, info, warn, error, fatal or silent.',
  }),
  metricsToken: setting({
    env: 'CAIRN_METRICS_TOKEN',
    default: undefined,
    parse: longSecret,
    meaning: 'Bearer token that GET /metrics asks for. Without it, and without CAIRN_METRICS_PORT, there are none.',
    secret: true,
  }),
  metricsPort: setting({
    env: 'CAIRN_METRICS_PORT',
    default: undefined,
    parse: wholeNumber({ min: 0, max: 65_535 }),
    meaning: 'Port on loopback that serves GET /metrics without a token.',
  }),
};

type BaseSettings = typeof BASE_SETTINGS;
type Parsed<Row> = Row extends Setting<infer Result> ? Result : never;
type Absent<Row> = Row extends { readonly default: string } ? never : undefined;

export type Config = {
  readonly [Name in keyof BaseSettings]: Parsed<BaseSettings[Name]> | Absent<BaseSettings[Name]>;
} & { readonly limits: Limits };

function limitSettings(): Record<LimitName, Setting<number>> {
  const rows = Object.entries(LIMITS).map(([name, limit]) => [
    name,
    setting({
      env: `CAIRN_LIMIT_${snakeCase(name)}`,
      default: String(limit.default),
      parse: wholeNumber({ min: 'min' in limit ? limit.min : 1, max: Number.MAX_SAFE_INTEGER }),
      meaning: limit.meaning,
    }),
  ]);
  return Object.fromEntries(rows);
}

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

const LIMIT_SETTINGS = limitSettings();

/** All rows, as the help text and the reference page show them. */
export const SETTINGS: readonly Setting<unknown>[] = [
  ...Object.values(BASE_SETTINGS),
  ...Object.values(LIMIT_SETTINGS),
];

/** Variables that the SDK, the CLI and the tests read; the server knows them only to not call them unknown. */
const FOREIGN_VARIABLES = ['CAIRN_URL', 'CAIRN_TOKEN', 'CAIRN_REPO', 'CAIRN_PROFILE'];
// Kubernetes sets CAIRN_SERVICE_HOST, CAIRN_PORT and the like for a service that is called cairn.
const FOREIGN_PREFIXES = ['CAIRN_TEST_', 'CAIRN_SERVICE_', 'CAIRN_PORT'];

export function flagOf(row: Setting<unknown>): string | undefined {
  return row.secret
    ? undefined
    : row.env
        .replace(/^CAIRN_/, '')
        .toLowerCase()
        .replaceAll('_', '-');
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags win over the environment. Anything unknown is refused: a misspelt setting must not be silently ignored. */
export function readConfig(args: readonly string[], environment: Environment = process.env): Config {
  refuseUnknownVariables(environment);
  const flags = parseFlags(args);
  const values = (rows: Record<string, Setting<unknown>>) =>
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, parseSetting(row, flags, environment)]));
  const config = { ...values(BASE_SETTINGS), limits: values(LIMIT_SETTINGS) } as Config;
  if ((config.ownerEmail === undefined) !== (config.ownerPassword === undefined)) {
    throw new ConfigError('CAIRN_OWNER_EMAIL and CAIRN_OWNER_PASSWORD go together: set both or none.');
  }
  return config;
}

function refuseUnknownVariables(environment: Environment): void {
  const known = new Set([...SETTINGS.map(({ env }) => env), ...FOREIGN_VARIABLES]);
  for (const name of Object.keys(environment)) {
    const foreign = FOREIGN_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (!name.startsWith('CAIRN_') || foreign || known.has(name)) continue;
    throw new ConfigError(`${name} is not a setting of Cairn. Remove it, or see --help for those that there are.`);
  }
}

type Flags = Readonly<Record<string, string | undefined>>;

function parseFlags(args: readonly string[]): Flags {
  const names = SETTINGS.map(flagOf).filter((flag) => flag !== undefined);
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('. ');
    throw new ConfigError(`${reason}. See --help for the flags that there are.`, { cause: error });
  }
}

function parseSetting(row: Setting<unknown>, flags: Flags, environment: Environment): unknown {
  const flag = flagOf(row);
  const given = flag === undefined ? undefined : flags[flag];
  const value = given ?? environment[row.env] ?? row.default;
  // An empty variable is how many tools spell "not set".
  if (value === undefined || (value === '' && given === undefined && row.default !== '')) {
    return row.default === undefined ? undefined : row.parse(row.default);
  }
  try {
    return row.parse(value);
  } catch (error) {
    const name = given === undefined ? row.env : `--${flag}`;
    // A URL may hold a password where none belongs.
    const shown = row.secret ? '' : `, not ${JSON.stringify(value.replace(/\/\/[^/]*@/g, '//…@'))}`;
    throw new ConfigError(`${name} ${(error as Error).message}${shown}.`, { cause: error });
  }
}

export function databaseFile(config: Config): string {
  return join(config.data, 'cairn.db');
}

export function helpText(): string {
  const lines = SETTINGS.map((row) => {
    const flag = flagOf(row);
    const names = flag === undefined ? row.env : `--${flag}, ${row.env}`;
    const shown = row.default === undefined || row.default === '' ? '' : ` [${row.default}]`;
    return `  ${names}${shown}\n      ${row.meaning}`;
  });
  return `Starts the Cairn server.\n\nSettings, as flags or in the environment (secrets in the environment only):\n${lines.join('\n')}\n  --help\n      Shows this.\n`;
}

/** The folder of the explorer's static files: inside the published package, or beside the server in the checkout. */
export function webFolder(): string {
  const published = join(import.meta.dirname, 'web');
  return existsSync(published) ? published : resolve(import.meta.dirname, '../../web/public');
}
