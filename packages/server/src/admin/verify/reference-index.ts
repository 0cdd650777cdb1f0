// The reference index holds what all visible versions refer to, and what assertions are about, at every sequence.

import type { BulkStatement, Reader, Value } from '../../engine/database.ts';
import type { Identity } from '../../model/reference.ts';
import type { Found } from './name.ts';
import {
  identityIn,
  isVisible,
  type RecordRow,
  type RecordStretch,
  type RefRow,
  referencesOf,
  type VersionRow,
} from './row.ts';
import { compareSpans, findOverlaps, type Span, toSpan } from './span.ts';

const referencesSet = (target: string) => `select k.ord::int as ord, r.*
  from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[])
    with ordinality as k (target_repo_id, target_id, role, record_id, path, ord)
  cross join lateral (select * from ref where repo_id = $1 and target_repo_id = ${target}
    and target_id = k.target_id and role = k.role collate "C" and record_id = k.record_id
    and path = k.path collate "C") as r`;

const REFERENCES: BulkStatement = {
  each: `select * from ref where repo_id = $1 and target_repo_id = $2 and target_id = $3 and role = $4 and record_id = $5
    and path = $6`,
  set: referencesSet('k.target_repo_id'),
  shard: { column: 0, set: referencesSet('$7') },
};

export async function referenceIndexDifferences(reader: Reader, stretch: RecordStretch): Promise<Found> {
  const { own, versions, repoId } = stretch;
  const source = own.flatMap((record) => [
    ...aboutSpans(record),
    ...(versions.get(record.record_id) ?? []).filter(isVisible).flatMap((version) => fieldSpans(record, version)),
  ]);
  const keys = new Map(source.map(({ key }) => [JSON.stringify(key), key]));
  const refs = await reader.bulk<RefRow>(REFERENCES, { common: [repoId], rows: [...keys.values()] });
  const rows = refs.map((row) => toSpan(factOf(placeOf(row), identityOf(row)), row));
  const byPlace = Map.groupBy(
    rows,
    (_, index) => `${refs[index]?.record_id} ${refs[index]?.role} ${refs[index]?.path}`,
  );
  const differences = [
    ...refs
      .filter((row) => !isVisible(row))
      .map((row) => `the reference ${factOf(placeOf(row), identityOf(row))} never was`),
    ...findOverlaps('the references', byPlace, stretch.importedSeq),
    ...compareSpans('the reference', { rows, source, after: stretch.importedSeq }),
  ];
  return { differences, rows: refs.length };
}

type ReferenceSpan = Span & { readonly key: readonly Value[] };

interface ReferencePlace {
  readonly recordId: number;
  readonly role: string;
  readonly path: string;
}

const factOf = ({ recordId, role, path }: ReferencePlace, target: Identity) =>
  `from ${recordId} at ${JSON.stringify(path)} (${role}) to ${target.repoId}/${target.recordId}@v${target.version}`;

const placeOf = ({ record_id, role, path }: RefRow) => ({ recordId: record_id, role, path });
const identityOf = ({ target_repo_id, target_id, target_version }: RefRow) => ({
  repoId: target_repo_id,
  recordId: target_id,
  version: target_version,
});

function spanOf(place: ReferencePlace, target: Identity, time: Omit<Span, 'fact'>): ReferenceSpan {
  const key = [target.repoId, target.recordId, place.role, place.recordId, place.path];
  return { fact: factOf(place, target), ...time, key };
}

/** What an assertion is about never changes, not even when it is retracted. */
function aboutSpans({ record_id, about, created_seq }: RecordRow): ReferenceSpan[] {
  const target = identityIn(about);
  if (target === undefined) return [];
  const place = { recordId: record_id, role: 'about', path: '' };
  return [spanOf(place, target, { from: created_seq, to: null })];
}

function fieldSpans({ record_id, kind }: RecordRow, version: VersionRow): ReferenceSpan[] {
  const time = { from: version.from_seq, to: version.to_seq };
  return referencesOf(version).map(({ path, ...target }) => {
    const role = (kind === 'collection' ? path.split('/')[1] : 'field') ?? '';
    return spanOf({ recordId: record_id, role, path }, target, time);
  });
}
