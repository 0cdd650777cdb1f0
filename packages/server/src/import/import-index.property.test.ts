// Imports of random histories: the copy exports like the original and has the same index entries.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExportFile, parseExport, withoutIdentity } from '../../../../test/support/import/file.ts';
import { commitIntents } from '../../../../test/support/relation/intent.ts';
import { Trial } from '../../../../test/support/relation/trial.ts';
import { addTestRepository, refreshed, type TestRepository } from '../../../../test/support/repository.ts';
import { ENGINES, openTestStore } from '../../../../test/support/store.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';
import { exportLines } from '../export/export-stream.ts';
import { buildIndexes } from '../shape/index-build.job.ts';
import type { Store } from '../store.ts';

const LIMITS = { dataBytes: 1_000_000, dataDepth: 64, importIncrementRows: 100_000 };

interface Pins {
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
}

async function exported(store: Store, { grant }: TestRepository, pins: Pins): Promise<ExportFile> {
  let text = '';
  for await (const lines of exportLines(store, { grant, repo: 'a/b', ...pins })) text += Buffer.from(lines).toString();
  return parseExport(text);
}

async function imported(store: Store, { grant }: TestRepository, file: ExportFile, rows: number): Promise<void> {
  const { importId } = await store.write.beginImport({ grant, header: file.header, createdBy: 'user:ada' });
  const ids = await store.database.query<{ id: number; name: string; org: string }>(
    'select repository.id, repository.name, organization.name as org from repository join organization on organization.id = organization_id',
  );
  const readable = ids.map(({ id, name, org }) => ({ repoId: id, orgName: org, repoName: name }));
  for (let offset = 0; offset < file.lines.length; offset += rows) {
    const lines = file.lines.slice(offset, offset + rows).join('\n');
    await store.write.appendImport({ grant, importId, offset, lines, readable, limits: LIMITS });
  }
  const finish = () => store.write.finishImport({ grant, importId, recordCount: file.recordCount });
  while ((await finish()).state !== 'complete');
}

async function indexesOf({ database }: Store, { grant: { repoId } }: TestRepository): Promise<unknown> {
  const refs = await database.query(
    `select case when target_repo_id = $1 then 0 else target_repo_id end as repo, target_id, role, record_id, path,
       target_version from ref where repo_id = $1 and to_seq is null order by 1, 2, 3, 4, 5`,
    [repoId],
  );
  const fields = await database.query<{ shape_id: number; field_id: number; path: string; built_to: number | null }>(
    'select shape_id, field_id, path, built_to from shape_field where repo_id = $1 and to_seq is null order by 1, 3',
    [repoId],
  );
  const paths = new Map(fields.map(({ shape_id, field_id, path }) => [`${shape_id}/${field_id}`, path]));
  const values = await database.query<{ shape_id: number; field_id: number; value: Uint8Array; record_id: number }>(
    'select shape_id, field_id, value, record_id from field_index where repo_id = $1 and to_seq is null',
    [repoId],
  );
  const own = repoId.toString(16).padStart(12, '0');
  const open = values.flatMap(({ shape_id, field_id, value, record_id }) => {
    const path = paths.get(`${shape_id}/${field_id}`);
    const key = Buffer.from(value)
      .toString('hex')
      .replace(new RegExp(`^40${own}`), '40own');
    return path === undefined ? [] : [`${shape_id} ${path} ${key} ${record_id}`];
  });
  const names = await database.query(
    'select shape_id, name, record_id from name where repo_id = $1 and to_seq is null order by 1, 2',
    [repoId],
  );
  return { refs, fields: fields.map(({ field_id: _, ...field }) => field), open: open.sort(), names };
}

const plans = fc.record({
  intents: commitIntents,
  stops: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
  rows: fc.integer({ min: 1, max: 20 }),
  builds: fc.boolean(),
});

describe.each(ENGINES)('imports of random histories on %s', (engine) => {
  it('make what the original is', async () => {
    const store = await openTestStore(engine);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(plans, async ({ intents, stops, rows, builds }) => {
        const name = `p${++count}`;
        const trial = await Trial.start(store, name);
        for (const intent of intents) await trial.submit(intent);
        const near = await refreshed({ ...trial.near });
        const copy = await addTestRepository(store, `${name}-copy`);
        const end = near.grant.repository.repoSeq;
        const ends = [...new Set([...stops.map((part) => Math.max(1, Math.round(part * end))), end])].sort(
          (a, b) => a - b,
        );
        let sinceRepoSeq = 0;
        for (const atRepoSeq of ends) {
          await imported(store, copy, await exported(store, near, { sinceRepoSeq, atRepoSeq }), rows);
          if (builds) await buildIndexes(store);
          const whole = { sinceRepoSeq: 0, atRepoSeq };
          const made = await exported(store, copy, whole);
          expect(withoutIdentity(made)).toEqual(withoutIdentity(await exported(store, near, whole)));
          sinceRepoSeq = atRepoSeq;
        }
        await buildIndexes(store);
        expect(await indexesOf(store, copy)).toEqual(await indexesOf(store, near));
      }),
      { numRuns: (engine === 'sqlite' ? 10 : 3) * (IS_LONG ? 10 : 1) },
    );
  });
});
