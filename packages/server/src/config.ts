// Every setting of the server in one table: its environment variable, its flag, its default and what it means. The
// `--help` text and docs/reference/settings.md are made from it. The only file that reads the environment.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LIMITS, type LimitName, type Limits } from '@cairn/protocol/limits';
import { type BlobLocation, type BlobSetting, parseBlobSetting } from './blobs/location.ts';
import type { ExternalProviderSettings } from './external/provider.ts';
import { parseSender, parseSmtpUrl, type Sender, type SmtpLocation } from './mail/location.ts';
import {
  addressRanges,
  hostsAndPorts,
  httpUrl,
  issuerUrl,
  longSecret,
  oneOf,
  origins,
  postgresUrl,
  seconds,
  text,
  wholeNumber,
} from './setting-value.ts';

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
  workers: setting({
    env: 'CAIRN_WORKERS',
    default: '1',
    parse: wholeNumber({ min: 0, max: 256 }),
    meaning:
      'How many processes answer requests, on one port; another one writes, and does what the server does by itself. 1 does all in one process, 0 takes as many as there are processors.',
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
  blobs: setting({
    env: 'CAIRN_BLOBS',
    default: undefined,
    parse: parseBlobSetting,
    meaning:
      'Where the files of exports are kept: file:FOLDER, which all nodes share, or s3://BUCKET/PREFIX?region=REGION&endpoint=URL for an S3-compatible storage. By default the folder blobs in CAIRN_DATA.',
  }),
  s3AccessKeyId: setting({
    env: 'CAIRN_S3_ACCESS_KEY_ID',
    default: undefined,
    parse: text,
    meaning: 'With CAIRN_BLOBS=s3:...: the id of the key that reads, writes and deletes there.',
    secret: true,
  }),
  s3SecretAccessKey: setting({
    env: 'CAIRN_S3_SECRET_ACCESS_KEY',
    default: undefined,
    parse: text,
    meaning: 'The secret of that key.',
    secret: true,
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
  signup: setting({
    env: 'CAIRN_SIGNUP',
    default: 'invitation',
    parse: oneOf('invitation', 'open'),
    meaning: 'Who may make an account: those who are invited, or, when open, everyone.',
  }),
  smtpUrl: setting({
    env: 'CAIRN_SMTP_URL',
    default: undefined,
    parse: parseSmtpUrl,
    meaning:
      'With CAIRN_MAIL_FROM: the server that mails links of invitations, sign-ups and lost passwords. smtps://USER:PASSWORD@HOST:465, or smtp://USER:PASSWORD@HOST:587, which asks for STARTTLS; ?tls=off for one without TLS.',
    secret: true,
  }),
  mailFrom: setting({
    env: 'CAIRN_MAIL_FROM',
    default: undefined,
    parse: parseSender,
    meaning: 'Whom mails are from: cairn@example.com or Cairn <cairn@example.com>.',
  }),
  oidcIssuer: setting({
    env: 'CAIRN_OIDC_ISSUER',
    default: undefined,
    parse: issuerUrl,
    meaning:
      'With CAIRN_OIDC_CLIENT_ID: an OpenID provider that people can sign in at, by its issuer exactly as it writes it, such as https://login.example.com. It is to send people back to CAIRN_PUBLIC_URL/auth/external/callback.',
  }),
  oidcClientId: setting({
    env: 'CAIRN_OIDC_CLIENT_ID',
    default: undefined,
    parse: text,
    meaning: 'What the provider calls this server.',
  }),
  oidcClientSecret: setting({
    env: 'CAIRN_OIDC_CLIENT_SECRET',
    default: undefined,
    parse: text,
    meaning: 'The secret that the provider gave to this server; without it, the server is a public client.',
    secret: true,
  }),
  oidcName: setting({
    env: 'CAIRN_OIDC_NAME',
    default: undefined,
    parse: text,
    meaning: 'What people know the provider by; by default the host of its issuer.',
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
  outboundAllow: setting({
    env: 'CAIRN_OUTBOUND_ALLOW',
    default: '',
    parse: hostsAndPorts,
    meaning:
      'Private targets that webhooks may be sent to, over http too: host:port, separated by commas. Without it, only public addresses over https.',
  }),
  webhookRetrySeconds: setting({
    env: 'CAIRN_WEBHOOK_RETRY_SECONDS',
    default: '5,30,300,1800,7200,21600,43200',
    parse: seconds,
    meaning: 'After how many seconds a delivery that failed is tried again: once for each, separated by commas.',
  }),
  runRetentionDays: setting({
    env: 'CAIRN_RUN_RETENTION_DAYS',
    default: '30',
    parse: wholeNumber({ min: 1, max: 36_500 }),
    meaning: 'For how many days runs that are over are kept, with their attempts and notifications.',
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

export const LIMIT_SETTINGS = limitSettings();

/** All rows, as the help text and the reference page show them. */
export const SETTINGS: readonly Setting<unknown>[] = [
  ...Object.values(BASE_SETTINGS),
  ...Object.values(LIMIT_SETTINGS),
];

/** Variables that the SDK, the CLI and the tests read; the server knows them only to not call them unknown. */
const FOREIGN_VARIABLES = ['CAIRN_URL', 'CAIRN_TOKEN', 'CAIRN_REPO', 'CAIRN_PROFILE', 'CAIRN_CONFIG'];
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
  blobLocation(config);
  mailSettings(config);
  externalSettings(config);
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

/** Where blobs are, with what it takes to reach them. */
export function blobLocation({ blobs, data, s3AccessKeyId, s3SecretAccessKey }: Config): BlobLocation {
  const setting: BlobSetting = blobs ?? { kind: 'folder', folder: join(data, 'blobs') };
  if (setting.kind === 'folder') return setting;
  if (s3AccessKeyId === undefined || s3SecretAccessKey === undefined) {
    throw new ConfigError('CAIRN_BLOBS=s3:... takes CAIRN_S3_ACCESS_KEY_ID and CAIRN_S3_SECRET_ACCESS_KEY too.');
  }
  return { ...setting, credentials: { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey } };
}

/** Where mails are handed to, and whom they are from; `undefined` where none are sent. */
export function mailSettings({ smtpUrl, mailFrom }: Config): { smtp: SmtpLocation; from: Sender } | undefined {
  if ((smtpUrl === undefined) !== (mailFrom === undefined)) {
    throw new ConfigError('CAIRN_SMTP_URL and CAIRN_MAIL_FROM go together: set both or none.');
  }
  return smtpUrl && mailFrom && { smtp: smtpUrl, from: mailFrom };
}

/** Where people can sign in beside here; `undefined` where nowhere. */
export function externalSettings(config: Config): ExternalProviderSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcName } = config;
  if ((issuer === undefined) !== (clientId === undefined)) {
    throw new ConfigError('CAIRN_OIDC_ISSUER and CAIRN_OIDC_CLIENT_ID go together: set both or none.');
  }
  if (issuer === undefined || clientId === undefined) return undefined;
  return { issuer, clientId, clientSecret, name: oidcName ?? new URL(issuer).host };
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

/** The folder of the documentation, which stands in the same two places. */
export function docsFolder(): string {
  const published = join(import.meta.dirname, 'documentation');
  return existsSync(published) ? published : resolve(import.meta.dirname, '../../../docs');
}
