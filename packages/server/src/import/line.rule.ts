// Checks one line of an export by itself. Checks that need other lines are the callers' task.
import { COLLECTION_TYPE_OF, COLLECTIONS } from '@cairn/model/collection';
import { canonicalJson, isJsonObject, scanJson, valueAt } from '@cairn/model/json';
import { pointerTokens } from '@cairn/model/json-pointer';
import { attempt } from '@cairn/model/problem';
import { isBuiltInShape, parseShape } from '@cairn/model/shape';
import {
  type Identity,
  parseDurableId,
  parseRecordName,
  parseWref,
  type RecordName,
  type Reference,
} from '@cairn/model/wref';
import { CairnError, ended, fail } from '@cairn/protocol/errors';
import type { ExportRow, exportRow } from '@cairn/protocol/export';
import { BUILT_IN_SHAPES } from '@cairn/protocol/vocabulary';
import { PURGED_DATA, sha256 } from '../commit/integrity.rule.ts';

export interface PointedText<Id = Identity> {
  readonly wref: string;
  readonly identity: Id | undefined;
}

export interface CheckedRow {
  readonly line: number;
  readonly repoId: number;
  readonly recordId: number;
  readonly version: number;
  readonly kind: ExportRow['kind'];
  readonly name: RecordName;
  readonly shapeVersion: number | null;
  readonly operation: string;
  readonly active: boolean;
  readonly fromSeq: number;
  readonly createdSeq: number;
  readonly data: string;
  readonly dataHash: Uint8Array;
  readonly references: readonly Reference[];
  readonly about: PointedText | null;
  readonly reason: string | null;
  readonly createdBy: string;
  readonly committer: PointedText | null;
  readonly createdAt: number;
  readonly recordCreatedAt: number;
}

export interface LineLimits {
  readonly dataBytes: number;
  readonly dataDepth: number;
}

export function badLine(line: number, message: string): CairnError {
  return fail('VALIDATION_ERROR', {
    message: `Line ${line} of the export: ${message}`,
    details: [{ line, message }],
    hint: 'None of the lines of this call were stored. Export again if the file was changed or damaged, or abort the import.',
  });
}

type ReadLine = (text: string, line: number) => CheckedRow;

/** The schema is loaded with the first import, because the writer thread starts much faster without it. */
export async function lineReader(limits: LineLimits): Promise<ReadLine> {
  const { exportRow: form } = await import('@cairn/protocol/export');
  return (text, line) => {
    const read = attempt(() => toChecked(parseRow(form, text), line, limits));
    if (!(read instanceof CairnError)) return read;
    throw badLine(line, read.message);
  };
}

function refuse(message: string): CairnError {
  return fail('VALIDATION_ERROR', { message });
}

function parseRow(form: typeof exportRow, text: string): ExportRow {
  scanJson(text);
  const value: unknown = JSON.parse(text);
  const type = isJsonObject(value) ? value.type : undefined;
  if (type === 'header')
    throw refuse('this is a header. Send it to import.begin; it can only be the first line of the file.');
  if (type === 'end')
    throw refuse('this is the end of an export. Send it to import.finish; it can only be the last line of the file.');
  const parsed = form.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refuse(ended(`${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'not a row of an export'}`));
}

function toChecked(row: ExportRow, line: number, limits: LineLimits): CheckedRow {
  const identity = parseDurableId(row.durableId);
  if (identity === undefined || identity.recordId === 0 || identity.recordId > IMPORTED_MAX) {
    throw refuse(`durableId: ${row.durableId} is not a durable ID; one of its characters was changed.`);
  }
  const name = checkName(row);
  checkNumbers(row);
  checkOperation(row);
  const data = checkData(row, limits);
  const references = (row.refs ?? []).map(([path, text]) => ({ path, ...parseTarget(text, `refs at ${path}`) }));
  checkReferences(row, references);
  return {
    line,
    ...identity,
    version: row.version,
    kind: row.kind,
    name,
    shapeVersion: row.shapeVersion ?? null,
    operation: row.operation,
    active: row.active,
    fromSeq: row.repoSeq,
    createdSeq: row.recordRepoSeq,
    ...data,
    references,
    about: pointedBy(row.aboutWref, row.aboutDurableId, 'about'),
    reason: row.reason ?? null,
    createdBy: row.createdBy,
    committer: pointedBy(row.committerWref, row.committerDurableId, 'committer'),
    createdAt: row.versionCreatedAt,
    recordCreatedAt: row.recordCreatedAt,
  };
}

function checkName(row: ExportRow): RecordName {
  const name = parseRecordName(row.name);
  const isShape = row.kind === 'shape';
  if (isShape !== (name.local === '')) throw refuse(`name: ${row.name} is not the name of a ${row.kind}.`);
  if (row.shapeName !== (isShape ? undefined : name.shapeName)) {
    throw refuse(`shapeName: ${row.shapeName ?? 'none'} is not the shape of ${row.name}.`);
  }
  if (isShape !== (row.shapeVersion === undefined)) {
    throw refuse('shapeVersion: every record except a shape must have one.');
  }
  const collection = isShape ? undefined : COLLECTION_TYPE_OF.get(name.shapeName);
  if ((row.kind === 'collection') !== (collection !== undefined) || row.collection !== collection) {
    throw refuse(`kind: ${row.name} is not a ${row.collection ?? row.kind}.`);
  }
  if ((row.kind === 'assertion') !== (row.aboutWref !== undefined)) {
    throw refuse('aboutWref: assertions must have one, and other records must not.');
  }
  return name;
}

const NUMBERS = ['version', 'repoSeq', 'recordRepoSeq', 'shapeVersion'] as const;
const TIMES = ['recordCreatedAt', 'versionCreatedAt'] as const;
/** Half of the possible range, so that later writes to the copy have room. */
export const IMPORTED_MAX = 2 ** 47;
const TIME_MAX = 8.64e15;

function checkNumbers(row: ExportRow): void {
  for (const field of NUMBERS) {
    const number = row[field];
    if (number !== undefined && (number < 1 || number > IMPORTED_MAX))
      throw refuse(`${field}: ${number} is out of range.`);
  }
  for (const field of TIMES) {
    if (row[field] < 0 || row[field] > TIME_MAX) throw refuse(`${field}: ${row[field]} is not a valid time.`);
  }
  const { version, repoSeq, recordRepoSeq } = row;
  if (version === 1 ? repoSeq !== recordRepoSeq : repoSeq < recordRepoSeq) {
    throw refuse(
      `repoSeq: version ${version} cannot be at sequence ${repoSeq} if the record was added at ${recordRepoSeq}.`,
    );
  }
  if (version === 1 && row.recordCreatedAt !== row.versionCreatedAt) {
    throw refuse('versionCreatedAt: version 1 must have the time of the record.');
  }
}

const OPERATIONS = ['add', 'revise', 'retract'];
const AUTHOR = /^(user|token|component):[^\p{Cc}]{1,400}$/u;

function checkOperation({ version, operation, active, reason, createdBy }: ExportRow): void {
  if (!OPERATIONS.includes(operation)) throw refuse(`operation: ${operation} does not create a version.`);
  if ((operation === 'add') !== (version === 1))
    throw refuse(`operation: ${operation} does not create version ${version}.`);
  if (active !== (operation !== 'retract')) throw refuse(`active: ${active} does not match ${operation}.`);
  if (!AUTHOR.test(createdBy)) throw refuse('createdBy: expected user:, token: or component: and a name.');
  if (reason?.includes('\0')) throw refuse('reason: it cannot contain U+0000.');
}

function checkData(row: ExportRow, { dataBytes, dataDepth }: LineLimits): Pick<CheckedRow, 'data' | 'dataHash'> {
  if (!isJsonObject(row.data)) throw refuse('data: expected an object.');
  if (row.purged) return purgedData(row, row.data);
  const data = canonicalJson(row.data, { maxDepth: dataDepth });
  const bytes = Buffer.byteLength(data);
  if (bytes > dataBytes) {
    throw refuse(
      `data: it has ${bytes} bytes, but this server allows at most ${dataBytes}. Raise its limit dataBytes.`,
    );
  }
  const dataHash = sha256(data);
  if (Buffer.from(dataHash).toString('hex') !== row.dataHash) throw refuse('dataHash: it is not the hash of the data.');
  if (row.kind === 'shape') checkShape(row, data);
  return { data, dataHash };
}

/** Only the exporting repository's commit chain can verify the hash of purged data. */
function purgedData({ kind, dataHash }: ExportRow, data: object): Pick<CheckedRow, 'data' | 'dataHash'> {
  if (kind === 'shape') throw refuse('purged: a shape cannot be purged.');
  if (Object.keys(data).length > 0) throw refuse('data: purged data must be empty.');
  if (!/^[0-9a-f]{64}$/.test(dataHash)) throw refuse('dataHash: expected 64 hexadecimal digits.');
  return { data: PURGED_DATA, dataHash: Uint8Array.from(Buffer.from(dataHash, 'hex')) };
}

/** A built-in shape must equal this server's, because code relies on it. */
function checkShape(row: ExportRow, data: string): void {
  parseShape(row.data);
  const builtIn = isBuiltInShape(row.name) ? BUILT_IN_SHAPES[row.name] : undefined;
  if (builtIn === undefined || data === canonicalJson(builtIn)) return;
  throw refuse(`data: ${row.name} is a built-in shape, which differs on this server.`);
}

function checkReferences({ data, kind, name, purged }: ExportRow, references: readonly Reference[]): void {
  const type = kind === 'collection' ? COLLECTION_TYPE_OF.get(parseRecordName(name).shapeName) : undefined;
  const places = type && [COLLECTIONS[type].places].flat();
  let before = '';
  for (const { path, version } of references) {
    if (path <= before) throw refuse(`refs: ${path} does not come after ${before || 'the beginning'}.`);
    before = path;
    if (purged) continue;
    const text = valueAt(data, path);
    if (typeof text !== 'string') throw refuse(`refs: there is no string at ${path}.`);
    checkWref(text, { place: `data at ${path}`, version: kind === 'shape' ? undefined : version });
    if (kind === 'shape' && !SHAPE_PLACE.test(path)) throw refuse(`refs: ${path} is not the place of a shape.`);
    if (places?.includes(pointerTokens(path)[0] ?? '') === false)
      throw refuse(`refs: ${path} is not the place of a member.`);
  }
}

const SHAPE_PLACE = /^\/fields\/.*\/shape(\/[0-9]+)?$/s;

function checkWref(text: string, { place, version }: { place: string; version: number | undefined }): void {
  const parsed = attempt(() => parseWref(text));
  if (parsed instanceof CairnError) throw refuse(`${place}: ${parsed.message}`);
  if (version === undefined || parsed.pin === version) return;
  throw refuse(`${place}: ${text} does not name version ${version}, unlike its identity.`);
}

function pointedBy(wref: string | undefined, identity: string | undefined, place: string): PointedText | null {
  if (wref === undefined) {
    if (identity === undefined) return null;
    throw refuse(`${place}DurableId: it needs ${place}Wref, which is missing.`);
  }
  const target = identity === undefined ? undefined : parseTarget(identity, `${place}DurableId`);
  checkWref(wref, { place: `${place}Wref`, version: target?.version });
  return { wref, identity: target };
}

const TARGET = /^(.{26})@v([1-9][0-9]{0,13})$/;

function parseTarget(text: string, place: string): Identity {
  const [, durableId = '', version] = TARGET.exec(text) ?? [];
  const parts = parseDurableId(durableId);
  if (parts !== undefined) return { ...parts, version: Number(version) };
  throw refuse(`${place}: ${text} is not a durable ID with a version; one of its characters was changed.`);
}
