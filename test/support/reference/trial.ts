// Random commits to two repositories that refer to each other, and to an in-memory model of both.
import fc from 'fast-check';
import { expect } from 'vitest';
import type { CallProcedure } from '../procedure.ts';
import { ModelRecord, type ModelRef, ModelRepo } from './model.ts';

const FIELDS = { 'to?': 'wref', 'links?': ['wref'], 'n?': 'number' };

/** An operation, with numbers that select among the existing records. */
interface OperationIntent {
  readonly what: 'add' | 'assert' | 'arc' | 'list' | 'revise' | 'retract' | 'rename' | 'renameShape';
  readonly subject: number;
  readonly targets: readonly number[];
}

export interface CommitIntent {
  readonly isFar: boolean;
  readonly operations: readonly OperationIntent[];
}

const operation: fc.Arbitrary<OperationIntent> = fc.record({
  what: fc.constantFrom('add', 'assert', 'arc', 'list', 'revise', 'revise', 'retract', 'rename', 'renameShape'),
  subject: fc.nat(),
  targets: fc.array(fc.nat(), { minLength: 2, maxLength: 3 }),
});

export const commitIntents: fc.Arbitrary<CommitIntent[]> = fc.array(
  fc.record({ isFar: fc.boolean(), operations: fc.array(operation, { minLength: 1, maxLength: 3 }) }),
  { minLength: 3, maxLength: 10 },
);

type Sent = Record<string, unknown>;

export class ReferenceTrial {
  readonly near: ModelRepo;
  readonly far: ModelRepo;
  readonly #call: CallProcedure;
  #made = 0;

  private constructor(call: CallProcedure, orgName: string) {
    this.#call = call;
    this.near = new ModelRepo({ orgName, repoName: 'near' });
    this.far = new ModelRepo({ orgName, repoName: 'far' });
  }

  static async start(call: CallProcedure, orgName: string): Promise<ReferenceTrial> {
    const trial = new ReferenceTrial(call, orgName);
    (await call('org.create', { name: orgName })).data();
    for (const repo of [trial.near, trial.far]) {
      (await call('repo.create', { orgName, name: repo.address.repoName })).data();
      await trial.#commit(repo, () => [
        ...['Room', 'Note'].map((local) => trial.#shape(repo, local)),
        ...['arc', 'list'].map((type) => trial.#first(repo, type)),
      ]);
    }
    return trial;
  }

  async submit({ isFar, operations }: CommitIntent): Promise<void> {
    const repo = isFar ? this.far : this.near;
    await this.#commit(repo, () =>
      operations.map((one) => this.#write(repo, one)).filter((sent) => sent !== undefined),
    );
  }

  async #commit(repo: ModelRepo, write: () => Sent[]): Promise<void> {
    const operations = write();
    if (operations.length === 0) return;
    const { repoSeq } = (await this.#call('commit.submit', { ...repo.address, operations })).data();
    repo.seq += 1;
    expect(repoSeq, JSON.stringify(operations)).toBe(repo.seq);
    const fresh = repo.records.filter(({ durableId }) => durableId === '');
    if (fresh.length === 0) return;
    const asked = { ...repo.address, wrefs: fresh.map(({ name }) => name), includeRetracted: true };
    const { items } = (await this.#call('thing.getMany', asked)).data();
    for (const [index, record] of fresh.entries()) record.durableId = items[index]?.durableId ?? '';
  }

  #shape(repo: ModelRepo, local: string): Sent {
    this.#add(repo, { kind: 'shape', shape: undefined, about: undefined, local }, []);
    return { operation: 'add', kind: 'shape', name: local, data: { fields: FIELDS } };
  }

  #first(repo: ModelRepo, type: string): Sent {
    const local = type === 'arc' ? 'Arc' : 'List';
    const shape = this.#add(repo, { kind: 'shape', shape: undefined, about: undefined, local }, []);
    const [target] = repo.records;
    if (target === undefined) throw new Error('there is a shape');
    return this.#collection(repo, shape, [target, target]);
  }

  #add(repo: ModelRepo, made: ConstructorParameters<typeof ModelRecord>[1], refs: readonly ModelRef[]): ModelRecord {
    const record = new ModelRecord(repo, made);
    record.versions.push({ seq: repo.nextSeq, active: true, refs });
    repo.records.push(record);
    return record;
  }

  #write(repo: ModelRepo, { what, subject, targets }: OperationIntent): Sent | undefined {
    const records = repo.records.filter(({ kind }) => kind !== 'shape');
    const chosen = records[subject % records.length];
    const known = [this.near, this.far].flatMap((one) => one.records.filter(({ isActive }) => isActive));
    const usable = known.filter(({ durableId }) => durableId !== '');
    const meant = targets.map((number) => usable[number % usable.length] as ModelRecord);
    if (what === 'add' || what === 'assert') return this.#thing(repo, what, meant);
    if (what === 'renameShape') return this.#rename(repo.records[subject % 2]);
    if (what === 'arc' || what === 'list') {
      const shape = repo.records.find(
        ({ kind, name }) => kind === 'shape' && name === (what === 'arc' ? 'Arc' : 'List'),
      );
      return shape && this.#collection(repo, shape, meant);
    }
    if (what === 'rename') return this.#rename(chosen);
    return what === 'revise' ? this.#revise(chosen, meant) : this.#retract(chosen);
  }

  #thing(repo: ModelRepo, what: 'add' | 'assert', [first, ...others]: readonly ModelRecord[]): Sent {
    const { data, refs } = this.#data(repo, others);
    const shape = repo.records[what === 'add' ? 0 : 1];
    const about =
      what === 'assert' && first !== undefined ? referTo(repo, first, { role: 'about', path: '' }) : undefined;
    const kind = about === undefined ? 'thing' : 'assertion';
    const { name } = this.#add(repo, { kind, shape, about, local: `r${++this.#made}` }, refs);
    return { operation: 'add', name, data, ...(about !== undefined && { about: about.text }) };
  }

  #data(repo: ModelRepo, [first, ...others]: readonly ModelRecord[]) {
    const to = first && referTo(repo, first, { role: 'field', path: '/to' });
    const links = others.map((target, at) => referTo(repo, target, { role: 'field', path: `/links/${at}` }));
    const data = { n: ++this.#made, ...(to && { to: to.text }), links: links.map(({ text }) => text) };
    return { data, refs: [...(to === undefined ? [] : [to]), ...links] };
  }

  #collection(repo: ModelRepo, shape: ModelRecord, members: readonly ModelRecord[]): Sent {
    const isArc = shape.names[0]?.local === 'Arc';
    const some = isArc ? members.slice(0, 2) : members;
    const refs = some.map((target, at) => {
      const place = at === 0 ? 'from' : 'to';
      return referTo(
        repo,
        target,
        isArc ? { role: place, path: `/${place}` } : { role: 'items', path: `/items/${at}` },
      );
    });
    const { name } = this.#add(repo, { kind: 'collection', shape, about: undefined, local: `r${++this.#made}` }, refs);
    return { operation: 'add', type: isArc ? 'arc' : 'list', name, members: refs.map(({ text }) => text) };
  }

  #rename(record: ModelRecord | undefined): Sent | undefined {
    if (record === undefined) return undefined;
    const { repo, kind, name } = record;
    const first = String(record.names[0]?.local);
    const isBack = record.localAt(repo.nextSeq) !== first && this.#made % 2 === 0;
    const local = isBack ? first : `R${++this.#made}`;
    record.names.push({ seq: repo.nextSeq, local });
    return { operation: 'rename', name, newName: record.name, ...(kind === 'shape' && { kind }) };
  }

  #revise(record: ModelRecord | undefined, targets: readonly ModelRecord[]): Sent | undefined {
    if (record === undefined || record.kind === 'collection') return undefined;
    const { data, refs } = this.#data(record.repo, targets);
    record.versions.push({ seq: record.repo.nextSeq, active: true, refs });
    return { operation: 'revise', name: record.name, data };
  }

  #retract(record: ModelRecord | undefined): Sent | undefined {
    const last = record?.versions.at(-1);
    if (record === undefined || last === undefined || !last.active) return undefined;
    record.versions.push({ ...last, seq: record.repo.nextSeq, active: false });
    return { operation: 'retract', name: record.name };
  }
}

/** By identity and version, so that the meaning does not depend on where it is written. */
function referTo(from: ModelRepo, target: ModelRecord, place: { role: string; path: string }): ModelRef {
  const version = target.versions.length;
  const name = `${target.name}@v${version}`;
  return { ...place, target, version, text: target.repo === from ? name : target.repo.canonical(name) };
}
