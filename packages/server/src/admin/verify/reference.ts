// Checks that the text of each reference names the record of its identity, with the name of that moment.

import { valueAt } from '@cairn/model/json';
import { pointerTo } from '@cairn/model/json-pointer';
import type { Identity } from '@cairn/model/wref';
import type { BulkStatement, Reader, Value } from '../../engine/database.ts';
import { type FoundFieldRows, fullNameAt } from './field.ts';
import {
  type CommitStretch,
  identityIn,
  isPurged,
  isSooner,
  isVisible,
  type Moment,
  momentOf,
  type NamedRecords,
  parsed,
  type RecordRow,
  type RecordStretch,
  type RefRow,
  referencesOf,
  type VersionRow,
  versionKey,
} from './row.ts';
import { compareSpans, findOverlaps, type Span, toSpan } from './stretch.ts';

export function referenceDifferences(stretch: RecordStretch): string[] {
  return stretch.own.flatMap((record) => [
    ...(stretch.versions.get(record.record_id) ?? [])
      .filter(({ from_seq }) => from_seq > stretch.importedSeq)
      .flatMap((version) => versionDifferences(stretch, record, version)),
    ...(record.created_seq > stretch.importedSeq ? aboutDifferences(stretch, record) : []),
  ]);
}

export function committerDifferences(stretch: CommitStretch): string[] {
  const own = stretch.commits.filter(({ repo_seq }) => repo_seq > stretch.importedSeq);
  return own.flatMap(({ committer, committer_identity, repo_seq }) => {
    const identity = identityIn(committer_identity);
    if (identity === undefined)
      return committer_identity === null ? [] : [`the committer of ${repo_seq} is not an identity`];
    const moment = { seq: repo_seq, op: Number.POSITIVE_INFINITY };
    const found = wrefDifferences(stretch, { text: committer, identity, by: 0, moment });
    return found.map((difference) => `the committer of ${repo_seq}: ${difference}`);
  });
}

const CANONICAL = /^wh:[a-z0-9-]+\/[A-Za-z0-9._-]+\/[A-Za-z][A-Za-z0-9_.-]*(?:\/[^@\s]+)?@v([1-9][0-9]*)$/;

interface WrittenWref {
  readonly text: unknown;
  readonly identity: Identity;
  /** The record that refers, or 0. */
  readonly by: number;
  readonly moment: Moment;
}

function wrefDifferences(rows: NamedRecords, written: WrittenWref): string[] {
  const isLocal = written.identity.repoId === rows.repoId;
  return isLocal ? differencesWithin(rows, written) : differencesElsewhere(rows, written);
}

/** An import has only some versions of each record. */
function wasLeftOut({ records, importedSeq }: NamedRecords, recordId: number): boolean {
  const record = records.get(recordId);
  return record !== undefined && record.created_seq <= importedSeq;
}

function differencesWithin(rows: NamedRecords, { text, identity, by, moment }: WrittenWref): string[] {
  const { recordId, version } = identity;
  const made = rows.moments.get(versionKey(recordId, version));
  if (made === undefined) return wasLeftOut(rows, recordId) ? [] : [`record ${recordId} has no version ${version}`];
  // An operation may refer to a built-in shape that it creates itself, but not to its own record.
  const wasThere = isSooner(made, moment) || (recordId !== by && !isSooner(moment, made));
  if (!wasThere) return [`record ${recordId} had no version ${version} yet`];
  const named = `${fullNameAt(rows, recordId, moment)}@v${version}`;
  return text === named ? [] : [`it reads ${JSON.stringify(text)}, but the target was ${named}`];
}

function differencesElsewhere(rows: NamedRecords, { text, identity }: WrittenWref): string[] {
  const { repoId, recordId, version } = identity;
  const last = rows.elsewhere.get(`${repoId}/${recordId}`) ?? 0;
  if (version > last) return [`record ${recordId} of repository ${repoId} has ${last} versions, not ${version}`];
  const pin = CANONICAL.exec(String(text))?.[1];
  return Number(pin) === version ? [] : [`it reads ${JSON.stringify(text)}, but the target is at version ${version}`];
}

function versionDifferences(stretch: RecordStretch, record: RecordRow, version: VersionRow): string[] {
  if (record.shape_id === 0) return shapeDifferences(stretch, version);
  if (isPurged(version)) return [];
  const data = parsed(version.data);
  const references = referencesOf(version);
  const writing = { by: version.record_id, moment: momentOf(writtenAs(stretch, version)) };
  const texts = references.flatMap(({ path, ...identity }) => {
    const found = wrefDifferences(stretch, { text: valueAt(data, path), identity, ...writing });
    return found.map((difference) => `${path}: ${difference}`);
  });
  const paths = new Set(references.map(({ path }) => path));
  const typed = new Set(wrefPaths(stretch, record, version));
  const places = [
    ...[...typed].filter((path) => !paths.has(path)).map((path) => `${path}: a wref without a reference`),
    ...[...paths].filter((path) => !typed.has(path)).map((path) => `${path}: a reference without a wref`),
  ];
  return [...texts, ...places].map((one) => `record ${version.record_id} version ${version.version}: ${one}`);
}

/** A shape refers to other shapes by name without a version. Another shape may take the name later in its commit. */
function shapeDifferences(stretch: RecordStretch, version: VersionRow): string[] {
  const data = parsed(version.data);
  const moment = momentOf(writtenAs(stretch, version));
  return referencesOf(version).flatMap(({ path, recordId }) => {
    const text = valueAt(data, path);
    const named = fullNameAt(stretch, recordId, moment);
    const isNamed = text === named || text === fullNameAt(stretch, recordId, { ...moment, op: Infinity });
    const isPlace = /^\/fields\/.*\/shape(\/[0-9]+)?$/.test(path);
    if (isNamed && isPlace) return [];
    return [
      `shape ${version.record_id} version ${version.version}: ${path} reads ${JSON.stringify(text)}, not ${named}`,
    ];
  });
}

function aboutDifferences(stretch: RecordStretch, { record_id, about, about_wref }: RecordRow): string[] {
  const [first] = stretch.versions.get(record_id) ?? [];
  const identity = identityIn(about);
  if (identity === undefined || first === undefined) return [];
  const found = wrefDifferences(stretch, { text: about_wref, identity, by: record_id, moment: momentOf(first) });
  return found.map((difference) => `the subject of record ${record_id}: ${difference}`);
}

/** A retraction keeps the text of the previous version, with the names of that time. */
function writtenAs({ versions }: RecordStretch, version: VersionRow): VersionRow {
  if (version.operation !== 'retract') return version;
  return versions.get(version.record_id)?.[version.version - 2] ?? version;
}

function wrefPaths({ versions }: RecordStretch, { shape_id }: RecordRow, { shape_version, data }: VersionRow) {
  const shape = versions.get(shape_id)?.find(({ version }) => version === shape_version);
  return shape === undefined ? [`no version ${shape_version} of its shape`] : wrefPathsIn(shape.data, data);
}

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

export async function referenceIndexDifferences(reader: Reader, stretch: RecordStretch): Promise<FoundFieldRows> {
  const { own, versions, repoId } = stretch;
  const source = own.flatMap((record) => [
    ...aboutSpans(record),
    ...(versions.get(record.record_id) ?? []).filter(isVisible).flatMap((version) => fieldSpans(record, version)),
  ]);
  const keys = new Map(source.map(({ key }) => [JSON.stringify(key), key]));
  const refs = await reader.bulk<RefRow>(REFERENCES, { common: [repoId], rows: [...keys.values()] });
  const rows = refs.map((row) => toSpan(factOf(toReferrer(row), identityOf(row)), row));
  const byPlace = Map.groupBy(
    rows,
    (_, index) => `${refs[index]?.record_id} ${refs[index]?.role} ${refs[index]?.path}`,
  );
  const differences = [
    ...refs
      .filter((row) => !isVisible(row))
      .map((row) => `the reference ${factOf(toReferrer(row), identityOf(row))} was never valid`),
    ...findOverlaps('the references', byPlace, stretch.importedSeq),
    ...compareSpans('the reference', rows, source, stretch.importedSeq),
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

const toReferrer = ({ record_id, role, path }: RefRow) => ({ recordId: record_id, role, path });
const identityOf = ({ target_repo_id, target_id, target_version }: RefRow) => ({
  repoId: target_repo_id,
  recordId: target_id,
  version: target_version,
});

function spanOf(place: ReferencePlace, target: Identity, time: Omit<Span, 'fact'>): ReferenceSpan {
  const key = [target.repoId, target.recordId, place.role, place.recordId, place.path];
  return { fact: factOf(place, target), ...time, key };
}

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

interface WrefValue {
  readonly value: unknown;
  readonly path: string;
}

function wrefPathsIn(shape: string, data: string): string[] {
  const definition = parsed(shape);
  const fields = typeof definition === 'object' && definition !== null ? Reflect.get(definition, 'fields') : undefined;
  return pathsIn(fields ?? {}, { value: parsed(data), path: '' });
}

function pathsIn(definition: unknown, place: WrefValue): string[] {
  if (place.value === null || place.value === undefined) return [];
  if (typeof definition === 'string') return isType(definition, 'wref') ? [place.path] : [];
  if (Array.isArray(definition)) return pathsInItems(definition[0], place);
  const fields = definition as Readonly<Record<string, unknown>>;
  if (typeof fields.type !== 'string') {
    return Object.entries(fields).flatMap(([key, field]) => pathsIn(field, memberOf(place, key.replace(/\?$/, ''))));
  }
  if (isType(fields.type, 'array') && fields.items !== undefined) return pathsInItems(fields.items, place);
  return pathsIn(fields.type, place);
}

function pathsInItems(definition: unknown, { value, path }: WrefValue): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) => pathsIn(definition, { value: item, path: pointerTo(path, index) }));
}

function memberOf({ value, path }: WrefValue, name: string): WrefValue {
  const member = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return { value: member ? Reflect.get(value, name) : undefined, path: pointerTo(path, name) };
}

const isType = (text: string, type: string) => text === type || text === `${type}?`;
