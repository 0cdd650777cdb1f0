// A random repository to read. It has shapes with changing fields and records of every kind, with references within it
// and to another repository. Records are renamed, revised, retracted and restored. It is written over HTTP, and other
// modules read it.

import type { OperationResult } from '@cairn/protocol/commit';
import type { Store } from '../../../packages/server/src/store.ts';
import { createSession } from '../principal.ts';
import { type CallProcedure, caller } from '../procedure.ts';
import { Random } from '../random.ts';
import type { TestApp } from '../server.ts';
import { definitionOf, randomData, randomFields } from './field.ts';
import type { CollectionType } from './record.ts';
import { COLLECTIONS, isBuiltIn, WorldRecord } from './record.ts';

const SHAPE_NAMES = ['Alpha', 'Beta', 'alpha', 'Al', 'Gamma-1', 'A_b'];
/** Few names, so that records reuse them, including characters that LIKE, GLOB and sorting treat differently. */
const LOCALS = [
  'a',
  'A',
  'b',
  'a/b',
  'a/b/c',
  'a/c',
  'ab',
  'a_b',
  'axb',
  '[a]',
  'a[b]',
  "a'b",
  'a"b',
  'é',
  'e\u0301',
  '\u{FF5E}',
  '\u{1F600}',
  '\u{1F600}/x',
  'zz',
  'b/b',
  '!',
  '{a}',
  'x-1',
  'x-10',
  'x-2',
  `${'deep/'.repeat(20)}end`,
];

export const WREFS_AT_ONCE = 500;

interface WorldOptions {
  readonly app: TestApp['app'];
  readonly store: Store;
  readonly number: number;
  readonly seed: number;
}

export interface Address {
  readonly orgName: string;
  readonly repoName: string;
}

interface SentOperation {
  readonly sent: Record<string, unknown>;
  readonly fields?: WorldRecord['fields'];
}

export class ReadWorld {
  readonly options: WorldOptions;
  readonly random: Random;
  readonly records: WorldRecord[] = [];
  readonly main: Address;
  readonly other: Address;
  readonly isPublic: boolean;
  readonly elsewhere: string[] = [];
  session!: CallProcedure;
  sessionToken = '';
  repoSeq = 0;
  #writer!: CallProcedure;

  static async start(options: WorldOptions): Promise<ReadWorld> {
    const world = new ReadWorld(options);
    await world.#prepare();
    return world;
  }

  private constructor(options: WorldOptions) {
    this.options = options;
    this.random = new Random(options.seed);
    this.main = { orgName: `ada${options.number}`, repoName: 'main' };
    this.other = { orgName: `ada${options.number}`, repoName: 'other' };
    this.isPublic = this.random.once(2);
  }

  async #prepare(): Promise<void> {
    const { app, store } = this.options;
    const { orgName } = this.main;
    const account = { email: `${orgName}@example.com`, handle: orgName, passwordHash: '-', operator: true };
    const { id } = await store.write.createAccount(account);
    this.sessionToken = (await createSession(store, { accountId: id })).token;
    this.session = caller(app, this.sessionToken);
    const visibility = this.isPublic ? 'public' : 'private';
    (await this.session('repo.create', { orgName, name: 'main', visibility })).data();
    (await this.session('repo.create', { orgName, name: 'other' })).data();
    const scopes = [{ permissions: ['repo:read' as const, 'repo:write' as const] }];
    this.#writer = caller(app, (await this.session('token.create', { name: 'writer', scopes })).data().token);
    await this.#writeElsewhere();
  }

  async #writeElsewhere(): Promise<void> {
    const shape = { kind: 'shape', name: 'Far', data: { fields: { 'n?': 'number' } } };
    const names = ['Far/a', 'Far/b', 'Far/open/c'];
    const operations = [shape, ...names.map((name) => ({ name, data: { n: 1 } }))];
    (await this.session('commit.submit', { ...this.other, operations })).data();
    const revision = [{ operation: 'revise', name: 'Far/a', data: { n: 2 } }];
    (await this.session('commit.submit', { ...this.other, operations: revision })).data();
    const { items } = (await this.session('thing.getMany', { ...this.other, wrefs: names })).data();
    for (const item of items) {
      if (item === null) throw new Error('a record of the other repository is missing');
      this.elsewhere.push(`wh:${this.other.orgName}/${this.other.repoName}/${item.name}`, item.durableId);
    }
  }

  get known(): WorldRecord[] {
    return this.records.filter(({ durableId }) => durableId !== '');
  }

  async commitOften(count: number): Promise<void> {
    await this.#commit(['Alpha', 'Beta', 'alpha'].map((name) => this.#newShape(name)));
    await this.#commit(Array.from({ length: 15 }, () => this.#addRecord()));
    for (let done = 0; done < count; done++) await this.#commit(this.#operations());
  }

  /** Adds more records than a read examines in one step. Half of them are about a few others. */
  async addMany(count: number): Promise<void> {
    const shapes = this.#shapes().filter(({ active }) => active);
    const targets = this.known.filter(({ active }) => active).slice(0, 3);
    const operations = Array.from({ length: count }, (_, number) => {
      const shape = this.random.pick(shapes);
      const about = number % 2 === 0 ? { about: this.random.pick(targets).durableId } : {};
      const sent = { operation: 'add', name: `${shape.local}/wide/${number}`, data: this.#data(shape), ...about };
      return { sent };
    });
    await this.#commit(operations);
  }

  #operations(): SentOperation[] {
    const operations = Array.from({ length: 1 + this.random.below(10) }, () => this.#operation());
    // Renames of shapes go last, because later operations would use old names of the shape's records.
    const isLate = ({ sent }: SentOperation) => sent.operation === 'rename' && sent.kind === 'shape';
    return [...operations.filter((one) => !isLate(one)), ...operations.filter(isLate)];
  }

  #operation(): SentOperation {
    const { random } = this;
    const others = this.known.filter(({ kind }) => kind !== 'shape');
    const dice = random.below(30);
    if (dice < 11) return this.#addRecord();
    if (dice < 14) return this.#addCollection();
    const record = random.pick(others);
    if (dice < 16) return rename(record, `${record.shape?.local}/${this.#newLocal()}`);
    if (dice < 22) return this.#revise(record);
    if (dice < 25) return retract(record);
    const shape = random.pick(this.#shapes());
    if (dice < 27) return this.#reviseShape(shape);
    if (dice === 27) return this.#newShape(random.pick(SHAPE_NAMES));
    if (dice === 28) return rename(shape, random.pick(SHAPE_NAMES));
    return random.once(2) && this.#shapes().length > 3 ? retract(shape) : this.#reviseShape(shape);
  }

  #shapes(): WorldRecord[] {
    return this.records.filter(({ kind, local }) => kind === 'shape' && !isBuiltIn(local));
  }

  #newLocal(): string {
    const local = this.random.pick(LOCALS);
    return this.random.once(2) ? local : `${local}-${this.random.below(60)}`;
  }

  #newShape(name: string): SentOperation {
    const fields = randomFields(this.random);
    const data = { fields: definitionOf(fields), description: `of ${name}` };
    return { sent: { operation: 'add', kind: 'shape', name, data }, fields };
  }

  #reviseShape(shape: WorldRecord): SentOperation {
    const fields = randomFields(this.random);
    const data = { fields: definitionOf(fields) };
    return { sent: { operation: 'revise', kind: 'shape', name: subjectOf(shape), data }, fields };
  }

  #addRecord(): SentOperation {
    const { random } = this;
    const shape = random.pick(this.#shapes().filter(({ active }) => active));
    const name = `${shape.local}/${this.#newLocal()}`;
    const about = random.once(2) && this.known.length > 0 ? { about: this.#target() } : {};
    return { sent: { operation: 'add', name, data: this.#data(shape), ...about } };
  }

  #data(shape: WorldRecord): object {
    return randomData({ random: this.random, target: () => this.#target() }, shape.fields);
  }

  /** Usually one of a few records, so that many records share a target. */
  #target(): string {
    const { random, known } = this;
    if (known.length === 0 || random.once(8)) return random.pick(this.elsewhere);
    const record = random.pick(random.once(2) ? known.slice(0, 12) : known);
    const text = random.once(3) ? record.durableId : record.name;
    return !record.active || random.once(4) ? `${text}@v${1 + random.below(record.versions)}` : text;
  }

  #members(type: CollectionType): string[] {
    const size = type === 'set' || type === 'list' ? this.random.below(4) : 2;
    return Array.from({ length: size }, () => this.#target());
  }

  #addCollection(): SentOperation {
    const { random } = this;
    const type = random.pick(Object.keys(COLLECTIONS) as CollectionType[]);
    const named = random.once(4) ? {} : { name: `${COLLECTIONS[type]}/${this.#newLocal()}` };
    return { sent: { operation: 'add', type, members: this.#members(type), ...named } };
  }

  #revise(record: WorldRecord): SentOperation {
    const name = subjectOf(record);
    if (record.kind !== 'collection' || record.shape === undefined) {
      return { sent: { operation: 'revise', name, data: this.#data(record.shape ?? record) } };
    }
    const type = record.shape.local.toLowerCase() as CollectionType;
    return { sent: { operation: 'revise', name, members: this.#members(type) } };
  }

  async #commit(operations: readonly SentOperation[]): Promise<void> {
    const { random } = this;
    const author = random.once(4) ? this.#writer : this.session;
    const committer = this.known.length > 0 && random.once(3) ? { committer: random.pick(this.known).durableId } : {};
    const input = { ...this.main, operations: operations.map(({ sent }) => sent), atomic: false };
    let answer = await author('commit.submit', { ...input, ...committer });
    if (answer.status !== 200) answer = await author('commit.submit', input);
    const { repoSeq, operations: results } = answer.data();
    this.repoSeq = repoSeq;
    for (const result of results) this.#apply(result, operations[result.opIndex]);
    await this.#learnIdentities();
  }

  #apply(result: OperationResult, { sent, fields }: SentOperation = { sent: {} }): void {
    if (result.status !== 'applied') return;
    const { operation } = result;
    const record = operation === 'add' ? this.#add(result) : this.#find(String(sent.name));
    if (operation === 'rename') record.local = localIn(result);
    if (operation === 'revise' || operation === 'retract') record.versions += 1;
    record.active = operation === 'retract' ? false : operation === 'revise' ? true : record.active;
    if (fields !== undefined) record.fields = fields;
  }

  #find(subject: string): WorldRecord {
    const found = this.records.find(({ durableId, name }) => durableId === subject || name === subject);
    if (found === undefined) throw new Error(`${subject} was changed, and nobody knows it`);
    return found;
  }

  #add(result: OperationResult): WorldRecord {
    const shape = result.kind === 'shape' ? undefined : this.#shapeOf(result.name.split('/')[0] ?? '');
    const record = new WorldRecord({ kind: result.kind, shape, local: localIn(result) });
    this.records.push(record);
    return record;
  }

  /** A built-in shape appears with its first record. */
  #shapeOf(local: string): WorldRecord {
    const known = this.records.find((one) => one.kind === 'shape' && one.local === local);
    if (known !== undefined) return known;
    const made = new WorldRecord({ kind: 'shape', shape: undefined, local });
    this.records.push(made);
    return made;
  }

  async #learnIdentities(): Promise<void> {
    const fresh = this.records.filter(({ durableId }) => durableId === '');
    for (let start = 0; start < fresh.length; start += WREFS_AT_ONCE) {
      const some = fresh.slice(start, start + WREFS_AT_ONCE);
      const asked = { ...this.main, wrefs: some.map(({ name }) => name), includeRetracted: true };
      const { items } = (await this.session('thing.getMany', asked)).data();
      for (const [index, record] of some.entries()) record.durableId = items[index]?.durableId ?? '';
    }
  }
}

const localIn = ({ kind, name }: OperationResult) => (kind === 'shape' ? name : name.slice(name.indexOf('/') + 1));

/** Prefers the durable ID, because a name may pass to another record meanwhile. */
const subjectOf = ({ durableId, name }: WorldRecord) => (durableId === '' ? name : durableId);

const kindOf = ({ kind }: WorldRecord) => (kind === 'shape' ? { kind } : {});

function rename(record: WorldRecord, newName: string): SentOperation {
  return { sent: { operation: 'rename', name: subjectOf(record), ...kindOf(record), newName } };
}

function retract(record: WorldRecord): SentOperation {
  return { sent: { operation: 'retract', name: subjectOf(record), ...kindOf(record), reason: 'wrong' } };
}
