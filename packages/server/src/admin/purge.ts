// Removes a value for good. History stays complete, because the hashes of the versions stay.

import { parseRecordName } from '@cairn/model/wref';
import { fail } from '@cairn/protocol/errors';
import { auditedByOperator } from '../access/audit.ts';
import { systemGrant } from '../access/grant.rule.ts';
import type { BlobStore } from '../export/blob-store.ts';
import { blobKeysOf } from '../export/export-removal.sql.ts';
import type { Store } from '../store.ts';
import {
  type FoundVersion,
  findElsewhere,
  findNamedRecord,
  findPurged,
  findRecordById,
  findVersions,
  hasOpenImport,
  type NamedRecord,
  type PurgedRepository,
  shapeRefused,
} from './purge.sql.ts';

export interface PurgeWish {
  readonly repository: string;
  readonly record?: string | undefined;
  readonly versions?: readonly number[] | undefined;
  readonly containing?: string | undefined;
}

interface PurgedRecord {
  readonly name: string;
  readonly versions: readonly number[];
}

export interface Purged {
  readonly records: readonly PurgedRecord[];
  readonly exports: number;
  readonly left: readonly string[];
}

export async function purge({ store, blobs }: { store: Store; blobs: BlobStore }, wish: PurgeWish): Promise<Purged> {
  const { record, versions, containing } = wish;
  if (record === undefined && containing === undefined) {
    throw fail('VALIDATION_ERROR', { message: 'Give the record, the text to remove, or both.' });
  }
  if (containing === '') throw fail('VALIDATION_ERROR', { message: 'The text to purge must not be empty.' });
  const { database } = store;
  const repository = await findRepository(store, wish.repository);
  const repoId = repository.id;
  const only = record === undefined ? undefined : await findRecord(store, { repoId, name: record });
  const found = await findVersions(database, { repoId, recordId: only?.recordId, containing });
  const wanted = versions === undefined ? found : found.filter(({ version }) => versions.includes(version));
  const holders = await holdersOf(store, repoId, wanted);
  const purged: PurgedRecord[] = [];
  for (const holder of holders.filter(({ kind }) => kind !== 'shape')) {
    purged.push(await purgeRecord(store, { wish, repository, holder, versions: versionsOf(wanted, holder) }));
  }
  const shapes = holders.filter(({ kind }) => kind === 'shape').map(({ name }) => `the shape ${name}`);
  const elsewhere = containing === undefined ? [] : await findElsewhere(database, { repoId, containing });
  const exports = purged.length === 0 ? 0 : await rebuildFiles({ store, blobs }, repoId);
  return { records: purged, exports, left: [...shapes, ...elsewhere] };
}

async function findRepository({ database }: Store, address: string): Promise<PurgedRepository> {
  const [orgName = '', name = ''] = address.split('/');
  const found = await findPurged(database, { orgName, name });
  if (found === undefined) {
    throw fail('NOT_FOUND', { message: `There is no repository ${address}. Write it as org/repo.` });
  }
  if (!(await hasOpenImport(database, found.id))) return found;
  throw fail('CONFLICT', {
    message: `An import into ${address} is in progress and may contain the value. Finish or abort it, then purge.`,
    details: { reason: 'importing' },
  });
}

async function findRecord(
  { database }: Store,
  { repoId, name }: { repoId: number; name: string },
): Promise<NamedRecord> {
  const parsed = parseRecordName(name);
  if (parsed.local === '') throw shapeRefused();
  const found = await findNamedRecord(database, repoId, parsed);
  if (found !== undefined) return found;
  throw fail('NOT_FOUND', { message: `There is no record ${name}. Give its current name, as Shape/name.` });
}

async function holdersOf({ database }: Store, repoId: number, found: readonly FoundVersion[]): Promise<NamedRecord[]> {
  const holders: NamedRecord[] = [];
  for (const recordId of new Set(found.map((one) => one.recordId))) {
    holders.push(await findRecordById(database, repoId, recordId));
  }
  return holders;
}

function versionsOf(found: readonly FoundVersion[], { recordId }: NamedRecord): number[] {
  return found.filter((one) => one.recordId === recordId).map(({ version }) => version);
}

interface RecordPurge {
  readonly wish: PurgeWish;
  readonly repository: PurgedRepository;
  readonly holder: NamedRecord;
  readonly versions: readonly number[];
}

async function purgeRecord(store: Store, { wish, repository, holder, versions }: RecordPurge): Promise<PurgedRecord> {
  const { recordId, name } = holder;
  const audit = auditedByOperator({
    action: 'admin.purge',
    target: `${wish.repository}/${name}`,
    details: { versions },
    places: [{ orgId: repository.organizationId }],
  });
  const grant = systemGrant(repository.id, 'purge');
  const searchHere = store.database.engine === 'postgres';
  const gone = await store.write.purgeData({ grant, recordId, versions, searchHere }, audit);
  return { name, versions: gone };
}

/** Runs after the data is gone, so that no new file contains it. */
async function rebuildFiles({ store, blobs }: { store: Store; blobs: BlobStore }, repoId: number): Promise<number> {
  const grant = systemGrant(repoId, 'purge');
  const exports = await store.write.rebuildExports({ grant, now: await store.database.now() });
  for (const key of exports.flatMap(blobKeysOf)) await blobs.remove(key);
  return exports.length;
}
