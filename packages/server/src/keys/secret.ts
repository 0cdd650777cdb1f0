// The server's secret, from which every key is derived: cursors, tickets, signatures, encryption at rest.
import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../store.ts';
import { findServerFact } from './server-fact.sql.ts';

/** In the data folder. */
export const KEY_FILE = 'secret.key';
/** What takes its place, from before the database is changed to it until it does. */
const NEXT_KEY_FILE = 'secret.key.next';

export interface SecretSource {
  readonly given: string | undefined;
  readonly folder: string;
}

/** The secret does not fit the database; the message says what to do. */
export class SecretError extends Error {}

/** The secret that there is; `undefined` when a server would make one at its first start. */
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

/**
 * Creates the key of a new database under a temporary name; it is renamed when the database has its fingerprint. If two
 * processes start at once, both use the file that was linked first. A crash never leaves half a key.
 */
function stageFirstKey(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, NEXT_KEY_FILE);
  const draft = draftOf(file);
  writeKey(draft);
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8').trim();
}

function draftOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}`;
}

function writeKey(file: string): void {
  const handle = openSync(file, 'wx', 0o600);
  writeSync(handle, `${randomBytes(32).toString('base64url')}\n`);
  fsyncSync(handle);
  closeSync(handle);
}

/** Whether the secret is in the key file, and so the server's own matter. */
export function hasKeyFile({ given, folder }: SecretSource): boolean {
  return given === undefined && readIfThere(join(folder, KEY_FILE)) !== undefined;
}

/**
 * A new key beside the one that there is. It is on the disk before the database is changed to it: nothing is ever sealed
 * with a key that a crash could lose.
 */
export function stageKey(folder: string): string {
  const file = join(folder, NEXT_KEY_FILE);
  const draft = draftOf(file);
  writeKey(draft);
  // In the place of one that is left over from a rotation that came to nothing: had the database been changed to it, it
  // would have been adopted before.
  renameSync(draft, file);
  syncFolder(folder);
  return readFileSync(file, 'utf8').trim();
}

/** The staged key takes the place of the one before. */
export function adoptKey(folder: string): void {
  renameSync(join(folder, NEXT_KEY_FILE), join(folder, KEY_FILE));
  syncFolder(folder);
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** The secret, checked against the database; a rotation or first start that a crash cut short is brought to its end. */
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
  if (present !== undefined && kept === undefined) throw new SecretError(emptyDatabase(folder));
  if (present === undefined || kept !== fingerprintOf(present)) throw new SecretError(MADE_BY_ANOTHER);
  return present;
}

async function openFirstSecret(store: Store, folder: string): Promise<string> {
  const secret = stageFirstKey(folder);
  const fingerprint = fingerprintOf(secret);
  const kept = await store.write('claimServerFact', { name: 'secret-fingerprint', value: fingerprint });
  // Another process was faster and has renamed its key.
  if (kept !== fingerprint) rmSync(join(folder, NEXT_KEY_FILE), { force: true });
  return kept === fingerprint ? adoptFirst(folder, secret) : await openSecret(store, { given: undefined, folder });
}

function adoptFirst(folder: string, secret: string): string {
  try {
    adoptKey(folder);
  } catch (error) {
    // Another process that shares this key has renamed it.
    if (readIfThere(join(folder, KEY_FILE)) !== secret) throw error;
  }
  return secret;
}

const MADE_BY_ANOTHER =
  'The database was made with another secret. Set CAIRN_SECRET to the one of the other nodes, or put their secret.key into CAIRN_DATA.';

function emptyDatabase(folder: string): string {
  const file = join(folder, KEY_FILE);
  return `The database is empty, but ${file} belongs to a database with data. Put that database back, restore a backup, or check the settings. To start with an empty database, move the key file away.`;
}

/** One key for each purpose, so that what signs a cursor cannot forge a ticket. */
export function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, 'cairn', purpose, 32));
}

/** Tells secrets apart, and says nothing of them. */
export function fingerprintOf(secret: string): string {
  const key = deriveKey(secret, 'fingerprint');
  return createHmac('sha256', key).update('cairn').digest('hex').slice(0, 32);
}

/** Refuses a node whose secret is not the one that the database was first used with: it could read nothing sealed. */
export async function checkSecret(store: Store, secret: string): Promise<void> {
  const fingerprint = fingerprintOf(secret);
  const kept = await store.write('claimServerFact', { name: 'secret-fingerprint', value: fingerprint });
  if (kept !== fingerprint) throw new SecretError(MADE_BY_ANOTHER);
}

// One-time codes, as they stand in links: for set-up, invitations and new passwords. Only their hashes are stored.

export function mintCode(): string {
  return randomBytes(16).toString('base64url');
}

/** A fast hash is right here: the code has 128 random bits, there is nothing to guess. */
export function hashCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
