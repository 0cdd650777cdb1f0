// The reference index holds what all visible versions refer to, and what assertions are about, at every sequence.
import { type Identity, parseIdentity } from '../../../packages/server/src/model/reference.ts';
import { isVisible, type RecordRow, type RefRow, type RepositoryRows, referencesOf, type VersionRow } from './row.ts';
import { compareSpans, findOverlaps, type Span, toSpan } from './span.ts';

export function referenceIndexDifferences({ refs, records, versions }: RepositoryRows): string[] {
  const rows = refs.map((row) => toSpan(factOf(placeOf(row), identityOf(row)), row));
  const byPlace = Map.groupBy(
    rows,
    (_, index) => `${refs[index]?.record_id} ${refs[index]?.role} ${refs[index]?.path}`,
  );
  const source = [...records.values()].flatMap((record) => [
    ...aboutSpans(record),
    ...(versions.get(record.record_id) ?? []).filter(isVisible).flatMap((version) => fieldSpans(record, version)),
  ]);
  return [
    ...refs
      .filter((row) => !isVisible(row))
      .map((row) => `the reference ${factOf(placeOf(row), identityOf(row))} never was`),
    ...findOverlaps('the references', byPlace),
    ...compareSpans('the reference', { rows, source }),
  ];
}

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

/** What an assertion is about never changes, not even when it is retracted. */
function aboutSpans({ record_id, about, created_seq }: RecordRow): Span[] {
  if (about === null) return [];
  const place = { recordId: record_id, role: 'about', path: '' };
  return [{ fact: factOf(place, parseIdentity(about)), from: created_seq, to: null }];
}

function fieldSpans({ record_id, kind }: RecordRow, version: VersionRow): Span[] {
  return referencesOf(version).map(({ path, ...target }) => {
    const role = kind === 'collection' ? path.split('/')[1] : 'field';
    return toSpan(factOf({ recordId: record_id, role: role ?? '', path }, target), version);
  });
}
