// Names: the rows of `name`, the names in `record` and the rows of `rename` tell one story.
import { isSooner, type Moment } from './moment.ts';
import type { RecordRow, RenameRow, RepositoryRows } from './row.ts';
import { compareSpans, findOverlaps, type Span, toSpan } from './span.ts';

/** What records were called at any moment, by their renames alone. */
export class NameHistory {
  readonly #rows: RepositoryRows;

  constructor(rows: RepositoryRows) {
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

export function nameDifferences(rows: RepositoryRows, names: NameHistory): string[] {
  const records = [...rows.records.values()];
  const spans = rows.names.map((row) => toSpan(factOf(row), row));
  const byName = Map.groupBy(spans, (_, index) => `${rows.names[index]?.shape_id}/${rows.names[index]?.name}`);
  const byRecord = Map.groupBy(spans, (_, index) => rows.names[index]?.record_id);
  const source = records.flatMap((record) => spansOf(record, rows, names));
  return [
    ...records.flatMap((record) => renameDifferences(record, rows.renames.get(record.record_id) ?? [])),
    ...[...rows.renames.keys()].filter((id) => !rows.records.has(id)).map((id) => `a rename of no record ${id}`),
    ...findOverlaps('two bearers:', byName),
    ...findOverlaps('two names:', byRecord),
    ...compareSpans('the name', { rows: spans, source }),
  ];
}

interface NameFact {
  readonly record_id: number;
  readonly shape_id: number;
  readonly name: string;
}

const factOf = ({ record_id, shape_id, name }: NameFact) =>
  `${JSON.stringify(name)} under shape ${shape_id} of record ${record_id}`;

/** From the commit that made the record, one name after the other; what changed within a commit was never seen. */
function spansOf(record: RecordRow, rows: RepositoryRows, names: NameHistory): Span[] {
  const { record_id, shape_id, created_seq } = record;
  const renamed = (rows.renames.get(record_id) ?? []).map(({ repo_seq }) => repo_seq);
  const sequences = [...new Set([created_seq, ...renamed])];
  return sequences.map((seq, index) => {
    const name = names.nameAt(record, { seq, op: Number.POSITIVE_INFINITY });
    return { fact: factOf({ record_id, shape_id, name }), from: seq, to: sequences[index + 1] ?? null };
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
