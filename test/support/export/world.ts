// Two repositories that refer to each other, filled by random commits and exported over HTTP, with a history of each
// commit's changes.
import type { CommitResult } from '@cairn/protocol/commit';
import type { ExportRow } from '@cairn/protocol/export';
import { findAccountByEmail } from '../../../packages/server/src/account/account.sql.ts';
import type { CommitInput } from '../../../packages/server/src/commit/commit.write.ts';
import { readCommit } from '../../../packages/server/src/commit/commit-read.sql.ts';
import { findRecords } from '../../../packages/server/src/read/record.sql.ts';
import { type ParsedExport, parseExport, requestExport } from '../export.ts';
import { createSession } from '../principal.ts';
import { collectionTypeOf } from '../relation/collection.ts';
import type { Expected, SentOperation } from '../relation/operation.ts';
import { expectApplied, expectRefused, isFailure, type Refused } from '../relation/outcome.ts';
import { headOf, type ModelRecord, type ModelState } from '../relation/state.ts';
import { Ambiguity } from '../relation/target.ts';
import { type ModelRepository, ModelWorld } from '../relation/world.ts';
import { DEFINITIONS, OperationWriter } from '../relation/writing.ts';
import { addTestRepository, readableOf, recordWref, refreshed, type TestRepository } from '../repository.ts';
import type { TestApp } from '../server.ts';
import { ExportHistory, type RowRange } from './history.ts';
import type { ExportIntent } from './intent.ts';
import { LoggedCommit } from './logged-commit.ts';

const shape = (name: string, definition: object): SentOperation => ({
  operation: 'add',
  kind: 'shape',
  name,
  data: definition,
});

const START = {
  near: [
    shape('Room', DEFINITIONS[0] ?? {}),
    shape('Sensor', DEFINITIONS[1] ?? {}),
    shape('Lamp', { fields: { 'home?': { type: 'wref', shape: 'Room' }, 'room?': 'wref' } }),
    ...['Room/a', 'Room/B', 'Sensor/a'].map((name): SentOperation => ({ operation: 'add', name, data: {} })),
  ],
  far: [
    shape('Star', { fields: { 'room?': 'wref', 'n?': 'number' } }),
    { operation: 'add', name: 'Star/a', data: {} } satisfies SentOperation,
  ],
};

const PLAIN: Omit<ExportIntent, 'operations'> = {
  isFar: false,
  atomic: true,
  mayRead: false,
  notes: [],
  reason: undefined,
  author: 'user:ada',
  committer: undefined,
  first: undefined,
};

export interface ExportPair {
  readonly real: TestRepository;
  readonly model: ModelRepository;
  readonly history: ExportHistory;
  readonly session: string;
}

type Writing = () => SentOperation;

export interface Sent {
  readonly sent: readonly SentOperation[];
  readonly options: Partial<CommitInput>;
  readonly answer: CommitResult | Refused;
}

export class ExportWorld {
  readonly pairs: readonly [near: ExportPair, far: ExportPair];
  readonly app: TestApp['app'];
  readonly #world: ModelWorld;

  static async start({ app, store }: TestApp, name: string): Promise<ExportWorld> {
    const near = await addTestRepository(store, `${name}-near`);
    const far = await addTestRepository(store, `${name}-far`);
    const world = new ModelWorld({ near: `wh:${name}-near/world/`, far: `wh:${name}-far/world/` });
    const pairOf = async (real: TestRepository, model: ModelRepository): Promise<ExportPair> => {
      const durableIdOf = (repo: string, id: number) => String(world.durableIdOf(repo, id));
      const history = new ExportHistory(model.address, model.states, durableIdOf);
      return { real, model, history, session: await sessionOf(real) };
    };
    const made = new ExportWorld(app, world, [await pairOf(near, world.near), await pairOf(far, world.far)]);
    for (const [index, operations] of [START.near, START.far].entries()) {
      const pair = made.pairs[index === 0 ? 0 : 1];
      await made.#commit(pair, { ...PLAIN, operations: [] }, () => operations.map((one) => () => one));
    }
    return made;
  }

  private constructor(app: TestApp['app'], world: ModelWorld, pairs: readonly [ExportPair, ExportPair]) {
    this.app = app;
    this.#world = world;
    this.pairs = pairs;
  }

  async submit(intent: ExportIntent): Promise<Sent> {
    const pair = this.pairs[intent.isFar ? 1 : 0];
    const other = this.#world.otherThan(pair.model);
    return await this.#commit(pair, intent, (commit) => {
      const durableIdOf = (address: string, id: number) => this.#world.durableIdOf(address, id);
      const { address } = pair.model;
      const place = { commit, address, otherAddress: other.address, other: other.head, durableIdOf };
      const writer = new OperationWriter(place);
      const rest = intent.operations.map((one, index) => () => extended(writer.write(one), intent, index));
      return [...this.#first(pair, intent), ...rest];
    });
  }

  async export(pair: ExportPair, query: string): Promise<ParsedExport> {
    const answer = await requestExport(this.app, { query, token: pair.session, repo: repoOf(pair) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`the export answered ${answer.status}: ${text}`);
    return parseExport(text);
  }

  rows(pair: ExportPair, range: RowRange): ExportRow[] {
    return pair.history.rows(range);
  }

  /** By durable ID, because names change during the swap. */
  #first({ model }: ExportPair, { first }: ExportIntent): Writing[] {
    if (first === undefined) return [];
    const { head, address } = model;
    const subject = at(head.records, first.pick);
    const idOf = ({ id }: ModelRecord) => String(this.#world.durableIdOf(address, id));
    if (isFixed(subject)) return [];
    if (first.do === 'burst') return burst(subject, idOf(subject), first.times);
    const partner = head.records.findLast(
      (one) => one.shapeId === subject.shapeId && one.id !== subject.id && !isFixed(one),
    );
    if (partner === undefined) return [];
    const rename = (record: ModelRecord, newName: string) => (): SentOperation => ({
      operation: 'rename',
      name: idOf(record),
      newName,
    });
    const [one, other] = [head.nameOf(subject), head.nameOf(partner)];
    return [rename(subject, `${one}-swapped`), rename(partner, one), rename(subject, other)];
  }

  /** `write` composes the operations one by one, because each text depends on the operations before it. */
  async #commit(pair: ExportPair, intent: ExportIntent, write: (commit: LoggedCommit) => Writing[]): Promise<Sent> {
    const { real, model } = pair;
    const commit = new LoggedCommit(this.#world.begin(model, intent).start);
    const sent: SentOperation[] = [];
    const expected: Expected[] = [];
    for (const operation of write(commit)) {
      const [taken, outcome] = applied(operation(), (one) => commit.apply(one, sent.length));
      sent.push(taken);
      expected.push(outcome);
    }
    commit.bindShapes();
    const other = this.pairs[pair === this.pairs[0] ? 1 : 0].real;
    const readable = intent.mayRead ? [readableOf(other)] : [];
    const committer = committerOf(model.head, commit.state, intent.committer);
    const options = {
      atomic: intent.atomic,
      readable,
      createdBy: intent.author,
      committer: committer && this.#world.durableIdOf(model.address, committer.id),
    };
    const answer = await real.commit(sent, options).catch((error: Refused) => error);
    const shown = { sent, expected, answer };
    if (intent.atomic && expected.some(isFailure)) expectRefused(shown);
    else {
      const result = expectApplied(shown, model.states.length);
      if (result.commitId !== null) await this.#keep(pair, { commit, result, committer });
    }
    return { sent, options, answer };
  }

  async #keep(
    pair: ExportPair,
    { commit, result, committer }: { commit: LoggedCommit; result: CommitResult; committer: ModelRecord | undefined },
  ): Promise<void> {
    const { model, history } = pair;
    model.keep(commit, result);
    await this.#learn(pair);
    const { store, grant } = await refreshed(pair.real);
    const read = await readCommit(store.database, grant, result.repoSeq);
    const by = committer && {
      text: `${model.head.nameOf(model.head.record(committer.id))}@v${committer.versions.length}`,
      identity: `${this.#world.durableIdOf(model.address, committer.id)}@v${committer.versions.length}`,
    };
    const { createdAt = 0, createdBy = '' } = read ?? {};
    const mark = { createdAt, createdBy, commitId: String(result.commitId), committer: by };
    history.keep(commit, mark, learnedNames(commit, result));
  }

  /** Reads new records by name to learn their durable IDs. */
  async #learn({ real, model }: ExportPair): Promise<void> {
    const { address: repo, head } = model;
    const fresh = head.records.filter(({ id }) => this.#world.durableIdOf(repo, id) === undefined);
    const { store, grant } = await refreshed(real);
    const wrefs = fresh.map((record) => recordWref(head.nameOf(record)));
    const items = await findRecords(store.database, grant, { wrefs, atRepoSeq: model.states.length - 1 });
    for (const [index, { id }] of fresh.entries()) this.#world.learn(String(items[index]?.durableId), { repo, id });
  }
}

export const repoOf = ({ real }: ExportPair) => `${real.grant.repository.orgName}/${real.grant.repository.name}`;

async function sessionOf({ store, grant }: TestRepository): Promise<string> {
  const account = await findAccountByEmail(store.database, `${grant.repository.orgName}@example.com`);
  return (await createSession(store, { accountId: account?.id ?? 0 })).token;
}

function extended(operation: SentOperation, { notes, reason }: ExportIntent, index: number): SentOperation {
  if (operation.operation === 'retract') return { ...operation, ...(reason !== undefined && { reason }) };
  const { data, kind } = operation;
  const note = notes[index];
  if (note === undefined || kind === 'shape' || typeof data !== 'object' || data === null) return operation;
  return 'fields' in data || isCollectionData(data) ? operation : { ...operation, data: { ...data, note } };
}

const isCollectionData = (data: object) => ['from', 'ends', 'members', 'items', 'first'].some((place) => place in data);

const isFixed = ({ shapeId, local, kind }: ModelRecord) =>
  kind === 'collection' || (shapeId === 0 && collectionTypeOf(local) !== undefined);

function burst(record: ModelRecord, name: string, times: number): Writing[] {
  const dataAt = (n: number) => (record.shapeId === 0 ? DEFINITIONS[n % DEFINITIONS.length] : { burst: n });
  return Array.from({ length: times }, (_, n) => () => ({ operation: 'revise', name, data: dataAt(n) }));
}

function committerOf(before: ModelState, after: ModelState, pick: number | undefined): ModelRecord | undefined {
  if (pick === undefined) return undefined;
  const record = at(before.records, pick);
  const isLeft = after.record(record.id).versions.length === record.versions.length;
  return isLeft && headOf(record).active ? record : undefined;
}

function learnedNames({ versions, toLearn }: LoggedCommit, { operations }: CommitResult): Map<string, string> {
  return new Map(
    toLearn.map(({ id, opIndex }) => {
      const made = versions.find((one) => one.id === id && one.version === 1);
      const [, ...local] = operations[opIndex]?.name.split('/') ?? [];
      return [made?.written.record(id).local ?? '', local.join('/')];
    }),
  );
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

function at<Item>(items: readonly Item[], pick: number): Item {
  return items[pick % items.length] as Item;
}
