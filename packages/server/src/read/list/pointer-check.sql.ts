// Conditions on fields for who does not see everything: a pointer to a hidden record counts as null, whatever its field is
// declared as by now. Whether one is hidden depends on its target's names, so that it is looked up for those records that
// SQL lets through and that have a pointer in one of the fields.
import type { Grant } from '../../access/grant.rule.ts';
import type { BulkStatement, Reader } from '../../engine/database.ts';
import { valueAt } from '../../model/json-value.ts';
import { parseReferences } from '../../model/reference.ts';
import { findHiddenTargets, type HiddenTargets, type Pointer } from '../hidden-target.sql.ts';
import { VERSION_AT } from '../record-item.sql.ts';
import type { FieldCondition, PointedRecord, RecordFilter } from './list-request.sql.ts';

interface ContentRow {
  readonly data: string;
  readonly refs: string | null;
}

const FIND_CONTENT: BulkStatement = {
  each: `select v.data, v.refs from record r
    join version v on v.repo_id = $1 and v.record_id = r.record_id and ${VERSION_AT}
    where r.repo_id = $1 and r.record_id = $3`,
  set: `select k.ord::int as ord, v.data, v.refs from unnest($3::bigint[]) with ordinality as k (record_id, ord)
    cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id limit 1) as r
    cross join lateral (select * from version v where v.repo_id = $1 and v.record_id = r.record_id
      and ${VERSION_AT} limit 1) as v`,
};

type PointerCondition = Extract<FieldCondition, { type: 'wref' | 'any' }>;

/** Of the others none depends on a pointer: it is no text, no number, and neither true nor false. */
const isOfPointers = (condition: FieldCondition): condition is PointerCondition =>
  condition.type === 'wref' || condition.type === 'any';

export class PointerCheck {
  readonly #grant: Grant;
  readonly #filter: RecordFilter;
  readonly #conditions: readonly PointerCondition[];

  constructor(grant: Grant, filter: RecordFilter) {
    const hides = grant.narrowing !== undefined || filter.follow !== undefined;
    this.#grant = grant;
    this.#filter = filter;
    this.#conditions = hides ? filter.where.filter(isOfPointers) : [];
  }

  /** The fields in which a pointer makes a record one to be looked at; none where SQL decides everything. */
  get pointers(): readonly string[] {
    return this.#conditions.map(({ pointer }) => pointer);
  }

  async keep<Kept extends PossiblyPointing>(reader: Reader, rows: readonly Kept[]): Promise<Kept[]> {
    const pointing = rows.filter(({ pointed }) => pointed);
    if (pointing.length === 0) return [...rows];
    const { atRepoSeq, follow } = this.#filter;
    const contents = await reader.bulk<ContentRow>(FIND_CONTENT, {
      common: [this.#grant.repoId, atRepoSeq],
      rows: pointing.map(({ recordId }) => [recordId]),
    });
    const values = new Map(contents.map(({ ord, ...content }) => [pointing[ord]?.recordId, this.#valuesIn(content)]));
    const targets = [...values.values()].flatMap((some) => some.flatMap(({ target }) => target ?? []));
    const hidden = await findHiddenTargets(reader, this.#grant, { targets, atRepoSeq, follow });
    return rows.filter(({ recordId, pointed }) => !pointed || this.#holds(values.get(recordId) ?? [], hidden));
  }

  /** For each condition, what stands in its field. */
  #valuesIn({ data, refs }: ContentRow): FieldValue[] {
    const parsed: unknown = JSON.parse(data);
    const references = parseReferences(refs);
    return this.#conditions.map(({ pointer }) => {
      const value = valueAt(parsed, pointer) ?? null;
      const reference = references.find(({ path }) => path === pointer);
      return { value, target: reference && { ...reference, wref: String(value) } };
    });
  }

  #holds(values: readonly FieldValue[], hidden: HiddenTargets): boolean {
    return this.#conditions.every((condition, index) => {
      const { value, target } = values[index] ?? { value: null, target: undefined };
      const isHidden = target !== undefined && hidden.has(target);
      return fulfils(condition, isHidden ? { value: null, target: undefined } : { value, target });
    });
  }
}

/** A row that SQL has let through, and whether it has a pointer in one of the fields. */
interface PossiblyPointing {
  readonly recordId: number;
  readonly pointed: boolean;
}

type PlacedPointer = Pointer & { readonly version: number };

interface FieldValue {
  readonly value: unknown;
  readonly target: PlacedPointer | undefined;
}

/** As the condition in SQL says it, of what the caller sees. */
function fulfils(condition: PointerCondition, { value, target }: FieldValue): boolean {
  if (condition.op === 'exists') return (value !== null) === (condition.exists ?? true);
  const equal = target !== undefined && pointedBy(condition).some((meant) => isMeant(meant, target));
  return condition.op === 'ne' ? !equal : equal;
}

const pointedBy = (condition: PointerCondition) => (condition.type === 'wref' ? condition.values : []);

function isMeant({ repoId, recordId, version }: PointedRecord, pointer: PlacedPointer): boolean {
  return repoId === pointer.repoId && recordId === pointer.recordId && (version ?? pointer.version) === pointer.version;
}
