// The references that the present version of a record holds, while the record is revised. Sent back as they were read,
// they mean what they meant, whatever has become of their targets and whoever revises.
import { type DurableIdParts, formatDurableId } from '../../model/durable-id.ts';
import { valueAt } from '../../model/json-pointer.ts';
import { isSameRecord, parseReferences } from '../../model/reference.ts';
import { parseWref } from '../../model/wref.ts';
import type { Head } from '../record-set.sql.ts';
import type { Resolved } from './target-set.sql.ts';

export class HeldReferences {
  readonly #refs: string | null;
  readonly #byPath: ReadonlyMap<string, Resolved>;
  readonly #byText: ReadonlyMap<string, Resolved>;
  readonly #byRecord: ReadonlyMap<string, number>;

  constructor({ data, refs }: Head) {
    this.#refs = refs;
    const before: unknown = refs === null ? undefined : JSON.parse(data);
    const held = parseReferences(refs).map(({ path, ...identity }): [string, Resolved] => {
      const wref = String(valueAt(before, path));
      return [path, { identity, wref, shapeId: undefined, shapeName: shapeNameIn(wref), exact: true }];
    });
    this.#byPath = new Map(held);
    this.#byText = new Map(held.map(([, resolved]) => [resolved.wref, resolved]));
    this.#byRecord = new Map(held.map(([, { identity }]) => [formatDurableId(identity), identity.version]));
  }

  isOf({ refs }: Head): boolean {
    return refs === this.#refs;
  }

  /** Whether a place refers to a record. */
  holds(record: DurableIdParts, path: string): boolean {
    const there = this.#byPath.get(path)?.identity;
    return there !== undefined && isSameRecord(there, record);
  }

  /** The version of a record that is referred to, in this place if it is, else anywhere. */
  versionOf(record: DurableIdParts, path: string): number | undefined {
    const there = this.#byPath.get(path)?.identity;
    if (there !== undefined && isSameRecord(there, record)) return there.version;
    return this.#byRecord.get(formatDurableId(record));
  }

  /**
   * A reference to another repository, by its text. One text may stand for two records, of which the first gave its name
   * up: then the place tells which is meant.
   */
  find(text: string, path: string): Resolved | undefined {
    if (!text.startsWith('wh:')) return undefined;
    const there = this.#byPath.get(path);
    return there?.wref === text ? there : this.#byText.get(text);
  }
}

/** Of a reference to another repository, which is known by its text alone. */
function shapeNameIn(wref: string): string | undefined {
  if (!wref.startsWith('wh:')) return undefined;
  const parsed = parseWref(wref);
  return 'name' in parsed && parsed.name.local !== '' ? parsed.name.shapeName : undefined;
}
