// Properties of commits: the store against a model in memory, concurrent writers, and replaying the log.

import { canonicalJson } from '@cairn/model/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addTestRepository,
  createTestRepository,
  recordWref,
  type TestRepository,
} from '../../../../test/support/repository.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';
import { findRecords } from '../read/record.sql.ts';
import { listCommits, readCommit } from './commit-read.sql.ts';

const NAMES = ['T/a', 'T/b', 'T/c', 'T/d'];
const shape = { kind: 'shape', name: 'T', data: { fields: { n: 'number' } } };

type Op = {
  operation: 'add' | 'revise' | 'retract';
  name: string;
  data?: unknown;
  expectedVersion?: number | undefined;
  skipExisting?: boolean;
};

const data = fc.record({ n: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constant('wrong')) });
const name = fc.constantFrom(...NAMES);
const version = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
const operation: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ operation: fc.constant('add' as const), name, data, skipExisting: fc.boolean() }),
  fc.record({ operation: fc.constant('revise' as const), name, data, expectedVersion: version }).map(compact),
  fc.record({ operation: fc.constant('retract' as const), name, expectedVersion: version }).map(compact),
);
const commits = fc.array(
  fc.record({ operations: fc.array(operation, { minLength: 1, maxLength: 6 }), atomic: fc.boolean() }),
  {
    maxLength: 12,
  },
);

function compact<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Value;
}

interface ModelRecord {
  version: number;
  active: boolean;
  data: string;
}

type Model = Map<string, ModelRecord>;

function applyToModel(model: Model, op: Op): 'applied' | 'noop' | 'error' {
  const present = model.get(op.name);
  if (op.operation === 'add') {
    if (present !== undefined) return op.skipExisting ? 'noop' : 'error';
    if (!fits(op.data)) return 'error';
    model.set(op.name, { version: 1, active: true, data: canonicalJson(op.data) });
    return 'applied';
  }
  if (present === undefined) return 'error';
  if (op.expectedVersion !== undefined && op.expectedVersion !== present.version) return 'error';
  if (op.operation === 'retract') {
    if (!present.active) return 'noop';
    model.set(op.name, { ...present, version: present.version + 1, active: false });
    return 'applied';
  }
  if (!fits(op.data)) return 'error';
  const text = canonicalJson(op.data);
  if (present.active && present.data === text) return 'noop';
  model.set(op.name, { version: present.version + 1, active: true, data: text });
  return 'applied';
}

const fits = (value: unknown) => typeof (value as { n: unknown }).n === 'number';

async function stateAt({ store, grant }: TestRepository, atRepoSeq: number): Promise<Model> {
  const found = await findRecords(store.database, grant, { wrefs: NAMES.map(recordWref), atRepoSeq });
  const present = found.filter((item) => item !== undefined);
  return new Map(
    present.map(({ name, version, active, data }) => [name, { version, active, data: canonicalJson(data) }]),
  );
}

describe.each(ENGINES)('the store and a model in memory on %s', (engine) => {
  it('agree on every outcome, on the head and on every state before', async () => {
    const { store } = await createTestRepository(engine);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(commits, async (list) => {
        const repository = await addTestRepository(store, `p${++count}`);
        await repository.commit([shape]);
        const states: Model[] = [new Map(), new Map()];
        let model: Model = new Map();
        for (const { operations, atomic } of list) {
          const draft: Model = new Map(model);
          const expected = operations.map((op) => applyToModel(draft, op));
          const refused = atomic && expected.includes('error');
          const result = await repository.commit(operations, { atomic }).catch((error: { details: unknown }) => error);
          if (refused) {
            expect(result).toHaveProperty('details.operations');
          } else {
            expect((result as { operations: { status: string }[] }).operations.map(({ status }) => status)).toEqual(
              expected,
            );
            if (expected.includes('applied')) states.push(new Map(draft));
            model = draft;
            expect(result).toMatchObject({ repoSeq: states.length - 1 });
          }
        }
        for (const [seq, state] of states.entries()) expect(await stateAt(repository, seq)).toEqual(state);
      }),
      { numRuns: (engine === 'sqlite' ? 20 : 10) * (IS_LONG ? 3 : 1) },
    );
  });
});

describe.each(ENGINES)('concurrent commits on %s', (engine) => {
  it('never reuse, skip or reorder a sequence, and readers never see half of one', async () => {
    const repository = await createTestRepository(engine);
    const { commit, store, grant } = repository;
    const wrefs = ['T/left', 'T/right'].map(recordWref);
    await commit([shape, { name: 'T/left', data: { n: 0 } }, { name: 'T/right', data: { n: 0 } }]);
    let writing = true;
    const torn: unknown[] = [];
    const reader = (async () => {
      while (writing) {
        const [row] = await store.database.query<{ repo_seq: number }>('select repo_seq from repo_sequence');
        const [left, right] = await findRecords(store.database, grant, { wrefs, atRepoSeq: row?.repo_seq ?? 0 });
        if (canonicalJson(left?.data) !== canonicalJson(right?.data)) torn.push([left, right]);
        await new Promise((turn) => setImmediate(turn));
      }
    })();
    const results = await Promise.all(
      Array.from({ length: 120 }, (_, n) =>
        commit(['T/left', 'T/right'].map((name) => ({ operation: 'revise', name, data: { n: n + 1 } }))),
      ),
    );
    writing = false;
    await reader;
    expect(torn).toEqual([]);
    const sequences = results.map(({ repoSeq }) => repoSeq).sort((a, b) => a - b);
    expect(sequences).toEqual(Array.from({ length: 120 }, (_, n) => n + 2));
    const log = await listCommits(store.database, grant, { before: undefined, limit: 500 });
    expect(log.map(({ repoSeq }) => repoSeq)).toEqual(Array.from({ length: 121 }, (_, n) => 121 - n));
  });
});

describe.each(ENGINES)('the log on %s', (engine) => {
  it('replayed from nothing gives the same head', async () => {
    const { store } = await createTestRepository(engine);
    let count = 0;
    await fc.assert(
      fc.asyncProperty(commits, async (list) => {
        const original = await addTestRepository(store, `o${++count}`);
        const copy = await addTestRepository(store, `c${count}`);
        await original.commit([shape]);
        for (const { operations } of list) await original.commit(operations, { atomic: false });
        const log = await listCommits(store.database, original.grant, { before: undefined, limit: 500 });
        for (const { repoSeq } of log.toReversed()) await copy.commit(await operationsOf(original, repoSeq));
        expect(await stateAt(copy, Number.MAX_SAFE_INTEGER)).toEqual(await stateAt(original, Number.MAX_SAFE_INTEGER));
        const hashes = async ({ store, grant }: TestRepository) =>
          (await findRecords(store.database, grant, { wrefs: ['T', ...NAMES].map(recordWref), atRepoSeq: 1e9 })).map(
            (item) => item?.dataHash,
          );
        expect(await hashes(copy)).toEqual(await hashes(original));
      }),
      { numRuns: (engine === 'sqlite' ? 10 : 5) * (IS_LONG ? 3 : 1) },
    );
  });
});

async function operationsOf({ store, grant }: TestRepository, repoSeq: number): Promise<unknown[]> {
  const commit = await readCommit(store.database, grant, repoSeq);
  const applied = commit?.operations ?? [];
  const wrefs = applied.map(({ name, version }) => recordWref(`${name}@v${version}`));
  const versions = await findRecords(store.database, grant, { wrefs, atRepoSeq: repoSeq });
  return applied.map(({ operation, kind, name }, index) => ({
    operation,
    name,
    ...(operation === 'add' && { kind }),
    ...(operation !== 'retract' && { data: versions[index]?.data }),
  }));
}
