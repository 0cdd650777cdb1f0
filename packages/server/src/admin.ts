// The CLI's only entry point: `cairn serve`, operator commands on the database, and the check of manifests.
import { createSecretKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { MintedToken, ScopeEntry, TokenRecord } from '@cairn/protocol/account';
import type { Account } from './account/account.sql.ts';
import { createAccount, createToken } from './account/account.ts';
import { issueReset, listTokensOf, revokeTokenOf, setAccountActive, setPassword } from './account/operator.ts';
import { type BackupResult, backUp, checkBackup, type OnProgress } from './admin/backup.ts';
import { type Distribution, distribute, refuseOpenServers } from './admin/distribution.write.ts';
import { rewriteStorage } from './admin/purge.sql.ts';
import { type Purged, type PurgeWish, purge } from './admin/purge.ts';
import { type RestoreResult, restore } from './admin/restore.ts';
import { type Verified, type VerifyOptions, verifyStore } from './admin/verify/store.ts';
import { blobLocation, type Config, ConfigError, databaseFile, readConfig, storeLocation } from './config.ts';
import { openPostgresOperator } from './engine/postgres/postgres.ts';
import { openBlobStore } from './export/blob-store.ts';
import { adoptKey, hasKeyFile, openSecret, type SecretSource, stageKey } from './keys/secret.ts';
import type { SigningGeneration } from './keys/server-fact.sql.ts';
import { rotateSecret, rotateSigningKey } from './keys/signing-keys.ts';
import { openStore, type Store } from './store.ts';

export { joinManifest } from '@cairn/protocol/manifest/check';
export { checkManifest } from './component/manifest.rule.ts';

export async function serve(args: readonly string[]): Promise<void> {
  const { main } = await import('./main.ts');
  await main(args);
}

export interface CreateUser {
  readonly email: string;
  readonly password: string;
  readonly name?: string | undefined;
  readonly owner: boolean;
}

export async function createUser({ owner, ...form }: CreateUser): Promise<Omit<Account, 'id'>> {
  return await onNewStore(async (store) => {
    const { email, handle, operator } = await createAccount(store, { ...form, operator: owner });
    return { email, handle, operator };
  });
}

export interface CreateToken {
  readonly email: string;
  readonly name: string;
  readonly scopes: readonly ScopeEntry[];
  readonly lifetimeMs?: number | undefined;
}

export async function createUserToken(form: CreateToken): Promise<MintedToken> {
  return await onStore((store) => createToken(store, form));
}

export async function listUserTokens(email: string): Promise<{ items: TokenRecord[] }> {
  return await onStore(async (store) => ({ items: await listTokensOf(store, email) }));
}

export async function revokeUserToken(form: { email: string; name: string }): Promise<TokenRecord> {
  return await onStore((store) => revokeTokenOf(store, form));
}

export async function setUserActive(form: {
  email: string;
  active: boolean;
}): Promise<{ email: string; handle: string; active: boolean }> {
  return await onStore(async (store) => ({ ...form, ...(await setAccountActive(store, form)) }));
}

export async function createResetLink(
  email: string,
): Promise<{ email: string; handle: string; link: string; expiresAt: number }> {
  return await onStore(async (store, { publicUrl, port }) => {
    const { handle, code, expiresAt } = await issueReset(store, email);
    return { email, handle, link: `${publicUrl ?? `http://localhost:${port}`}/auth/reset?code=${code}`, expiresAt };
  });
}

export async function setUserPassword(form: {
  email: string;
  newPassword: string;
}): Promise<{ email: string; handle: string }> {
  return await onStore(async (store) => ({ email: form.email, ...(await setPassword(store, form)) }));
}

export interface SecretChange {
  readonly credentialValues: number;
  readonly keyFile: boolean;
}

export async function changeSecret(given: string | undefined): Promise<SecretChange> {
  return await onStore(async (store, config) => {
    const source = secretSource(config);
    const from = await openSecret(store, source);
    if (given === undefined) return await changeKeyFile(store, { source, from });
    const rotated = await rotateSecret(store, { from, to: newSecret(given, from) });
    return { ...rotated, keyFile: false };
  });
}

async function changeKeyFile(
  store: Store,
  { source, from }: { source: SecretSource; from: string },
): Promise<SecretChange> {
  if (!hasKeyFile(source)) {
    throw new ConfigError(
      'CAIRN_SECRET is the current secret of the server. Pass the new secret on standard input, with --secret-stdin.',
    );
  }
  const rotated = await rotateSecret(store, { from, to: stageKey(source.folder) });
  adoptKey(source.folder);
  return { ...rotated, keyFile: true };
}

function newSecret(given: string, before: string): string {
  if (given.length < 32) {
    throw new ConfigError(
      'The new secret must have at least 32 characters. Create one with `openssl rand -base64 32`.',
    );
  }
  if (given === before) throw new ConfigError('The new secret is the same as the current one. Choose another.');
  return given;
}

export async function changeSigningKey(): Promise<SigningGeneration> {
  return await onStore((store) => rotateSigningKey(store));
}

function secretSource({ secret, data }: Config): SecretSource {
  return { given: secret, folder: data };
}

export interface BackupOptions {
  readonly folder: string;
  readonly onProgress: OnProgress;
}

export async function backUpServer(options: BackupOptions): Promise<BackupResult> {
  const config = sqliteConfig('backup');
  requireDatabase(databaseFile(config));
  return await backUp({ ...locateBackup(config), ...options });
}

export async function restoreServer(options: BackupOptions): Promise<RestoreResult> {
  return await restore({ ...locateBackup(sqliteConfig('restore')), ...options });
}

export async function verifyServer(options: VerifyOptions): Promise<Verified> {
  const config = readConfig([]);
  if (config.databaseUrl === undefined) requireDatabase(databaseFile(config));
  return await verifyStore(storeLocation(config), options);
}

export async function verifyBackup({ folder, ...options }: VerifyOptions & { folder: string }): Promise<Verified> {
  const { database, damages } = await checkBackup({ folder, onProgress: options.onProgress });
  for (const difference of damages) options.onDifference({ difference });
  if (damages.length > 0) return { repositories: 0, purged: 0, differences: damages.length };
  return await verifyStore({ engine: 'sqlite', file: database }, options);
}

export interface PurgedServer extends Purged {
  readonly rewritten: boolean;
}

export async function purgeServer(wish: PurgeWish): Promise<PurgedServer> {
  const config = readConfig([]);
  const purged = await onStore(async (store) => {
    const options = { key: createSecretKey(Buffer.alloc(32)), publicUrl: '' };
    return await purge({ store, blobs: openBlobStore(blobLocation(config), options) }, wish);
  });
  const rewritten = purged.records.length > 0 && (await rewriteStorage(storeLocation(config)));
  return { ...purged, rewritten };
}

function locateBackup(config: Config) {
  const { data, secret } = config;
  const location = blobLocation(config);
  return { data, secret, blobs: location.kind === 'folder' ? location.folder : undefined };
}

/** PostgreSQL has better tools of its own. */
function sqliteConfig(verb: 'backup' | 'restore'): Config {
  const config = readConfig([]);
  if (config.databaseUrl === undefined) return config;
  throw new ConfigError(
    `cairn admin ${verb} works only on SQLite, but CAIRN_DATABASE_URL names PostgreSQL. Use pg_dump and pg_restore, or base backups with WAL archiving. Also back up CAIRN_SECRET (or secret.key in CAIRN_DATA) and the blobs (the folder blobs in CAIRN_DATA, or the bucket). docs/backup.md has the commands.`,
  );
}

export async function distributeServer({ onProgress }: Pick<BackupOptions, 'onProgress'>): Promise<Distribution> {
  const { databaseUrl } = readConfig([]);
  if (databaseUrl === undefined) {
    throw new ConfigError(
      'cairn admin distribute needs PostgreSQL with the extension Citus. Set CAIRN_DATABASE_URL to its coordinator.',
    );
  }
  const database = openPostgresOperator(databaseUrl);
  try {
    await refuseOpenServers(database);
    return await distribute(database, { onTable: onProgress });
  } finally {
    await database.close();
  }
}

async function onStore<Result>(work: (store: Store, config: Config) => Promise<Result>): Promise<Result> {
  const config = readConfig([]);
  // A mistyped CAIRN_DATA would create an empty database without any account.
  if (config.databaseUrl === undefined) requireDatabase(databaseFile(config));
  return await onNewStore(work);
}

function requireDatabase(file: string): void {
  if (existsSync(file)) return;
  throw new ConfigError(`There is no database at ${file}. Set CAIRN_DATA to the data folder of the server.`);
}

async function onNewStore<Result>(work: (store: Store, config: Config) => Promise<Result>): Promise<Result> {
  const config = readConfig([]);
  const store = await openStore(storeLocation(config));
  try {
    await openSecret(store, secretSource(config));
    return await work(store, config);
  } finally {
    await store.close();
  }
}
