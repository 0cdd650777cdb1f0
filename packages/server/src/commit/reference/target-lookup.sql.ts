// Loads the stored records that a commit could refer to, in a fixed number of reads before the first operation.

import { type DurableIdParts, listSpellings, type RecordName } from '@cairn/model/wref';
import type { Reader } from '../../engine/database.ts';
import type { NamedRow } from '../../read/hidden-target.sql.ts';
import type { RecordAddress } from '../record-set.sql.ts';
import {
  FIND_FOREIGN_NAMED_TARGETS,
  FIND_FOREIGN_TARGETS_BY_ID,
  FIND_NAMED_TARGETS,
  FIND_TARGETS_BY_ID,
} from '../statement.sql.ts';

export class TargetLookup {
  readonly repoId: number;
  /** `null` for a name that is not taken. */
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
