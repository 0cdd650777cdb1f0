// Names: the rows of `name`, the names in `record` and the rows of `rename` tell one story.

import type { BulkStatement, Reader } from '../../engine/database.ts';
import { isSooner, type Moment } from './moment.ts';
import type { NamedRecords, NameRow, RecordRow, RecordStretch, RenameRow } from './row.ts';
import { compareSpans, findOverlaps, type Span, toSpan } from './span.ts';

/** What records were called at any moment, by their renames alone. */
export class NameHistory {
  readonly #rows: NamedRecords;

  constructor(rows: NamedRecords) {
    this.#rows = rows;
  }

  /** `Shape/name`, or a shape's bare name, after everything that happened until the moment. */
  fullNameAt(recordId: number, moment: Moment): string {
    const record = this.#rows.records.get(recordId);
    if (record === undefined) return `no record ${recordId}`;
    const name = this.nameAt(record, moment);
    return record.shape_id === 0 ? name : `${this.fullNameAt(record.shape_id, moment)}/${name}`;
  }

  /** The name under its shape. */
  nameAt({ record_id, name }: RecordRow, moment: Moment): string {
    const renames = this.#rows.renames.get(record_id) ?? [];
    const last = renames.findLast(({ repo_seq, op_index }) => !isSooner(moment, { seq: repo_seq, op: op_index }));
    return last?.new_name ?? renames[0]?.old_name ?? name;
  }
}

export interface Found {
  readonly differences: readonly string[];
  /** How many rows of the index belong to the stretch. */
  readonly rows: number;
}

const UNDER_NAME: BulkStatement = {
  each: 'select * from name where repo_id = $1 and shape_id = $2 and name = $3',
  set: `select k.ord::int as ord, n.* from unnest($2::bigint[], $3::text[]) with ordinality as k (shape_id, name, ord)
    cross join lateral (select * from name where repo_id = $1 and shape_id = k.shape_id
      and name = k.name collate "C") as n`,
};

/** The names of records in the table that finds records by them. */
export async function nameDifferences(reader: Reader, stretch: RecordStretch, names: NameHistory): Promise<Found> {
  const { own, repoId, renames } = stretch;
  const source = own.flatMap((record) => spansOf(record, stretch, names));
  const keys = new Map(source.map(({ shape_id, name }) => [`${shape_id}/${name}`, [shape_id, name]]));
  const rows = await reader.bulk<NameRow>(UNDER_NAME, { common: [repoId], rows: [...keys.values()] });
  const byName = Map.groupBy(rows, ({ shape_id, name }) => `${shape_id}/${name}`);
  const ids = new Set(own.map(({ record_id }) => record_id));
  const theirs = rows.filter(({ record_id }) => ids.has(record_id));
  const byRecord = Map.groupBy(theirs, ({ record_id }) => record_id);
  const differences = [
    ...own.flatMap((record) => renameDifferences(record, renames.get(record.record_id) ?? [])),
    ...findOverlaps('two bearers:', spansIn(byName), stretch.importedSeq),
    ...findOverlaps('two names:', spansIn(byRecord), stretch.importedSeq),
    ...compareSpans('the name', { rows: theirs.map(spanOf), source, after: stretch.importedSeq }),
  ];
  return { differences, rows: theirs.length };
}

const spanOf = (row: NameRow): Span => toSpan(factOf(row), row);
const spansIn = (groups: ReadonlyMap<unknown, readonly NameRow[]>) =>
  new Map([...groups].map(([key, rows]) => [key, rows.map(spanOf)]));

type NameSpan = Span & Pick<NameRow, 'shape_id' | 'name'>;

interface NameFact {
  readonly record_id: number;
  readonly shape_id: number;
  readonly name: string;
}

const factOf = ({ record_id, shape_id, name }: NameFact) =>
  `${JSON.stringify(name)} under shape ${shape_id} of record ${record_id}`;

/** From the commit that made the record, one name after the other; what changed within a commit was never seen. */
function spansOf(record: RecordRow, stretch: RecordStretch, names: NameHistory): NameSpan[] {
  const { record_id, shape_id, created_seq } = record;
  const renamed = (stretch.renames.get(record_id) ?? []).map(({ repo_seq }) => repo_seq);
  const sequences = [...new Set([created_seq, ...renamed])];
  return sequences.map((seq, index) => {
    const name = names.nameAt(record, { seq, op: Number.POSITIVE_INFINITY });
    const fact = factOf({ record_id, shape_id, name });
    return { fact, from: seq, to: sequences[index + 1] ?? null, shape_id, name };
  });
}

/** Each rename takes away the name that the one before gave; the last one gave the present name. */
function renameDifferences({ record_id, name, created_seq }: RecordRow, renames: readonly RenameRow[]): string[] {
  const [first] = renames;
  if (first === undefined) return [];
  const differences = renames.flatMap(({ repo_seq, old_name, new_name }, index) => {
    const next = renames[index + 1]?.old_name ?? name;
    const place = `the rename of record ${record_id} in commit ${repo_seq}`;
    return [
      ...(next === new_name ? [] : [`${place} gave ${new_name}, and later it was ${next}`]),
      ...(old_name === new_name ? [`${place} changes nothing`] : []),
    ];
  });
  return first.repo_seq < created_seq ? [...differences, `record ${record_id} was renamed before it was`] : differences;
}
