// The server's secret, from which all keys are derived: cursors, tickets, signatures, encryption at rest.
import { createHash, createHmac, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../store.ts';
import { findServerFact } from './server-fact.sql.ts';

export const KEY_FILE = 'secret.key';
/** The staged key, from before the database switches to it until the switch is complete. */
const NEXT_KEY_FILE = 'secret.key.next';

export interface SecretSource {
  readonly given: string | undefined;
  readonly folder: string;
}

export class SecretError extends Error {}

export function findSecret({ given, folder }: SecretSource): string | undefined {
  return given ?? readIfThere(join(folder, KEY_FILE));
}

function readIfThere(file: string): string | undefined {
  try {
    const secret = readFileSync(file, 'utf8').trim();
    if (secret.length < 32) throw new SecretError(`The key file ${file} is damaged. Restore it from a backup.`);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The file has a temporary name until the database has its fingerprint. A crash never leaves half a key. */
function stageFirstKey(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, NEXT_KEY_FILE);
  const draft = draftKey(file);
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8').trim();
}

function draftKey(file: string): string {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  return draft;
}

export function hasKeyFile({ given, folder }: SecretSource): boolean {
  return given === undefined && readIfThere(join(folder, KEY_FILE)) !== undefined;
}

/** The new key is on disk before the database switches to it, so a crash cannot lose it. */
export function stageKey(folder: string): string {
  const file = join(folder, NEXT_KEY_FILE);
  // Safe to replace: a leftover key that the database used would have been adopted.
  renameSync(draftKey(file), file);
  syncFolder(folder);
  return readFileSync(file, 'utf8').trim();
}

export function adoptKey(folder: string): void {
  renameSync(join(folder, NEXT_KEY_FILE), join(folder, KEY_FILE));
  syncFolder(folder);
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** Also completes a rotation or first start that a crash interrupted. */
export async function openSecret(store: Store, { given, folder }: SecretSource): Promise<string> {
  if (given !== undefined) {
    await checkSecret(store, given);
    return given;
  }
  const kept = await findServerFact(store.database, 'secret-fingerprint');
  const staged = readIfThere(join(folder, NEXT_KEY_FILE));
  if (staged !== undefined && kept === fingerprintOf(staged)) adoptKey(folder);
  const present = readIfThere(join(folder, KEY_FILE));
  if (present === undefined && kept === undefined) return await openFirstSecret(store, folder);
  if (present !== undefined && kept === undefined) {
    // Another node may be starting too. It writes the fingerprint before it renames its key, so a second read finds it.
    const isEmpty = (await findServerFact(store.database, 'secret-fingerprint')) === undefined;
    if (isEmpty) throw new SecretError(emptyDatabase(folder));
    return await openSecret(store, { given, folder });
  }
  if (present === undefined || kept !== fingerprintOf(present)) throw new SecretError(MADE_BY_ANOTHER);
  return present;
}

async function openFirstSecret(store: Store, folder: string): Promise<string> {
  const secret = stageFirstKey(folder);
  const fingerprint = fingerprintOf(secret);
  const kept = await store.write.claimServerFact({ name: 'secret-fingerprint', value: fingerprint });
  if (kept !== fingerprint) rmSync(join(folder, NEXT_KEY_FILE), { force: true });
  return kept === fingerprint ? adoptFirst(folder, secret) : await openSecret(store, { given: undefined, folder });
}

function adoptFirst(folder: string, secret: string): string {
  try {
    adoptKey(folder);
  } catch (error) {
    if (readIfThere(join(folder, KEY_FILE)) !== secret) throw error;
  }
  return secret;
}

const MADE_BY_ANOTHER =
  'The database belongs to another secret. Set CAIRN_SECRET to the secret of the other nodes, or put their secret.key into CAIRN_DATA.';

function emptyDatabase(folder: string): string {
  const file = join(folder, KEY_FILE);
  return `The database is empty, but ${file} belongs to a database with data. Put that database back, restore a backup, or check the settings. To start with an empty database, move the key file away.`;
}

export function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, 'cairn', purpose, 32));
}

export function fingerprintOf(secret: string): string {
  const key = deriveKey(secret, 'fingerprint');
  return createHmac('sha256', key).update('cairn').digest('hex').slice(0, 32);
}

export function computeMac(key: KeyObject, text: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Refuses a node with a secret other than the database's, because it could not read sealed values. */
export async function checkSecret(store: Store, secret: string): Promise<void> {
  const fingerprint = fingerprintOf(secret);
  const kept = await store.write.claimServerFact({ name: 'secret-fingerprint', value: fingerprint });
  if (kept !== fingerprint) throw new SecretError(MADE_BY_ANOTHER);
}

/** One-time codes for links: set-up, invitations and password resets. Only their hashes are stored. */
export function mintCode(): string {
  return randomBytes(16).toString('base64url');
}

/** A fast hash suffices: the code has 128 random bits, so it cannot be guessed. */
export function hashCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
