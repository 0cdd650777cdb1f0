// A random world: repositories of three organizations, whose records refer to each other and are renamed, revised and
// retracted. A session writes it over HTTP, and the model records each change.
import type { OperationResult } from '@cairn/protocol/commit';
import type { Store } from '../../../packages/server/src/store.ts';
import { createSession } from '../principal.ts';
import { type CallProcedure, caller } from '../procedure.ts';
import { Random } from '../random.ts';
import type { TestApp } from '../server.ts';
import { addressOf, canonical, type WorldOperation, WorldRecord, type WorldRepository } from './record.ts';

const SHAPE_NAMES = ['Signalx1x', 'Roomx2x', 'Sensorx3x', 'Sigilx4x', 'Planx5x', 'Hallx6x'];
const SEGMENTS = ['open', 'closed', 'open/deep', ''];
const COLLECTIONS = { arc: 'Arc', bond: 'Bond', set: 'Set', list: 'List', pair: 'Pair' } as const;
const FIRST_MARK = 10;

interface SentOperation {
  readonly sent: Record<string, unknown>;
  readonly marks: readonly string[];
}

interface WorldOptions {
  readonly app: TestApp['app'];
  readonly store: Store;
  readonly number: number;
  readonly seed: number;
}

export class World {
  readonly options: WorldOptions;
  readonly random: Random;
  readonly repositories: WorldRepository[];
  session!: CallProcedure;
  sessionToken = '';
  #eve!: CallProcedure;
  #writer!: CallProcedure;
  #marks = FIRST_MARK;

  static async start(options: WorldOptions): Promise<World> {
    const world = new World(options);
    await world.#prepare();
    return world;
  }

  private constructor(options: WorldOptions) {
    this.options = options;
    this.random = new Random(options.seed);
    const repository = (org: string, repoName: string, visibility: WorldRepository['visibility']) => ({
      orgName: `${org}${options.number}`,
      repoName,
      visibility,
      isOwn: true,
      records: [],
      commits: [],
    });
    this.repositories = [
      repository('ada', 'one', 'private'),
      repository('ada', 'two', 'public'),
      repository('acme', 'three', 'private'),
      repository('acme', 'four', 'private'),
      repository('eve', 'den', 'private'),
      repository('eve', 'open', 'public'),
    ];
  }

  get handle(): string {
    return `ada${this.options.number}`;
  }

  get records(): WorldRecord[] {
    return this.repositories.flatMap(({ records }) => records);
  }

  mark(): string {
    return `x${this.#marks++}x`;
  }

  async #prepare(): Promise<void> {
    const { app, store, number } = this.options;
    const signIn = async (handle: string) => {
      const email = `${handle}@example.com`;
      const account = { email, handle, passwordHash: '-', operator: true };
      const { id } = await store.write.createAccount(account);
      return (await createSession(store, { accountId: id })).token;
    };
    this.sessionToken = await signIn(this.handle);
    this.session = caller(app, this.sessionToken);
    this.#eve = caller(app, await signIn(`eve${number}`));
    await this.session('org.create', { name: `acme${number}` });
    const membership = { orgName: `eve${number}`, handle: this.handle, role: 'admin' } as const;
    (await this.#eve('org.addMember', membership)).data();
    for (const { orgName, repoName, visibility } of this.repositories) {
      (await this.session('repo.create', { orgName, name: repoName, visibility })).data();
    }
    const scopes = [{ permissions: ['repo:read' as const, 'repo:write' as const] }];
    const { token } = (await this.session('token.create', { name: 'writer', scopes })).data();
    this.#writer = caller(app, token);
  }

  async leaveOrganization(): Promise<void> {
    const orgName = `eve${this.options.number}`;
    (await this.#eve('org.removeMember', { orgName, handle: this.handle })).data();
    for (const repository of this.repositories) if (repository.orgName === orgName) repository.isOwn = false;
  }

  async commitOften(count: number): Promise<void> {
    for (const repository of this.repositories) {
      if (repository.commits.length === 0) await this.#commit(repository, this.#firstOperations());
    }
    for (let done = 0; done < count; done++) {
      const repository = this.random.pick(this.repositories);
      await this.#commit(repository, this.#operations(repository));
    }
  }

  #firstOperations(): SentOperation[] {
    return this.random.some(SHAPE_NAMES, 3).map((name) => this.#newShape(name, []));
  }

  #operations(repository: WorldRepository): SentOperation[] {
    const count = 1 + this.random.below(5);
    const operations = Array.from({ length: count }, () => this.#operation(repository));
    // Renames of shapes go last. A shape that refers to another by a name just lost would hold a dangling text.
    const isLate = ({ sent }: SentOperation) => sent.operation === 'rename' && sent.kind === 'shape';
    return [...operations.filter((one) => !isLate(one)), ...operations.filter(isLate)];
  }

  #operation(repository: WorldRepository): SentOperation {
    const { random } = this;
    const others = repository.records.filter(({ kind, shape }) => kind !== 'shape' || shape !== undefined);
    const dice = others.length < 4 ? random.below(8) : random.below(24);
    if (dice < 6) return this.#addRecord(repository);
    if (dice < 8) return this.#addCollection(repository);
    const record = random.pick(others);
    if (dice < 13) return this.#rename(record);
    if (dice < 18) return this.#revise(record);
    if (dice < 20) return this.#retract(record);
    const shapes = writableShapes(repository);
    if (dice === 20) return this.#newShape(random.pick(SHAPE_NAMES), shapes);
    const shape = random.pick(shapes);
    if (dice < 23) return rename(shape, random.pick(SHAPE_NAMES));
    return random.once(3) ? this.#retract(shape) : this.#reviseShape(shape, shapes);
  }

  #definition(shapes: readonly WorldRecord[]): { data: object; mark: string } {
    const mark = this.mark();
    const fields = { 'label?': 'string', 'room?': 'wref', 'links?': ['wref'], 'at?': { 'deep?': 'wref' } };
    const asked = shapes.length === 0 || this.random.once(2) ? undefined : this.random.pick(shapes).local;
    const who = asked === undefined ? 'wref' : { type: 'wref', shape: asked };
    return { data: { fields: { ...fields, 'any?': 'json', 'who?': who }, description: mark }, mark };
  }

  #newShape(name: string, shapes: readonly WorldRecord[]): SentOperation {
    const { data, mark } = this.#definition(shapes);
    return { sent: { operation: 'add', kind: 'shape', name, data }, marks: [mark] };
  }

  #reviseShape(shape: WorldRecord, shapes: readonly WorldRecord[]): SentOperation {
    const { data, mark } = this.#definition(shapes);
    return { sent: { operation: 'revise', kind: 'shape', name: shape.local, data }, marks: [mark] };
  }

  #newLocal(): string {
    const segment = this.random.pick(SEGMENTS);
    return segment === '' ? this.mark() : `${segment}/${this.mark()}`;
  }

  #addRecord(repository: WorldRepository): SentOperation {
    const name = `${this.random.pick(writableShapes(repository)).local}/${this.#newLocal()}`;
    const { data, marks } = this.#data(repository);
    const about = this.random.once(2) ? this.#target(repository) : undefined;
    return { sent: { operation: 'add', name, data, ...(about && { about }) }, marks };
  }

  #addCollection(repository: WorldRepository): SentOperation {
    const type = this.random.pick(Object.keys(COLLECTIONS) as (keyof typeof COLLECTIONS)[]);
    const members = [this.#target(repository), this.#target(repository)].flatMap((text) => text ?? []);
    const named = this.random.once(5) ? {} : { name: `${COLLECTIONS[type]}/${this.#newLocal()}` };
    return { sent: { operation: 'add', type, members, ...named }, marks: [] };
  }

  #data(repository: WorldRepository): { data: object; marks: string[] } {
    const marks = [this.mark(), this.mark()];
    const target = () => this.#target(repository);
    const room = this.random.once(2) ? target() : undefined;
    const deep = this.random.once(3) ? target() : undefined;
    const who = this.random.once(6) ? target() : undefined;
    const links = this.random.once(2) ? [target(), target(), target()].flatMap((text) => text ?? []) : undefined;
    return {
      marks,
      data: {
        label: marks[0],
        any: { free: [marks[1]] },
        ...(room && { room }),
        ...(deep && { at: { deep } }),
        ...(who && { who }),
        ...(links && { links }),
      },
    };
  }

  #target(repository: WorldRepository): string | undefined {
    const { random } = this;
    const from = random.once(3) ? random.pick(this.repositories) : repository;
    const known = from.records.filter(({ durableId }) => durableId !== '');
    if (known.length === 0) return undefined;
    const record = random.once(8) ? random.pick(known) : random.pick(known.slice(-25));
    const text = random.once(3) ? record.durableId : from === repository ? record.name : canonical(from, record.name);
    return record.active && !random.once(5) ? text : `${text}@v1`;
  }

  #rename(record: WorldRecord): SentOperation {
    const { random } = this;
    // Sometimes a name that another record gave up.
    const given = record.repo.records.flatMap(({ names }) => names.slice(0, -1).map(({ local }) => local));
    const local = given.length > 0 && random.once(3) ? random.pick(given) : this.#newLocal();
    return rename(record, `${record.shape?.local}/${local}`);
  }

  #revise(record: WorldRecord): SentOperation {
    const name = subjectOf(record);
    if (record.kind !== 'collection') {
      const { data, marks } = this.#data(record.repo);
      return { sent: { operation: 'revise', name, data }, marks };
    }
    const members = [this.#target(record.repo), this.#target(record.repo)].flatMap((text) => text ?? []);
    return { sent: { operation: 'revise', name, members }, marks: [] };
  }

  #retract(record: WorldRecord): SentOperation {
    const reason = this.mark();
    const kind = record.kind === 'shape' ? { kind: 'shape' } : {};
    return { sent: { operation: 'retract', name: subjectOf(record), ...kind, reason }, marks: [reason] };
  }

  async #commit(repository: WorldRepository, operations: readonly SentOperation[]): Promise<void> {
    const { random } = this;
    const [mark, author] = [this.mark(), random.once(4) ? this.#writer : this.session];
    const known = this.records.filter(({ durableId, active }) => durableId !== '' && active);
    const committer = known.length > 0 && random.once(2) ? random.pick(known) : undefined;
    const input = {
      ...addressOf(repository),
      operations: operations.map(({ sent }) => sent),
      message: `about ${mark}`,
      atomic: false,
    };
    const asked = committer && { ...input, committer: committer.durableId };
    let answer = await author('commit.submit', asked ?? input);
    const isRefused = asked !== undefined && answer.status !== 200;
    if (isRefused) answer = await author('commit.submit', input);
    const { repoSeq, commitId, operations: results } = answer.data();
    if (commitId === null) return;
    const done = results.flatMap((result) => this.#apply(repository, { result, sent: operations, seq: repoSeq }));
    await this.#learnIdentities(repository);
    repository.commits.push({
      seq: repoSeq,
      mark,
      committer: isRefused ? undefined : committer,
      operations: done,
    });
  }

  #apply(
    repository: WorldRepository,
    { result, sent, seq }: { result: OperationResult; sent: readonly SentOperation[]; seq: number },
  ): WorldOperation[] {
    if (result.status !== 'applied') return [];
    const { opIndex, operation } = result;
    const { sent: { name: subject } = {}, marks = [] } = sent[opIndex] ?? {};
    const record = operation === 'add' ? this.#add(repository, result, seq) : find(repository, String(subject));
    if (record === undefined) throw new Error(`${subject} was changed, and nobody knows it`);
    if (operation === 'rename') {
      record.names.push({ seq, local: localIn(result) });
      for (const one of repository.records) if (one === record || one.shape === record) one.passingNames.add(one.name);
    }
    if (operation === 'revise' || operation === 'retract') record.versions += 1;
    record.active = operation === 'retract' ? false : operation === 'revise' ? true : record.active;
    for (const mark of marks) record.marks.add(mark);
    return [{ opIndex, record }];
  }

  #add(repository: WorldRepository, result: OperationResult, seq: number): WorldRecord {
    const shape = result.kind === 'shape' ? undefined : this.#shapeOf(repository, result, seq);
    const record = new WorldRecord({ repo: repository, kind: result.kind, shape });
    record.names.push({ seq, local: localIn(result) });
    repository.records.push(record);
    record.passingNames.add(record.name);
    return record;
  }

  /** A built-in shape appears with its first record. */
  #shapeOf(repository: WorldRepository, { name }: OperationResult, seq: number): WorldRecord {
    const [local = ''] = name.split('/');
    const known = repository.records.find((one) => one.kind === 'shape' && one.local === local);
    if (known !== undefined) return known;
    const made = new WorldRecord({ repo: repository, kind: 'shape', shape: undefined });
    made.names.push({ seq, local });
    repository.records.push(made);
    return made;
  }

  async #learnIdentities(repository: WorldRepository): Promise<void> {
    const fresh = repository.records.filter(({ durableId }) => durableId === '');
    if (fresh.length === 0) return;
    const wrefs = fresh.map(({ name }) => name);
    const asked = { ...addressOf(repository), wrefs, includeRetracted: true };
    const { items } = (await this.session('thing.getMany', asked)).data();
    items.forEach((item, index) => {
      const record = fresh[index];
      if (record !== undefined) record.durableId = item?.durableId ?? '';
    });
  }
}

const localIn = ({ kind, name }: OperationResult) => (kind === 'shape' ? name : name.slice(name.indexOf('/') + 1));

const isBuiltIn = (local: string) => (Object.values(COLLECTIONS) as string[]).includes(local);

function writableShapes({ records }: WorldRepository): WorldRecord[] {
  return records.filter(({ kind, local }) => kind === 'shape' && !isBuiltIn(local));
}

/** Prefers the durable ID, because a name may pass to another record meanwhile. */
const subjectOf = ({ durableId, name }: WorldRecord) => (durableId === '' ? name : durableId);

function rename(record: WorldRecord, newName: string): SentOperation {
  const kind = record.kind === 'shape' ? { kind: 'shape' } : {};
  return { sent: { operation: 'rename', name: subjectOf(record), ...kind, newName }, marks: [] };
}

function find({ records }: WorldRepository, subject: string): WorldRecord | undefined {
  return records.find((one) => one.durableId === subject || one.name === subject);
}
