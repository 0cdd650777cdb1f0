// Repository to read from, on either engine: filled by commits and indexed for search.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToken, EVERYTHING } from '../packages/server/src/account/account.ts';
import { readConfig, storeLocation } from '../packages/server/src/config.ts';
import type { StoreLocation } from '../packages/server/src/engine/database.ts';
import { buildIndexes } from '../packages/server/src/shape/index-build.job.ts';
import { openStore } from '../packages/server/src/store.ts';
import { createDatabase } from '../test/support/database.ts';
import { addTestRepository, type TestRepository } from '../test/support/repository.ts';
import { followSearch } from '../test/support/search.ts';

const OPERATIONS = 5_000;
const CLAIMS_ABOUT_ONE = 60;
const VERSIONS_OF_ONE = 60;
const RECORDS_A_CLAIM = 500;

export interface LoadedRepository {
  readonly location: StoreLocation;
  /** Environment for a server on this repository. */
  readonly settings: Record<string, string>;
  readonly token: string;
  remove(): void;
}

export interface LoadOptions {
  readonly records: number;
  /** PostgreSQL server, or undefined for SQLite. */
  readonly server: string | undefined;
  /** Defaults to readings of about 245 bytes. */
  readonly contents?: Contents;
}

export interface Contents {
  readonly fields: object;
  readonly data: (n: number) => object;
  /** Data of a later version, made after the nth record. */
  readonly revised: (n: number) => object;
}

export async function loadRepository(options: LoadOptions): Promise<LoadedRepository> {
  const { records, server, contents = READINGS } = options;
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const url = server && (await createDatabase(server)).url;
  const settings = {
    CAIRN_DATA: folder,
    CAIRN_SECRET: 'the secret of the benchmarks, which are thrown away',
    ...(url !== undefined && { CAIRN_DATABASE_URL: url }),
  };
  const config = readConfig([], settings);
  const location = storeLocation(config);
  const store = await openStore(location);
  const repository = await addTestRepository(store, 'bench');
  await fill(repository, { records, contents });
  await buildIndexes(store);
  await followSearch(store);
  const { token } = await createToken(store, { email: 'bench@example.com', name: 'bench', scopes: EVERYTHING });
  await store.close();
  return { location, settings, token, remove: () => rmSync(folder, { recursive: true }) };
}

export function fileOf({ location }: LoadedRepository): string {
  if (location.engine !== 'sqlite') throw new Error('Only SQLite has a file.');
  return location.file;
}

export const READING_FIELDS = {
  label: 'string',
  score: { type: 'number', indexed: true },
  value: 'number',
  note: 'string',
} as const;

export const READINGS: Contents = {
  fields: READING_FIELDS,
  data: (n) => reading(n).data,
  revised: (n) => ({ ...reading(1).data, label: `as it was after ${n}` }),
};

const CLAIM = { kind: 'shape', name: 'Claim', data: { fields: { text: 'string' } } };

interface Filling {
  readonly records: number;
  readonly contents: Contents;
}

async function fill(repository: TestRepository, { records, contents }: Filling): Promise<void> {
  await repository.commit([{ kind: 'shape', name: 'Reading', data: { fields: contents.fields } }, CLAIM]);
  for (let from = 0; from < records; from += OPERATIONS) {
    const count = Math.min(OPERATIONS, records - from);
    const operations = Array.from({ length: count }, (_, n) => [
      { name: `Reading/r${from + n}`, data: contents.data(from + n) },
      ...claims(from + n, records),
      ...versions(from + n, { records, contents }),
    ]).flat();
    await repository.commit(operations);
  }
}

interface Reading {
  readonly name: string;
  readonly data: object;
}

export function reading(n: number): Reading {
  const note = `the reading number ${n} of a long series that is taken every minute, by a sensor in the cellar`;
  const score = ((n * 2_654_435_761) % 2 ** 32) / 2 ** 32;
  return { name: `Reading/r${n}`, data: { label: `reading ${n}`, score, value: n / 7, note: note.padEnd(140, '.') } };
}

/** Some are about one record, spread over all commits. The others are about different records. */
function claims(n: number, records: number): object[] {
  const claim = (name: string, about: string) => ({ name: `Claim/${name}`, about, data: { text: `said after ${n}` } });
  return [
    ...(n > 0 && n % Math.floor(records / CLAIMS_ABOUT_ONE) === 0 ? [claim(`one-${n}`, 'Reading/r0')] : []),
    ...(n % RECORDS_A_CLAIM === 0 ? [claim(`each-${n}`, `Reading/r${n}`)] : []),
  ];
}

function versions(n: number, { records, contents }: Filling): object[] {
  if (n === 0 || n % Math.floor(records / VERSIONS_OF_ONE) !== 0) return [];
  return [{ operation: 'revise', name: 'Reading/r1', data: contents.revised(n) }];
}
