// The end of a run: all records are compared with what was sent, over HTTP, and then all rows with each other.
import { isDeepStrictEqual } from 'node:util';
import { openStore, type Store } from '../../packages/server/src/store.ts';
import { expectedDocuments, followSearch, indexedDocuments } from '../support/search.ts';
import { verifyRepository } from '../support/verify.ts';
import { keyIn } from './content.ts';
import { exportSince } from './export-reader.ts';
import type { Findings } from './finding.ts';
import type { Ground } from './ground.ts';
import type { KnownRecord } from './repository-model.ts';
import { problemInList } from './sight.ts';
import type { Place } from './world.ts';

/** With no writes in progress, each record equals the last version sent, and there are no other records. */
export async function compareAll(place: Place): Promise<void> {
  const { world, model } = place;
  const { atRepoSeq, rows } = await exportSince(place, 0);
  if (atRepoSeq !== model.head) {
    world.findings.add('sequence', `${model.name}: the export stands at ${atRepoSeq}, and ${model.head} was told last`);
  }
  const left = new Map(model.records);
  const collections = new Set(model.collections);
  for (const row of rows) {
    if (row.kind === 'shape') continue;
    if (row.kind === 'collection') {
      if (!collections.delete(row.name)) world.findings.add('phantom', `${model.name}: ${row.name} was never sent`);
      continue;
    }
    world.findings.addFinding(problemInList(model, row, atRepoSeq));
    const key = keyIn(row.data) ?? '';
    const record = left.get(key);
    if (record !== undefined) compareName(place, record, row.name);
    left.delete(key);
  }
  for (const key of left.keys()) world.findings.add('lost', `${model.name}: ${key} is not in the export`);
  for (const name of collections) world.findings.add('lost', `${model.name}: ${name} is not in the export`);
}

function compareName({ world, model }: Place, { key, names }: KnownRecord, name: string): void {
  if (name === names.at(-1)) return;
  world.findings.add('changed', `${model.name}: ${key} is called ${name}, and was last called ${names.at(-1)}`);
}

/** Checks the whole store while the server is stopped. */
export async function checkStore({ location }: Ground, findings: Findings): Promise<void> {
  const store = await openStore(location);
  try {
    const rows = await store.database.query<{ id: number }>('select id from repository');
    await followSearch(store);
    for (const { id: repoId } of rows) {
      for (const sentence of await verifyRepository(store, repoId)) findings.add('check', sentence);
      await checkSearch({ location, store, repoId }, findings);
    }
    if (location.engine !== 'sqlite') return;
    const integrity = await store.database.query('pragma integrity_check');
    if (!isDeepStrictEqual(integrity.map(Object.values), [['ok']])) findings.add('check', JSON.stringify(integrity));
  } finally {
    await store.close();
  }
}

interface StorePlace extends Pick<Ground, 'location'> {
  readonly store: Store;
  readonly repoId: number;
}

async function checkSearch(place: StorePlace, findings: Findings): Promise<void> {
  const [indexed, expected] = await Promise.all([indexedDocuments(place), expectedDocuments(place)]);
  if (isDeepStrictEqual(indexed, expected)) return;
  findings.add('check', `the search index of repository ${place.repoId} is not that of its records`);
}
