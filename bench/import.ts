// Imports an export over HTTP into an empty repository, next to commits of 1,000 of the same records.
import { setTimeout as pause } from 'node:timers/promises';
import { CairnClient } from '@cairn/sdk';
import type { Figure } from './figure.ts';
import { type ServerProcess, startCairn } from './process.ts';
import { loadRepository, READING_FIELDS, reading } from './read-data.ts';
import { counted, sized } from './size.ts';

const RUNS = sized({ full: 3, quick: 2 });
const RECORDS = sized({ full: 100_000, quick: 2_000 });
const OPERATIONS = 1_000;
const FOLLOW_MS = 250;

export async function importFigures(): Promise<Figure[]> {
  const loaded = await loadRepository({ records: RECORDS, server: undefined });
  let cairn: ServerProcess | undefined;
  try {
    cairn = await startCairn(loaded.settings);
    const client = new CairnClient({ url: `http://127.0.0.1:${cairn.port}`, token: loaded.token });
    const file = await exported(client);
    const [imports, commits]: [number[], number[]] = [[], []];
    for (let run = 0; run < RUNS; run++) {
      imports.push(await importInto(client, `copy-${run}`, file));
      await followed(client, `copy-${run}`);
      commits.push(await commitInto(client, `again-${run}`));
      await followed(client, `again-${run}`);
    }
    const what = `${counted(RECORDS, 'records')}, over HTTP, sqlite`;
    return [
      { name: `import, ${what}`, unit: 'rows a second', values: imports },
      { name: `commits of 1,000, ${what}`, unit: 'records a second', values: commits },
    ];
  } finally {
    await cairn?.stop();
    loaded.remove();
  }
}

async function exported(client: CairnClient): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const { lines } of client.repo.exportLines('bench', 'world')) pieces.push(lines);
  return pieces;
}

async function importInto(client: CairnClient, name: string, file: readonly Uint8Array[]): Promise<number> {
  await client.repo.create('bench', name);
  const start = performance.now();
  const { recordCount } = await client.repo.import('bench', name, pieces(file));
  return recordCount / ((performance.now() - start) / 1_000);
}

/** Waits for background indexing, so that the next run is measured alone. */
async function followed(client: CairnClient, name: string): Promise<void> {
  const { repoSeq } = await client.repo.get('bench', name);
  for (;;) {
    const { searchedThrough = 0 } = await client.thing.search('bench', name, 'cellar', { limit: 1 });
    const { indexes } = await client.shape.get('bench', name, 'Reading');
    if (searchedThrough >= repoSeq && indexes.every(({ state }) => state === 'ready')) return;
    await pause(FOLLOW_MS);
  }
}

async function* pieces(file: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* file;
}

async function commitInto(client: CairnClient, name: string): Promise<number> {
  await client.repo.create('bench', name);
  await client.shape.create('bench', name, 'Reading', { fields: READING_FIELDS });
  const start = performance.now();
  for (let from = 0; from < RECORDS; from += OPERATIONS) {
    const operations = Array.from({ length: OPERATIONS }, (_, n) => reading(from + n));
    await client.commit.submit('bench', name, { operations });
  }
  return RECORDS / ((performance.now() - start) / 1_000);
}
