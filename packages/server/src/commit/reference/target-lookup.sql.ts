// Loads the stored records that a commit could refer to, before the first operation and in a fixed number of reads.
// target-set.sql.ts adds the commit's own changes.

import type { DurableIdParts } from '@cairn/model/durable-id';
import { listSpellings, type RecordName } from '@cairn/model/record-name';
import type { BulkStatement, Reader } from '../../engine/database.ts';
import type { NamedRow } from '../../read/hidden-target.sql.ts';
import type { RecordAddress } from '../record-set.sql.ts';
import { lastName } from '../statement.sql.ts';

export class TargetLookup {
  readonly repoId: number;
  /** By repository, shape and name; null for a name that is not taken. */
  readonly #named = new Map<string, TargetRow | null>();
  readonly #byId = new Map<string, TargetRow | null>();
  readonly #shapeNames = new Map<number, string>();

  constructor(repoId: number) {
    this.repoId = repoId;
  }

  find(address: RecordAddress, repoId = this.repoId): TargetRow | undefined {
    return this.#named.get(nameKey(repoId, address)) ?? undefined;
  }

  findById({ repoId, recordId }: DurableIdParts): TargetRow | undefined {
    return this.#byId.get(idKey(repoId, recordId)) ?? undefined;
  }

  *asked(): Iterable<string> {
    yield* this.#named.keys();
    yield* this.#byId.keys();
  }

  findNameOf(shapeId: number): string | undefined {
    return this.#shapeNames.get(shapeId);
  }

  findForeign({ repoId, name }: { repoId: number; name: RecordName }): TargetRow | undefined {
    const shape = this.find({ shapeId: 0, local: name.shapeName }, repoId);
    if (name.local === '' || shape === undefined) return shape;
    for (const local of listSpellings(name.local)) {
      const found = this.find({ shapeId: shape.record_id, local }, repoId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async loadNamed(reader: Reader, addresses: Iterable<RecordAddress>): Promise<void> {
    const wanted = fresh(this.#named, spelled(addresses), (address) => nameKey(this.repoId, address));
    const rows = wanted.map(({ item }) => [item.shapeId, item.local]);
    const found = await reader.bulk<TargetRow>(FIND_NAMED_TARGETS, { common: [this.repoId], rows });
    this.#keep(this.#named, wanted, found);
    for (const { record_id, shape_id, name } of found) if (shape_id === 0) this.#shapeNames.set(record_id, name);
  }

  async loadByIds(reader: Reader, recordIds: Iterable<number>): Promise<void> {
    const wanted = fresh(this.#byId, recordIds, (recordId) => idKey(this.repoId, recordId));
    const rows = wanted.map(({ item }) => [item]);
    this.#keep(this.#byId, wanted, await reader.bulk<TargetRow>(FIND_TARGETS_BY_ID, { common: [this.repoId], rows }));
  }

  /** Loads shapes first, because record names are relative to them. */
  async loadForeign(reader: Reader, names: readonly { repoId: number; name: RecordName }[]): Promise<void> {
    const shapes = names.map(({ repoId, name }) => ({ repoId, shapeId: 0, local: name.shapeName }));
    await this.#loadForeignNamed(reader, shapes);
    const records = names.flatMap(({ repoId, name }) => {
      const shape = this.find({ shapeId: 0, local: name.shapeName }, repoId);
      return shape === undefined || name.local === '' ? [] : [{ repoId, shapeId: shape.record_id, local: name.local }];
    });
    await this.#loadForeignNamed(reader, records);
  }

  async #loadForeignNamed(reader: Reader, addresses: readonly (RecordAddress & { repoId: number })[]): Promise<void> {
    const wanted = fresh(this.#named, spelled(addresses), (address) => nameKey(address.repoId, address));
    const rows = wanted.map(({ item }) => [item.repoId, item.shapeId, item.local]);
    this.#keep(this.#named, wanted, await reader.bulk<TargetRow>(FIND_FOREIGN_NAMED_TARGETS, { common: [], rows }));
  }

  async loadForeignByIds(reader: Reader, ids: readonly DurableIdParts[]): Promise<void> {
    const wanted = fresh(this.#byId, ids, ({ repoId, recordId }) => idKey(repoId, recordId));
    const rows = wanted.map(({ item }) => [item.repoId, item.recordId]);
    this.#keep(this.#byId, wanted, await reader.bulk<TargetRow>(FIND_FOREIGN_TARGETS_BY_ID, { common: [], rows }));
  }

  #keep(
    known: Map<string, TargetRow | null>,
    wanted: readonly { key: string }[],
    rows: readonly (TargetRow & { ord: number })[],
  ): void {
    for (const { key } of wanted) known.set(key, null);
    for (const row of rows) known.set(wanted[row.ord]?.key ?? '', row);
  }
}

function* spelled<Address extends RecordAddress>(addresses: Iterable<Address>): Iterable<Address> {
  for (const address of addresses) for (const local of listSpellings(address.local)) yield { ...address, local };
}

function fresh<Item>(known: ReadonlyMap<string, unknown>, items: Iterable<Item>, keyOf: (item: Item) => string) {
  const wanted = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    if (!known.has(key)) wanted.set(key, item);
  }
  return [...wanted].map(([key, item]) => ({ key, item }));
}

// Names contain no space, so the key is unambiguous.
export const nameKey = (repoId: number, { shapeId, local }: RecordAddress) => `${repoId} ${shapeId} ${local}`;
export const idKey = (repoId: number, recordId: number) => `${repoId} ${recordId}`;

export interface TargetRow extends Omit<NamedRow, 'name_now' | 'shape_name_now'> {
  readonly version: number;
  readonly active: number;
}

// The statements find records by name or id, without data. Each has one form for the commit's own repository and one
// for several repositories, which takes the repository with each row.
const TARGET = 'r.record_id, r.kind, r.shape_id, r.name, s.name as shape_name, r.version, r.active';
const SHAPE = (repo: string) => `left join record s on s.repo_id = ${repo} and s.record_id = r.shape_id`;

/** Hides a repository from others until its import is complete. */
const isImported = (repo: string) => `not exists (select 1 from repo_sequence
  where repo_id = ${repo} and importing is not null)`;

const NAMED_EACH = `select ${TARGET} from ${lastName('$1', '$2', '$3')} n
  join record r on r.repo_id = $1 and r.record_id = n.record_id ${SHAPE('$1')} where n.to_seq is null`;

// `lateral` and `limit 1` make each step an index lookup: see commit/statement.sql.ts.
const NAMED_STEPS = (repo: string) => `
  cross join lateral ${lastName(repo, 'k.shape_id', 'k.name collate "C"')} as n
  cross join lateral (select * from record where repo_id = ${repo} and record_id = n.record_id limit 1) as r
  ${SHAPE(repo)} where n.to_seq is null`;

const FIND_NAMED_TARGETS: BulkStatement = {
  each: NAMED_EACH,
  set: `select k.ord::int as ord, ${TARGET}
    from unnest($2::bigint[], $3::text[]) with ordinality as k (shape_id, name, ord) ${NAMED_STEPS('$1')}`,
};

const foreignNamedSet = (repo: string) => `select k.ord::int as ord, ${TARGET}
  from unnest($1::bigint[], $2::bigint[], $3::text[]) with ordinality as k (repo_id, shape_id, name, ord)
  ${NAMED_STEPS(repo)} and ${isImported(repo)}`;

const FIND_FOREIGN_NAMED_TARGETS: BulkStatement = {
  each: `${NAMED_EACH} and ${isImported('$1')}`,
  set: foreignNamedSet('k.repo_id'),
  shard: { column: 0, set: foreignNamedSet('$4') },
};

const BY_ID_EACH = `select ${TARGET} from record r ${SHAPE('$1')} where r.repo_id = $1 and r.record_id = $2`;
const BY_ID_STEPS = (repo: string) => `
  cross join lateral (select * from record where repo_id = ${repo} and record_id = k.record_id limit 1) as r
  ${SHAPE(repo)}`;

const FIND_TARGETS_BY_ID: BulkStatement = {
  each: BY_ID_EACH,
  set: `select k.ord::int as ord, ${TARGET}
    from unnest($2::bigint[]) with ordinality as k (record_id, ord) ${BY_ID_STEPS('$1')}`,
};

const foreignByIdSet = (repo: string) => `select k.ord::int as ord, ${TARGET}
  from unnest($1::bigint[], $2::bigint[]) with ordinality as k (repo_id, record_id, ord) ${BY_ID_STEPS(repo)}
  where ${isImported(repo)}`;

export const FIND_FOREIGN_TARGETS_BY_ID: BulkStatement = {
  each: `${BY_ID_EACH} and ${isImported('$1')}`,
  set: foreignByIdSet('k.repo_id'),
  shard: { column: 0, set: foreignByIdSet('$3') },
};
