// Plans what the imported rows do to one record: create it, add versions or rename it.

import { formatIdentity, formatReferences, type Identity, type Reference } from '@cairn/model/wref';
import { compileNarrowing } from '../access/narrowing.rule.ts';
import { requireIntactHead } from '../commit/integrity.rule.ts';
import type { TargetRow } from '../commit/reference/target-lookup.sql.ts';
import type { ReadableRepository } from '../commit/reference/target-set.sql.ts';
import { FIND_FOREIGN_TARGETS_BY_ID } from '../commit/statement.sql.ts';
import type { Reader } from '../engine/database.ts';
import { toNamed } from '../read/hidden-target.sql.ts';
import { type ImportRow, isRestore } from './import-row.sql.ts';
import { badLine, type CheckedRow, type PointedText } from './line.rule.ts';
import { FIND_HELD, type HeldRow } from './statement.sql.ts';

interface KnownShape {
  readonly recordId: number;
  readonly version: number;
}

export interface KnownRecords {
  readonly shapes: Map<string, KnownShape>;
  readonly held: ReadonlyMap<number, HeldRow>;
}

export interface PlannedRecord {
  readonly shapeId: number;
  readonly held: HeldRow | undefined;
  readonly fresh: readonly MappedRow[];
  readonly again: readonly MappedRow[];
  readonly last: MappedRow;
  readonly named: boolean;
}

export function planRecord(
  rows: readonly [MappedRow, ...MappedRow[]],
  row: ImportRow,
  known: KnownRecords,
): PlannedRecord {
  const last = rows.at(-1) ?? rows[0];
  const held = known.held.get(last.recordId);
  const shapeId = last.kind === 'shape' ? 0 : findShape(last, known.shapes).recordId;
  if (last.kind === 'shape') checkShape(rows, held, row);
  else if (rows.length > 1 || (held !== undefined && isRestore(row))) {
    throw badLine(last.line, `${nameOf(last)} appears twice, but only shapes can have several versions.`);
  }
  if (held !== undefined) checkHeld(last, shapeId, held);
  const [fresh, again] = [rows.filter(isFresh(held)), rows.filter((one) => !isFresh(held)(one))];
  checkSequences({ fresh, again }, row);
  if (last.kind === 'shape') known.shapes.set(last.name.shapeName, { recordId: last.recordId, version: last.version });
  return { shapeId, held, fresh, again, last, named: held?.name !== localOf(last) };
}

const isFresh = (held: HeldRow | undefined) => (row: MappedRow) => row.version > (held?.version ?? 0);

function checkSequences({ fresh, again }: Pick<PlannedRecord, 'fresh' | 'again'>, { since_seq }: ImportRow): void {
  const stray = fresh.find(({ fromSeq }) => fromSeq <= since_seq) ?? again.find(({ fromSeq }) => fromSeq > since_seq);
  if (stray === undefined) return;
  const { line, version, fromSeq } = stray;
  const has = fresh.includes(stray) ? 'does not have it' : 'already has it';
  throw badLine(
    line,
    `repoSeq: version ${version} is from sequence ${fromSeq}, but the copy, at ${since_seq}, ${has}.`,
  );
}

export function localOf({ kind, name }: Pick<MappedRow, 'kind' | 'name'>): string {
  return kind === 'shape' ? name.shapeName : name.local;
}

export function nameOf({ kind, name }: Pick<MappedRow, 'kind' | 'name'>): string {
  return kind === 'shape' ? name.shapeName : `${name.shapeName}/${name.local}`;
}

/** An export lists a shape with all its versions before the shape's records. */
function findShape({ line, recordId, name, shapeVersion }: MappedRow, shapes: KnownRecords['shapes']): KnownShape {
  const shape = shapes.get(name.shapeName);
  if (shape === undefined || shape.recordId >= recordId) {
    throw badLine(line, `shapeName: no earlier line has the shape ${name.shapeName}.`);
  }
  if ((shapeVersion ?? 0) <= shape.version) return shape;
  throw badLine(
    line,
    `shapeVersion: the shape ${name.shapeName} has versions up to ${shape.version}, not ${shapeVersion}.`,
  );
}

function checkShape(rows: readonly MappedRow[], held: HeldRow | undefined, row: ImportRow): void {
  checkVersions(rows, held);
  checkAgreement(rows, held, row);
}

/** Versions of a shape must be consecutive. Stored versions may be sent again, starting with the first. */
function checkVersions(rows: readonly MappedRow[], held: HeldRow | undefined): void {
  let before: MappedRow | undefined;
  for (const row of rows) {
    const { line, version, fromSeq, name } = row;
    const next = before === undefined ? version <= (held?.version ?? 0) + 1 : version === before.version + 1;
    if (!next) throw badLine(line, `version: version ${version - 1} of the shape ${name.shapeName} is missing.`);
    const earliest = before?.fromSeq ?? (version > (held?.version ?? 0) ? held?.from_seq : undefined) ?? 0;
    if (fromSeq < earliest) {
      throw badLine(line, `repoSeq: version ${version} cannot have an earlier sequence than the version before it.`);
    }
    before = row;
  }
}

function checkAgreement(rows: readonly MappedRow[], held: HeldRow | undefined, row: ImportRow): void {
  const [{ name, createdSeq }] = rows as [MappedRow];
  const called = held !== undefined && isRestore(row) ? held.name : name.shapeName;
  const stray = rows.find((one) => one.name.shapeName !== called || one.createdSeq !== createdSeq);
  if (stray === undefined) return;
  throw badLine(stray.line, `name: the versions of the shape ${called} have different names.`);
}

function checkHeld({ line, kind, version, createdSeq, ...row }: MappedRow, shapeId: number, held: HeldRow): void {
  const agrees = held.kind === kind && held.shape_id === shapeId && held.created_seq === createdSeq;
  if (!agrees) throw badLine(line, `${nameOf({ kind, ...row })} differs from the record that is already here.`);
  if (version < held.version) {
    throw badLine(line, `version: it is version ${version}, but version ${held.version} is already here.`);
  }
}

export async function findHeld(reader: Reader, repoId: number, ids: Iterable<number>): Promise<Map<number, HeldRow>> {
  const rows = [...new Set(ids)].map((id) => [id]);
  const found = await reader.bulk<HeldRow>(FIND_HELD, { common: [repoId], rows });
  for (const row of found) requireIntactHead(repoId, row, row.crc);
  return new Map(found.map((record) => [record.record_id, record]));
}

export interface MappedRow extends Omit<CheckedRow, 'repoId' | 'about' | 'committer'> {
  readonly refs: string | null;
  readonly about: PointedText<string> | null;
  readonly committer: PointedText<string> | null;
}

interface Mapping {
  readonly sourceRepoId: number;
  readonly repoId: number;
  readonly readable: readonly ReadableRepository[];
}

export async function mapRows(reader: Reader, rows: readonly CheckedRow[], mapping: Mapping): Promise<MappedRow[]> {
  const elsewhere = await findElsewhere(reader, rows, mapping);
  const mapIdentity = (identity: Identity): Identity | undefined => {
    if (identity.repoId === mapping.sourceRepoId) return { ...identity, repoId: mapping.repoId };
    return identity.version <= (elsewhere.get(identityKey(identity)) ?? 0) ? identity : undefined;
  };
  return rows.map(({ repoId: _, ...row }) => {
    const references = row.references.length === 0 ? row.references : mapReferences(row.references, mapIdentity);
    const [about, committer] = [row.about, row.committer].map((text) => text && mapText(text, mapIdentity));
    return {
      ...row,
      references,
      refs: formatReferences(references),
      about: about ?? null,
      committer: committer ?? null,
    };
  });
}

type MapIdentity = (identity: Identity) => Identity | undefined;

function mapReferences(references: readonly Reference[], mapIdentity: MapIdentity): Reference[] {
  return references.flatMap(({ path, ...identity }) => {
    const mapped = mapIdentity(identity);
    return mapped === undefined ? [] : [{ path, ...mapped }];
  });
}

function mapText({ wref, identity }: PointedText, mapIdentity: MapIdentity): PointedText<string> {
  const mapped = identity && mapIdentity(identity);
  return { wref, identity: mapped && formatIdentity(mapped) };
}

const identityKey = ({ repoId, recordId }: Identity) => `${repoId} ${recordId}`;

async function findElsewhere(
  reader: Reader,
  rows: readonly CheckedRow[],
  { readable }: Mapping,
): Promise<Map<string, number>> {
  const places = new Map(readable.map((place) => [place.repoId, compileNarrowing(place.narrowing)]));
  const wanted = new Map<string, Identity>();
  for (const row of places.size === 0 ? [] : rows) {
    for (const identity of [...row.references, row.about?.identity, row.committer?.identity]) {
      if (identity !== undefined && places.has(identity.repoId)) wanted.set(identityKey(identity), identity);
    }
  }
  const identities = [...wanted.values()];
  const found = await reader.bulk<TargetRow>(FIND_FOREIGN_TARGETS_BY_ID, {
    common: [],
    rows: identities.map(({ repoId, recordId }) => [repoId, recordId]),
  });
  return new Map(
    found.flatMap((target): [string, number][] => {
      const identity = identities[target.ord];
      const named = { ...target, name_now: target.name, shape_name_now: target.shape_name };
      if (identity === undefined || !places.get(identity.repoId)?.(toNamed(named))) return [];
      return [[identityKey(identity), target.version]];
    }),
  );
}
