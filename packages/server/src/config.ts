// Reads the settings of settings.ts from flags and the environment. No other file reads the environment.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Limits } from '@cairn/protocol/limits';
import type { ExternalProviderSettings } from './account/external/external-provider.ts';
import type { StoreLocation } from './engine/database.ts';
import type { BlobLocation, BlobSetting } from './export/blob-store.ts';
import type { Sender, SmtpLocation } from './mail/mail.ts';
import { BASE_SETTINGS, flagOf, LIMIT_SETTINGS, SETTINGS, type Setting } from './settings.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type BaseSettings = typeof BASE_SETTINGS;
type Parsed<Row> = Row extends Setting<infer Result> ? Result : never;
type Absent<Row> = Row extends { readonly default: string } ? never : undefined;

export type Config = {
  readonly [Name in keyof BaseSettings]: Parsed<BaseSettings[Name]> | Absent<BaseSettings[Name]>;
} & { readonly limits: Limits };

/** Variables of the SDK, the CLI and the tests, listed so that the server does not refuse them as unknown. */
const FOREIGN_VARIABLES = ['CAIRN_URL', 'CAIRN_TOKEN', 'CAIRN_REPO', 'CAIRN_PROFILE', 'CAIRN_CONFIG'];
// Kubernetes sets CAIRN_SERVICE_HOST, CAIRN_PORT and the like for a service named cairn.
const FOREIGN_PREFIXES = ['CAIRN_TEST_', 'CAIRN_SERVICE_', 'CAIRN_PORT'];

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags win over the environment. Unknown settings are refused, because a typo must not be ignored silently. */
export function readConfig(args: readonly string[], environment: Environment = process.env): Config {
  refuseUnknownVariables(environment);
  const flags = parseFlags(args);
  const values = (rows: Record<string, Setting<unknown>>) =>
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, parseSetting(row, flags, environment)]));
  const config = { ...values(BASE_SETTINGS), limits: values(LIMIT_SETTINGS) } as Config;
  if ((config.ownerEmail === undefined) !== (config.ownerPassword === undefined)) {
    throw new ConfigError('CAIRN_OWNER_EMAIL and CAIRN_OWNER_PASSWORD need each other. Set both or neither.');
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
    throw new ConfigError(`${name} is not a setting of Cairn. Remove it, or see --help for all settings.`);
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
    throw new ConfigError(`${reason}. See --help for all flags.`, { cause: error });
  }
}

function parseSetting(row: Setting<unknown>, flags: Flags, environment: Environment): unknown {
  const flag = flagOf(row);
  const given = flag === undefined ? undefined : flags[flag];
  const value = given ?? environment[row.env] ?? row.default;
  // Many tools express "not set" as an empty variable.
  if (value === undefined || (value === '' && given === undefined && row.default !== '')) {
    return row.default === undefined ? undefined : row.parse(row.default);
  }
  try {
    return row.parse(value);
  } catch (error) {
    const name = given === undefined ? row.env : `--${flag}`;
    const shown = row.secret ? '' : `, not ${JSON.stringify(value.replace(/\/\/[^/]*@/g, '//…@'))}`;
    throw new ConfigError(`${name} ${(error as Error).message}${shown}.`, { cause: error });
  }
}

export function blobLocation({ blobs, data, s3AccessKeyId, s3SecretAccessKey }: Config): BlobLocation {
  const setting: BlobSetting = blobs ?? { kind: 'folder', folder: join(data, 'blobs') };
  if (setting.kind === 'folder') return setting;
  if (s3AccessKeyId === undefined || s3SecretAccessKey === undefined) {
    throw new ConfigError(
      'CAIRN_BLOBS=s3:... also needs CAIRN_S3_ACCESS_KEY_ID and CAIRN_S3_SECRET_ACCESS_KEY. Set both.',
    );
  }
  return { ...setting, credentials: { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey } };
}

export function mailSettings({ smtpUrl, mailFrom }: Config): { smtp: SmtpLocation; from: Sender } | undefined {
  if ((smtpUrl === undefined) !== (mailFrom === undefined)) {
    throw new ConfigError('CAIRN_SMTP_URL and CAIRN_MAIL_FROM need each other. Set both or neither.');
  }
  return smtpUrl && mailFrom && { smtp: smtpUrl, from: mailFrom };
}

export function externalSettings(config: Config): ExternalProviderSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret, oidcName } = config;
  if ((issuer === undefined) !== (clientId === undefined)) {
    throw new ConfigError('CAIRN_OIDC_ISSUER and CAIRN_OIDC_CLIENT_ID need each other. Set both or neither.');
  }
  if (issuer === undefined || clientId === undefined) return undefined;
  return { issuer, clientId, clientSecret, name: oidcName ?? new URL(issuer).host };
}

export function databaseFile(config: Config): string {
  return join(config.data, 'cairn.db');
}

/** A slow request is answered before the database gives up, which tells writers that the outcome is unknown. */
const LATER_MS = 1_000;

export function storeLocation(config: Config): StoreLocation {
  return config.databaseUrl === undefined
    ? { engine: 'sqlite', file: databaseFile(config) }
    : { engine: 'postgres', url: config.databaseUrl, answerMs: config.limits.requestMs + LATER_MS };
}

export function helpText(): string {
  const lines = SETTINGS.map((row) => {
    const flag = flagOf(row);
    const names = flag === undefined ? row.env : `--${flag}, ${row.env}`;
    const shown = row.default === undefined || row.default === '' ? '' : ` [${row.default}]`;
    return `  ${names}${shown}\n      ${row.meaning}`;
  });
  return `Starts the Cairn server.\n\nSettings, as flags or in the environment (secrets in the environment only):\n${lines.join('\n')}\n  --help\n      Shows this help.\n`;
}

export const webFolder = () => findFolder('web', '../../web/dist');
export const docsFolder = () => findFolder('documentation', '../../../docs');

/** A published package has its folders beside it. */
function findFolder(published: string, inSources: string): string {
  const path = join(import.meta.dirname, published);
  return existsSync(path) ? path : resolve(import.meta.dirname, inSources);
}

export function publicUrlOf({ publicUrl }: { readonly publicUrl: string | undefined }, port: number): string {
  return publicUrl ?? `http://localhost:${port}`;
}

export function setupLink(publicUrl: string, code: string | undefined): string | undefined {
  return code && `${publicUrl}/auth/setup?code=${code}`;
}

export const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

export function startProblem(error: unknown): string {
  if (!(error instanceof Error)) return `Cairn cannot start: ${String(error)}`;
  if (error instanceof ConfigError) return `Cairn cannot start: ${error.message}`;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') {
    const port = 'port' in error ? ` ${error.port}` : '';
    return `Cairn cannot start: the port${port} is in use. Choose another with --port or PORT; for metrics, with --metrics-port or CAIRN_METRICS_PORT.`;
  }
  if (code === 'EACCES') return `Cairn cannot start: no permission (${error.message}).`;
  const reason = error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
  return `Cairn cannot start: ${reason}`;
}

export function startExitCode(error: unknown): number {
  return error instanceof ConfigError ? EXIT_USAGE : EXIT_FAILED;
}
