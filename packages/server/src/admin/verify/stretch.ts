// Reads a repository in batches of records or commits, each with the rows that are needed to check it.

import type { DurableIdParts, Identity } from '@cairn/model/wref';
import type { BulkStatement, Reader } from '../../engine/database.ts';
import { findByKey } from '../../engine/lookup.ts';
import {
  type CommitRow,
  type CommitStretch,
  identityIn,
  type Moment,
  momentOf,
  type NamedRecords,
  type RecordRow,
  type RecordStretch,
  type RenameRow,
  referencesOf,
  type ShapeFieldRow,
  type VersionRow,
  versionKey,
} from './row.ts';
import { type Entry, entriesOf } from './verify.ts';

const RECORDS_A_STRETCH = 500;
const VERSIONS_A_STRETCH = 2_000;
const COMMITS_A_STRETCH = 500;
const ENTRIES_A_STRETCH = 5_000;

const RECORDS = findByKey('record', '*', ['record_id'], '');
const RENAMES = findByKey('rename', '*', ['record_id'], '');
const MOMENTS = findByKey('version', 'record_id, version, from_seq, op_index', ['record_id', 'version'], '');
const MADE = findByKey(
  'version',
  'record_id, version, from_seq, to_seq, op_index, operation, active, shape_version, reason, data_hash, refs, crc',
  ['record_id', 'version'],
  '',
);

const lastElsewhereSet = (repo: string) => `select k.ord::int as ord, r.*
  from unnest($1::bigint[], $2::bigint[]) with ordinality as k (repo_id, record_id, ord)
  cross join lateral (select repo_id, record_id, version from record where repo_id = ${repo}
    and record_id = k.record_id) as r`;

const LAST_ELSEWHERE: BulkStatement = {
  each: 'select repo_id, record_id, version from record where repo_id = $1 and record_id = $2',
  set: lastElsewhereSet('k.repo_id'),
  shard: { column: 0, set: lastElsewhereSet('$3') },
};

type StretchBounds = Pick<NamedRecords, 'repoId' | 'importedSeq'>;

/** The rows of all shapes, which any part of the repository may need. */
export interface StretchSource extends StretchBounds {
  readonly reader: Reader;
  readonly shapes: readonly RecordRow[];
  readonly shapeVersions: readonly VersionRow[];
  readonly shapeRenames: readonly RenameRow[];
  readonly shapeFields: readonly ShapeFieldRow[];
}

export async function openStretches(reader: Reader, bounds: StretchBounds): Promise<StretchSource> {
  const { repoId } = bounds;
  const ofShapes = <Row>(table: string, order: string) =>
    reader.query<Row>(
      `select t.* from record r join ${table} t on t.repo_id = r.repo_id and t.record_id = r.record_id
       where r.repo_id = $1 and r.shape_id = 0 order by ${order}`,
      [repoId],
    );
  const fields = 'select * from shape_field where repo_id = $1 order by shape_id, field_id';
  return {
    ...bounds,
    reader,
    shapes: await ofShapes<RecordRow>('record', 't.record_id'),
    shapeVersions: await ofShapes<VersionRow>('version', 't.record_id, t.version'),
    shapeRenames: await ofShapes<RenameRow>('rename', 't.record_id, t.repo_seq, t.op_index'),
    shapeFields: await reader.query<ShapeFieldRow>(fields, [repoId]),
  };
}

export async function* recordStretches(source: StretchSource): AsyncGenerator<RecordStretch> {
  for (let after = -1; ; ) {
    const found = await source.reader.query<RecordRow>(
      `select * from record where repo_id = $1 and record_id > $2 order by record_id limit ${RECORDS_A_STRETCH}`,
      [source.repoId, after],
    );
    const own = firstWithin(found, VERSIONS_A_STRETCH, ({ version }) => version);
    const isLast = found.length < RECORDS_A_STRETCH && own.length === found.length;
    const to = isLast ? Number.MAX_SAFE_INTEGER : (own.at(-1)?.record_id ?? 0);
    yield await recordStretch(source, own, { after, to });
    if (isLast) return;
    after = to;
  }
}

async function recordStretch(
  source: StretchSource,
  own: RecordRow[],
  { after, to }: { after: number; to: number },
): Promise<RecordStretch> {
  const { reader, repoId, shapes, shapeVersions, shapeFields } = source;
  const between = <Row>(table: string, order: string) =>
    reader.query<Row>(
      `select * from ${table} where repo_id = $1 and record_id > $2 and record_id <= $3 order by ${order}`,
      [repoId, after, to],
    );
  const versions = await between<VersionRow>('version', 'record_id, version');
  const identities = [...own.flatMap(({ about }) => identityIn(about) ?? []), ...versions.flatMap(referencesOf)];
  const renames = await between<RenameRow>('rename', 'record_id, repo_seq, op_index');
  const named = await namedRecords(source, identities, { records: own, renames });
  return {
    ...named,
    own,
    versions: grouped([...shapeVersions, ...versions.filter(isNotOf(shapes))]),
    shapeFields,
  };
}

export async function* commitStretches(source: StretchSource): AsyncGenerator<CommitStretch> {
  for (let previous: CommitRow | undefined; ; ) {
    const found: CommitRow[] = await source.reader.query<CommitRow>(
      `select * from "commit" where repo_id = $1 and repo_seq > $2 order by repo_seq limit ${COMMITS_A_STRETCH}`,
      [source.repoId, previous?.repo_seq ?? -1],
    );
    if (found.length === 0) return;
    const commits = firstWithin(found, ENTRIES_A_STRETCH, ({ operation_count }) => operation_count);
    yield await commitStretch(source, commits, previous);
    previous = commits.at(-1);
  }
}

async function commitStretch(
  source: StretchSource,
  commits: CommitRow[],
  previous: CommitRow | undefined,
): Promise<CommitStretch> {
  const { reader, repoId } = source;
  const entries: Entry[] = commits.flatMap(entriesOf);
  const committers = commits.flatMap(({ committer_identity }) => identityIn(committer_identity) ?? []);
  const made = await reader.bulk<VersionRow>(MADE, {
    common: [repoId],
    rows: entries.map(([, recordId, version]) => [recordId, version]),
  });
  const ids = entries.map(([, recordId, version]) => ({ repoId, recordId, version }));
  const named = await namedRecords(source, [...ids, ...committers], { records: [], renames: [] });
  return {
    ...named,
    commits,
    previous,
    made: new Map(made.map((row) => [versionKey(row.record_id, row.version), row])),
  };
}

async function namedRecords(
  source: StretchSource,
  identities: readonly Identity[],
  known: { readonly records: readonly RecordRow[]; readonly renames: readonly RenameRow[] },
): Promise<NamedRecords> {
  const { reader, repoId, importedSeq, shapes } = source;
  const records = new Map([...shapes, ...known.records].map((record) => [record.record_id, record]));
  const [within, beyond] = [identities.filter(isOf(repoId)), identities.filter((one) => !isOf(repoId)(one))];
  const missing = distinct(within.map(({ recordId }) => recordId).filter((recordId) => !records.has(recordId)));
  const common = [repoId];
  for (const record of await reader.bulk<RecordRow>(RECORDS, { common, rows: missing.map((id) => [id]) })) {
    records.set(record.record_id, record);
  }
  const theirs = await reader.bulk<RenameRow>(RENAMES, { common, rows: missing.map((id) => [id]) });
  const renames = [...source.shapeRenames, ...known.renames.filter(isNotOf(shapes)), ...theirs];
  return {
    repoId,
    importedSeq,
    records,
    renames: grouped(renames.toSorted((a, b) => a.repo_seq - b.repo_seq || a.op_index - b.op_index)),
    moments: await findMoments(source, within),
    elsewhere: await findElsewhere(reader, beyond),
  };
}

async function findMoments(
  { reader, repoId }: StretchSource,
  identities: readonly Identity[],
): Promise<Map<string, Moment>> {
  const keys = new Map(identities.map(({ recordId, version }) => [versionKey(recordId, version), [recordId, version]]));
  const rows = await reader.bulk<VersionRow>(MOMENTS, { common: [repoId], rows: [...keys.values()] });
  return new Map(rows.map((row) => [versionKey(row.record_id, row.version), momentOf(row)]));
}

async function findElsewhere(reader: Reader, identities: readonly DurableIdParts[]): Promise<Map<string, number>> {
  const keys = new Map(identities.map(({ repoId, recordId }) => [`${repoId}/${recordId}`, [repoId, recordId]]));
  const rows = await reader.bulk<{ repo_id: number; record_id: number; version: number }>(LAST_ELSEWHERE, {
    common: [],
    rows: [...keys.values()],
  });
  return new Map(rows.map(({ repo_id, record_id, version }) => [`${repo_id}/${record_id}`, version]));
}

const isOf = (repoId: number) => (identity: DurableIdParts) => identity.repoId === repoId;

function isNotOf(records: readonly RecordRow[]) {
  const ids = new Set(records.map(({ record_id }) => record_id));
  return ({ record_id }: { readonly record_id: number }) => !ids.has(record_id);
}

const distinct = (ids: readonly number[]) => [...new Set(ids)];

const grouped = <Row extends { readonly record_id: number }>(rows: readonly Row[]) =>
  Map.groupBy(rows, ({ record_id }) => record_id);

function firstWithin<Row>(rows: readonly Row[], most: number, weigh: (row: Row) => number): Row[] {
  let sum = 0;
  const beyond = rows.findIndex((row, index) => {
    sum += weigh(row);
    return index > 0 && sum > most;
  });
  return beyond === -1 ? [...rows] : rows.slice(0, beyond);
}

/** Two sets of spans are equal if they agree at every sequence, however they are divided into rows. */
export interface Span {
  readonly fact: string;
  readonly from: number;
  /** The first sequence at which it no longer held; `null` while it still holds. */
  readonly to: number | null;
}

export function toSpan(fact: string, { from_seq, to_seq }: { from_seq: number; to_seq: number | null }): Span {
  return { fact, from: from_seq, to: to_seq };
}

export function compareSpans(title: string, rows: readonly Span[], source: readonly Span[], after: number): string[] {
  const [told, true_] = [timesOf(since(after, rows)), timesOf(since(after, source))];
  const facts = [...new Set([...told.keys(), ...true_.keys()])].sort();
  return facts.flatMap((fact) => {
    const [row, should] = [told.get(fact) ?? 'never', true_.get(fact) ?? 'never'];
    return row === should ? [] : [`${title} ${fact}: the rows say ${row}, but it was ${should}`];
  });
}

export function findOverlaps(title: string, groups: ReadonlyMap<unknown, readonly Span[]>, after: number): string[] {
  return [...groups.values()].flatMap((spans) => {
    const sorted = inOrder(since(after, spans));
    return sorted.flatMap((span, index) => {
      const next = sorted[index + 1];
      if (next === undefined || (span.to !== null && span.to <= next.from)) return [];
      return [`${title} ${span.fact} (${show(span)}) and ${next.fact} (${show(next)}) overlap`];
    });
  });
}

function since(seq: number, spans: readonly Span[]): readonly Span[] {
  if (seq === 0) return spans;
  return spans.flatMap((span) =>
    span.to !== null && span.to <= seq ? [] : [{ ...span, from: Math.max(span.from, seq) }],
  );
}

function timesOf(spans: Iterable<Span>): Map<string, string> {
  const times = new Map<string, string>();
  for (const [fact, some] of Map.groupBy(spans, (span) => span.fact)) {
    times.set(fact, mergeSpans(inOrder(some)).map(show).join(', '));
  }
  return times;
}

function mergeSpans(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (last !== undefined && last.to === span.from) result[result.length - 1] = { ...last, to: span.to };
    else result.push(span);
  }
  return result;
}

const inOrder = (spans: readonly Span[]) => spans.toSorted((a, b) => a.from - b.from);
const show = ({ from, to }: Span) => (to === null ? `from ${from}` : `from ${from} until ${to}`);
