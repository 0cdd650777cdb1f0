// Chooses where the candidates of a list come from: the index with fewest matches, or a walk in list order.

import { COLLECTION_TYPE_OF } from '@cairn/model/collection';
import { compileGlob, couldNameRecordOf, literalPrefix } from '@cairn/model/glob';
import { prefixEnd } from '@cairn/model/text-range';
import { parseRecordName } from '@cairn/model/wref';
import type { Grant } from '../../access/grant.rule.ts';
import type { Database } from '../../engine/database.ts';
import { findRecordIds } from '../record.sql.ts';
import type { ShapeSight } from './candidate-filter.sql.ts';
import { probeNames } from './collected.sql.ts';
import { findFieldIndex, type IndexedCondition, keyRanges, probeField } from './field-index-range.sql.ts';
import type { ListOrder, RecordFilter, Walk } from './list-request.sql.ts';
import { BEYOND_NAMES, NameWalk } from './name-walk.sql.ts';
import type { ScanScope } from './record-condition.sql.ts';
import { CommitWalk, findLastRecord, HeadWalk, isStillHead, RecordWalk } from './record-walk.sql.ts';
import { ABOUT_STREAMS, StreamWalk, VALUE_STREAMS_EVER, VALUE_STREAMS_NOW, ValueWalk } from './value-walk.sql.ts';

export type Source = WalkedSource | { readonly recordIds: readonly number[] };

export interface WalkedSource {
  readonly walk: Walk;
  readonly bounded: boolean;
  readonly beside?: boolean;
  readonly scan?: ScanScope | undefined;
  readonly byValue?: Walk | undefined;
}

interface SourceRequest {
  readonly database: Database;
  readonly grant: Grant;
  readonly filter: RecordFilter;
  readonly order: Exclude<ListOrder, 'best'>;
  readonly shapes: readonly ShapeSight[];
}

export async function chooseSource(request: SourceRequest): Promise<Source> {
  const exact = await findExactName(request);
  if (exact !== undefined) return exact;
  const indexed = await findIndexed(request);
  return (
    (await findValues(request, indexed)) ?? (await findNamesAlike(request)) ?? (await walkInOrder(request, indexed))
  );
}

const isByCreation = (order: SourceRequest['order']) => order.endsWith('created');
const isHead = ({ grant, filter }: SourceRequest) => filter.atRepoSeq === grant.repository.repoSeq;

export function streamAbout({ grant, filter, order }: SourceRequest): Source | undefined {
  const { about } = filter;
  if (about === undefined || about.depth > 1 || about.memberRoles.length > 0 || !isByCreation(order)) return undefined;
  const { repoId, recordId, version = 0 } = about.target;
  const walk = new StreamWalk({
    statements: ABOUT_STREAMS,
    common: [grant.repoId],
    streams: [[repoId, recordId, version]],
    descending: order === '-created',
  });
  return { walk, bounded: true };
}

async function findExactName({ database, grant, filter }: SourceRequest): Promise<Source | undefined> {
  const { match, atRepoSeq } = filter;
  if (match === undefined || match.includes('*')) return undefined;
  const wrefs = [{ name: parseRecordName(match, 'match'), version: undefined }];
  const [recordId] = await findRecordIds(database, grant, { wrefs, atRepoSeq });
  return { recordIds: recordId === undefined ? [] : [recordId] };
}

async function findIndexed({ database, grant, filter }: SourceRequest): Promise<IndexedCondition[]> {
  const { shape, where, atRepoSeq } = filter;
  const found: IndexedCondition[] = [];
  for (const condition of where) {
    const ranges = keyRanges(condition);
    if (ranges === undefined || shape === undefined) continue;
    const { shapeId } = shape;
    const fieldId = await findFieldIndex(database, grant, { shapeId, pointer: condition.pointer, atRepoSeq });
    if (fieldId !== undefined) found.push({ shapeId, fieldId, ranges });
  }
  return found;
}

const FEW = 200;

async function findValues(request: SourceRequest, indexed: readonly IndexedCondition[]): Promise<Source | undefined> {
  const exact = indexed.find(({ ranges }) => ranges.every(({ single }) => single));
  const stream = exact !== undefined && isByCreation(request.order) ? streamValues(request, exact) : undefined;
  if (stream?.bounded) return stream;
  let fewest: number[] | undefined;
  for (const condition of indexed) {
    const found = await probe(request, condition);
    if (found !== undefined && found.length < (fewest?.length ?? Number.POSITIVE_INFINITY)) fewest = found;
    if (fewest !== undefined && fewest.length <= FEW) break;
  }
  return fewest === undefined ? stream : { recordIds: fewest };
}

async function probe(request: SourceRequest, condition: IndexedCondition) {
  const { database, grant } = request;
  const found = isHead(request) ? await probeField(database, grant, { ...condition, now: true }) : undefined;
  if (isHead(request) && (await isStillHead(database, grant))) return found;
  return await probeField(database, grant, { ...condition, now: false });
}

/** Records with exact values are in creation order in the index, however many there are. */
function streamValues(request: SourceRequest, { shapeId, fieldId, ranges }: IndexedCondition): WalkedSource {
  const { database, grant, filter, order } = request;
  const options = {
    common: [grant.repoId, shapeId, fieldId],
    streams: ranges.map(({ from }) => [from]),
    descending: order === '-created',
  };
  const ever = new StreamWalk({ ...options, statements: VALUE_STREAMS_EVER });
  const now = new StreamWalk({ ...options, statements: VALUE_STREAMS_NOW });
  const walk = isHead(request) ? new HeadWalk(database, grant, { now, ever }) : ever;
  return { walk, bounded: filter.where.length === 1 };
}

function walkByValue(request: SourceRequest, condition: IndexedCondition): Walk {
  const { database, grant, order } = request;
  const options = { grant, engine: database.engine, condition, descending: order === '-created' };
  const ever = new ValueWalk({ ...options, now: false });
  return isHead(request)
    ? new HeadWalk(database, grant, { now: new ValueWalk({ ...options, now: true }), ever })
    : ever;
}

async function findNamesAlike(request: SourceRequest): Promise<Source | undefined> {
  const { database, grant, filter, order } = request;
  const prefix = literalPrefix(filter.match ?? '');
  const local = prefix.slice(prefix.indexOf('/') + 1);
  const [shape, ...others] = shapesOfRecords(request);
  if (order === 'name' || !prefix.includes('/') || local === '' || shape === undefined || others.length > 0) {
    return undefined;
  }
  const to = prefixEnd(local) ?? BEYOND_NAMES;
  const recordIds = await probeNames(database, grant, { shapeId: shape.shapeId, from: local, to });
  return recordIds && { recordIds };
}

async function walkInOrder(request: SourceRequest, [indexed]: readonly IndexedCondition[]): Promise<WalkedSource> {
  const { database, grant, filter, order } = request;
  const { atRepoSeq, match } = filter;
  const bounded = coversShapes(request);
  // Reading the data may be slow even for few records, because records may be large.
  const looksIntoData = filter.where.length > 0;
  if (order === 'name') {
    const [shapes, shapesThemselves] = [shapesOfRecords(request), shapesListed(request)];
    const prefix = literalPrefix(match ?? '');
    const beside = looksIntoData || !isHead(request);
    return { walk: new NameWalk({ grant, atRepoSeq, shapes, shapesThemselves, prefix }), bounded, beside };
  }
  if (order === 'updated' || order === '-updated')
    return { walk: walkByUpdate(request, order), bounded, beside: looksIntoData };
  const lastId = isHead(request) ? undefined : await findLastRecord(database, { repoId: grant.repoId, atRepoSeq });
  const walk = walkByCreation(request, { order, lastId });
  const byValue = indexed && walkByValue(request, indexed);
  return { walk, bounded, beside: looksIntoData, scan: scanScope(request, lastId), byValue };
}

function walkByUpdate(request: SourceRequest, order: 'updated' | '-updated'): Walk {
  const { database, grant, filter } = request;
  const { atRepoSeq, includeRetracted } = filter;
  const ever = new CommitWalk({ grant, atRepoSeq, descending: order === '-updated' });
  if (!isHead(request)) return ever;
  const halves = includeRetracted ? BOTH : PRESENT;
  const now = new RecordWalk({ grant, order, shapeIds: shapeIdsOf(request), halves });
  return new HeadWalk(database, grant, { now, ever });
}

interface CreationWalk {
  readonly order: 'created' | '-created';
  readonly lastId: number | undefined;
}

function walkByCreation(request: SourceRequest, { order, lastId }: CreationWalk): Walk {
  const { database, grant, filter } = request;
  const shapeIds = shapeIdsOf(request);
  const ever = new RecordWalk({ grant, order, shapeIds, halves: BOTH, lastId });
  if (!isHead(request) || filter.includeRetracted) return ever;
  return new HeadWalk(database, grant, { now: new RecordWalk({ grant, order, shapeIds, halves: PRESENT }), ever });
}

const BOTH = [0, 1] as const;
const PRESENT = [1] as const;

function shapeIdsOf(request: SourceRequest): number[] {
  const ofRecords = shapesOfRecords(request).map(({ shapeId }) => shapeId);
  return shapesListed(request).length > 0 ? [0, ...ofRecords] : ofRecords;
}

function scanScope(request: SourceRequest, lastId = Number.MAX_SAFE_INTEGER): ScanScope {
  const { filter, order } = request;
  const [shapeId, ...others] = shapeIdsOf(request);
  const isOne = isHead(request) && !filter.includeRetracted && others.length === 0;
  return { shapeId: isOne ? shapeId : undefined, descending: order === '-created', lastId };
}

function coversShapes({ filter, shapes }: SourceRequest): boolean {
  return filter.match === undefined && filter.where.length === 0 && shapes.every(({ records }) => records !== 'some');
}

function shapesOfRecords({ filter, shapes }: SourceRequest): readonly ShapeSight[] {
  const { kind, match, shape } = filter;
  if (kind === 'shape') return [];
  return shapes.filter(({ shapeId, name, records }) => {
    if (records === 'none' || (shape !== undefined && shape.shapeId !== shapeId)) return false;
    if (kind !== undefined && (kind === 'collection') !== (COLLECTION_TYPE_OF.get(name) !== undefined)) return false;
    return match === undefined || couldNameRecordOf(match, name);
  });
}

function shapesListed({ filter, shapes }: SourceRequest): readonly ShapeSight[] {
  const { kind, match, shape, about } = filter;
  if (shape !== undefined || about !== undefined || (kind !== undefined && kind !== 'shape')) return [];
  const matches = match === undefined ? () => true : compileGlob(match);
  return shapes.filter(({ shown, name }) => shown && matches(name));
}
