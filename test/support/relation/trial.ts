// A trial: random commits to two repositories of a store, and to a model of both.
import type { CommitResult, OperationResult } from '@cairn/protocol/commit';
import { expect } from 'vitest';
import type { CommitInput } from '../../../packages/server/src/commit/commit.write.ts';
import { readCommit } from '../../../packages/server/src/commit/commit-read.sql.ts';
import { findRecords, listVersions } from '../../../packages/server/src/read/record.sql.ts';
import { buildIndexes } from '../../../packages/server/src/shape/index-build.job.ts';
import type { Store } from '../../../packages/server/src/store.ts';
import { addTestRepository, readableOf, recordWref, refreshed, type TestRepository } from '../repository.ts';
import { verifyRepository } from '../verify.ts';
import type { ModelCommit } from './commit.ts';
import { type CommitIntent, LOCALS, SHAPE_NAMES } from './intent.ts';
import type { Expected, SentOperation } from './operation.ts';
import { expectApplied, expectRefused, isFailure, type Refused } from './outcome.ts';
import { isInNoOrder, type ShownRecord, shownItem, withoutOrder } from './shown.ts';
import { headOf, type ModelRecord, type ModelRef, type ModelState, refsIn } from './state.ts';
import { Ambiguity } from './target.ts';
import { type ModelRepository, ModelWorld } from './world.ts';
import { DEFINITIONS, OperationWriter } from './writing.ts';

const shape = (name: string, definition: object): SentOperation => ({
  operation: 'add',
  kind: 'shape',
  name,
  data: definition,
});
const add = (name: string): SentOperation => ({ operation: 'add', name, data: {} });

const START: Record<'near' | 'far', readonly SentOperation[]> = {
  near: [
    shape('Room', DEFINITIONS[0] ?? {}),
    shape('Sensor', DEFINITIONS[1] ?? {}),
    shape('Lamp', { fields: { 'home?': { type: 'wref', shape: 'Room' }, 'room?': 'wref' } }),
    add('Room/a'),
    add('Sensor/a'),
  ],
  far: [shape('Star', { fields: { 'room?': 'wref', 'n?': 'number' } }), add('Star/a')],
};

interface Pair {
  readonly real: TestRepository;
  readonly model: ModelRepository;
  readonly answered: Answered[];
}

interface Answered {
  readonly sent: readonly SentOperation[];
  readonly options: Partial<CommitInput>;
  readonly result: CommitResult;
}

export class Trial {
  readonly #pairs: readonly [near: Pair, far: Pair];
  readonly #world: ModelWorld;
  #submissions = 0;

  private constructor(world: ModelWorld, { near, far }: { near: TestRepository; far: TestRepository }) {
    this.#world = world;
    this.#pairs = [
      { real: near, model: world.near, answered: [] },
      { real: far, model: world.far, answered: [] },
    ];
  }

  get near(): TestRepository {
    return this.#pairs[0].real;
  }

  static async start(store: Store, name: string): Promise<Trial> {
    const near = await addTestRepository(store, `${name}-near`);
    const far = await addTestRepository(store, `${name}-far`);
    const world = new ModelWorld({ near: `wh:${name}-near/world/`, far: `wh:${name}-far/world/` });
    const trial = new Trial(world, { near, far });
    const options = { atomic: true, mayRead: false };
    await trial.#commit(trial.#pairs[0], options, () => START.near.map((one) => () => one));
    await trial.#commit(trial.#pairs[1], options, () => START.far.map((one) => () => one));
    return trial;
  }

  async submit({ isFar, operations, ...options }: CommitIntent): Promise<void> {
    const pair = this.#pairs[isFar ? 1 : 0];
    const other = this.#world.otherThan(pair.model);
    await this.#commit(pair, options, (commit) => {
      const writer = new OperationWriter({
        commit,
        address: pair.model.address,
        otherAddress: other.address,
        other: other.head,
        durableIdOf: (address, id) => this.#world.durableIdOf(address, id),
      });
      return operations.map((intent) => () => writer.write(intent));
    });
  }

  /** `write` composes the operations one by one, because each text depends on the operations before it. */
  async #commit(
    pair: Pair,
    { atomic, mayRead }: { atomic: boolean; mayRead: boolean },
    write: (commit: ModelCommit) => readonly (() => SentOperation)[],
  ): Promise<void> {
    const { real, model, answered } = pair;
    const commit = this.#world.begin(model, { mayRead });
    const sent: SentOperation[] = [];
    const expected: Expected[] = [];
    for (const operation of write(commit)) {
      const [taken, outcome] = applied(operation(), (one) => commit.apply(one, sent.length));
      sent.push(taken);
      expected.push(outcome);
    }
    commit.bindShapes();
    const readable = mayRead ? [readableOf(this.#otherThan(real))] : [];
    const submission = { id: `${++this.#submissions}`, owner: 'user:1', contentHash: new Uint8Array([1]) };
    const options = { atomic, readable, submission };
    const answer = await real.commit(sent, options).catch((error: Refused) => error);
    const isRefused = atomic && expected.some(isFailure);
    const shown = { sent, expected, answer };
    if (isRefused) return expectRefused(shown);
    const result = expectApplied(shown, model.states.length);
    answered.push({ sent, options, result });
    if (result.commitId === null) return;
    model.keep(commit, result);
    await this.#learn(pair);
  }

  #otherThan(real: TestRepository): TestRepository {
    return this.#pairs[real === this.#pairs[0].real ? 1 : 0].real;
  }

  /** Reads new records by name to learn their durable IDs. */
  async #learn(pair: Pair): Promise<void> {
    const { address: repo, head } = pair.model;
    const fresh = head.records.filter(({ id }) => this.#world.durableIdOf(repo, id) === undefined);
    const items = await readAt(
      pair,
      head,
      fresh.map((record) => head.nameOf(record)),
    );
    fresh.forEach(({ id }, index) => {
      this.#world.learn(String(items[index]?.durableId), { repo, id });
    });
  }

  /** A read at each sequence must equal the model's state at that sequence. */
  async expectSameReads(): Promise<void> {
    for (const pair of this.#pairs) {
      for (const state of pair.model.states) await this.#expectSameState(pair, state);
      await this.#expectSameHistory(pair);
      await expectSameCommits(pair);
    }
  }

  async #expectSameState(pair: Pair, state: ModelState): Promise<void> {
    const { address, head } = pair.model;
    const ids = head.records.map(({ id }) => String(this.#world.durableIdOf(address, id)));
    const items = await readAt(pair, state, ids);
    expect(items.map((item) => item && shownItem(item))).toEqual(
      head.records.map(({ id }) => state.records[id - 1] && this.#shownRecord(state, state.record(id))),
    );
    const names = SHAPE_NAMES.flatMap((name) => [name, ...LOCALS.map((local) => `${name}/${local}`)]);
    const named = await readAt(pair, state, names);
    expect(named.map((item) => item?.durableId)).toEqual(
      names.map((name) => {
        const record = state.find(name);
        return record && this.#world.durableIdOf(address, record.id);
      }),
    );
  }

  async #expectSameHistory({ real, model }: Pair): Promise<void> {
    const { store, grant } = await refreshed(real);
    for (const record of model.head.records) {
      const { recordId } = recordWref(String(this.#world.durableIdOf(model.address, record.id))) as {
        recordId: number;
      };
      const page = { recordId, atRepoSeq: grant.repository.repoSeq, before: undefined, limit: 100, maxBytes: 1e9 };
      const items = await listVersions(store.database, grant, page);
      const versions = record.versions.map((_, index) => ({
        ...record,
        versions: record.versions.slice(0, index + 1),
      }));
      expect(items.map(shownItem).toReversed()).toEqual(versions.map((one) => this.#shownRecord(model.head, one)));
    }
  }

  #shownRecord(state: ModelState, record: ModelRecord): ShownRecord {
    const { active, data } = headOf(record);
    const { kind, versions } = record;
    const name = state.nameOf(record);
    const about = record.about && [String(state.render(record.about)), this.#identityOf(record.about)];
    const identities = refsIn(data).map(({ path, ref }) =>
      [isInNoOrder(name) ? '' : path, this.#identityOf(ref)].join(' '),
    );
    const shown = withoutOrder(name, state.render(data));
    return { name, kind, version: versions.length, active, about, data: shown, identities: new Set(identities) };
  }

  #identityOf({ repo, id, version }: ModelRef): string {
    return `${this.#world.durableIdOf(repo, id)}@v${version}`;
  }

  async expectNoDifference(): Promise<void> {
    for (const { real } of this.#pairs) {
      await buildIndexes(real.store);
      expect(await verifyRepository(real.store, real.grant.repoId)).toEqual([]);
    }
  }
}

/** Replaces an operation whose result the model cannot predict by one without effect. */
function applied(operation: SentOperation, apply: (operation: SentOperation) => Expected): [SentOperation, Expected] {
  try {
    return [operation, apply(operation)];
  } catch (error) {
    if (!(error instanceof Ambiguity)) throw error;
    const other: SentOperation = { operation: 'retract', name: 'Nothing/here' };
    return [other, apply(other)];
  }
}

/**
 * A commit and its receipt must read as they were answered, with the names of that time, whatever was renamed later.
 */
async function expectSameCommits({ real, answered }: Pair): Promise<void> {
  const { store, grant } = await refreshed(real);
  for (const { sent, options, result } of answered) {
    expect(await real.commit(sent, options)).toEqual(result);
    if (result.commitId === null) continue;
    const read = await readCommit(store.database, grant, result.repoSeq);
    const applied = result.operations.filter(({ status }) => status === 'applied');
    const shown = ({ submittedName: _, warnings: __, ...operation }: OperationResult) => operation;
    expect(read?.operations.map(shown)).toEqual(applied.map(shown));
  }
}

async function readAt({ real, model }: Pair, state: ModelState, wrefs: readonly string[]) {
  const { store, grant } = await refreshed(real);
  const atRepoSeq = model.states.indexOf(state);
  return await findRecords(store.database, grant, { wrefs: wrefs.map(recordWref), atRepoSeq });
}
