// The one door through which the CLI reaches the server: `cairn serve`, and what operators do on the server's own
// machine, straight on the database, whether the server runs or not. And the check of manifests, which needs no server at all.
import { createSecretKey } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { MintedToken, ScopeEntry, TokenRecord } from '@cairn/protocol/token';
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
import { type RotatedSecret, type RotatedSigningKey, rotateSecret, rotateSigningKey } from './keys/signing-keys.ts';
import { openStore, type Store } from './store.ts';

export { joinManifest } from '@cairn/protocol/manifest-join';
export { checkManifest } from './component/manifest.rule.ts';

/** Loads the server only now: commands that need the database alone start in half of the time without it. */
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

export type CreatedUser = Omit<Account, 'id'>;

export async function createUser({ owner, ...form }: CreateUser): Promise<CreatedUser> {
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

export interface UserState {
  readonly email: string;
  readonly handle: string;
  readonly active: boolean;
}

export async function setUserActive(form: { email: string; active: boolean }): Promise<UserState> {
  return await onStore(async (store) => ({ ...form, ...(await setAccountActive(store, form)) }));
}

export interface ResetLink {
  readonly email: string;
  readonly handle: string;
  /** Where the new password is given. It works once, and is shown only now. */
  readonly link: string;
  readonly expiresAt: number;
}

export async function createResetLink(email: string): Promise<ResetLink> {
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

export interface SecretChange extends RotatedSecret {
  /** Whether the new secret is in the key file, and needs nobody to hand it on. */
  readonly keyFile: boolean;
}

/** Without a secret, a new key file is made in the place of the old one. */
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
      'CAIRN_SECRET is what the server has now. Give the new one on standard input, with --secret-stdin.',
    );
  }
  const rotated = await rotateSecret(store, { from, to: stageKey(source.folder) });
  adoptKey(source.folder);
  return { ...rotated, keyFile: true };
}

function newSecret(given: string, before: string): string {
  if (given.length < 32) {
    throw new ConfigError('The new secret takes at least 32 characters; make one with `openssl rand -base64 32`.');
  }
  if (given === before) throw new ConfigError('The new secret is the one that the server has. Give another.');
  return given;
}

/** The nodes of a running server go over to it within a minute. */
export async function changeSigningKey(): Promise<RotatedSigningKey> {
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
  return await backUp({ ...placesOf(config), ...options });
}

export async function restoreServer(options: BackupOptions): Promise<RestoreResult> {
  return await restore({ ...placesOf(sqliteConfig('restore')), ...options });
}

/** Reads one state of the database, beside whatever else uses it, and changes nothing. */
export async function verifyServer(options: VerifyOptions): Promise<Verified> {
  const config = readConfig([]);
  if (config.databaseUrl === undefined) requireDatabase(databaseFile(config));
  return await verifyStore(storeLocation(config), options);
}

/** Its files against what it says of itself, then what stands in its database. */
export async function verifyBackup({ folder, ...options }: VerifyOptions & { folder: string }): Promise<Verified> {
  const { database, damages } = await checkBackup({ folder, onProgress: options.onProgress });
  for (const difference of damages) options.onDifference({ difference });
  if (damages.length > 0) return { repositories: 0, purged: 0, differences: damages.length };
  return await verifyStore({ engine: 'sqlite', file: database }, options);
}

export interface PurgedServer extends Purged {
  /** Whether nothing of it is left in the files of the database. */
  readonly rewritten: boolean;
}

/** The data first, then what was made from it, then what the disk still has of both. */
export async function purgeServer(wish: PurgeWish): Promise<PurgedServer> {
  const config = readConfig([]);
  const purged = await onStore(async (store) => {
    // Nothing is signed here.
    const options = { key: createSecretKey(Buffer.alloc(32)), publicUrl: '' };
    return await purge({ store, blobs: openBlobStore(blobLocation(config), options) }, wish);
  });
  const rewritten = purged.records.length > 0 && (await rewriteStorage(storeLocation(config)));
  return { ...purged, rewritten };
}

function placesOf(config: Config) {
  const { data, secret } = config;
  const location = blobLocation(config);
  return { data, secret, blobs: location.kind === 'folder' ? location.folder : undefined };
}

/** PostgreSQL has its own tools, which know it better than we could. */
function sqliteConfig(verb: 'backup' | 'restore'): Config {
  const config = readConfig([]);
  if (config.databaseUrl === undefined) return config;
  throw new ConfigError(
    `cairn admin ${verb} is for SQLite, and CAIRN_DATABASE_URL names PostgreSQL. Use pg_dump and pg_restore, or base backups with WAL archiving; and keep with them CAIRN_SECRET (or secret.key of CAIRN_DATA) and the blobs (the folder blobs in CAIRN_DATA, or the bucket). docs/backup.md has the commands.`,
  );
}

/** On PostgreSQL with the extension Citus: lays the tables out over its machines. */
export async function distributeServer({ onProgress }: Pick<BackupOptions, 'onProgress'>): Promise<Distribution> {
  const { databaseUrl } = readConfig([]);
  if (databaseUrl === undefined) {
    throw new ConfigError(
      'cairn admin distribute is for PostgreSQL with the extension Citus. Set CAIRN_DATABASE_URL to its coordinator.',
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

/** The database that the environment names, with the secret checked, for as long as the work takes. */
async function onStore<Result>(work: (store: Store, config: Config) => Promise<Result>): Promise<Result> {
  const config = readConfig([]);
  // A mistyped CAIRN_DATA would make an empty database, in which nobody can be found.
  if (config.databaseUrl === undefined) requireDatabase(databaseFile(config));
  return await onNewStore(work);
}

function requireDatabase(file: string): void {
  if (existsSync(file)) return;
  throw new ConfigError(`There is no database at ${file}. Set CAIRN_DATA to the folder that the server has.`);
}

/** The same, whether there is a database already or not. */
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
