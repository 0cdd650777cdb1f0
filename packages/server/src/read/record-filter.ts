// What a list of records is asked for, made into a filter of the store: shapes by their names, conditions by what the
// shape declares, wrefs by whom they mean. All as it was at the sequence read.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { QueryInput } from '@cairn/protocol/read';
import { followOf } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { problemWithGlob } from '../model/glob.ts';
import { parseRecordName } from '../model/record-name.ts';
import { MEMBER_ROLES } from '../model/reference-role.ts';
import { parsePin, parseWref } from '../model/wref.ts';
import { parseSearchWords } from '../search/search-text.rule.ts';
import { parseShape } from '../shape/shape-definition.rule.ts';
import type { AboutCondition, FieldCondition, PointedRecord, RecordFilter } from './list/list-request.sql.ts';
import { findRecordIds, findRecordRows } from './record.sql.ts';
import { sequenceOf } from './thing.ts';
import { readCondition, readPredicate, refuse } from './where.ts';
import { locateWrefs } from './wref.ts';

/** What of a request decides which records are in the list. */
export type FilterInput = Omit<QueryInput, 'orgName' | 'repoName' | 'order' | 'fields' | 'limit' | 'cursor' | 'count'>;

/** What is wrong with the parameters by themselves or together, whatever the repository holds. */
export function checkFilter(input: FilterInput, targetName: TargetName): void {
  const { match, where = [], shape, about, q, atRepoSeq, resolveCollections, role, depth, acrossRepos } = input;
  const problem = match === undefined ? undefined : problemWithGlob(match);
  if (problem !== undefined) throw invalid('match', `${problem}.`);
  // Without a wildcard it is a name, and what cannot be one would silently match nothing.
  if (match !== undefined && !match.includes('*')) checked('match', () => parseRecordName(match));
  if (where.length > 0 && shape === undefined) throw refuse('Conditions need shape, whose fields they are about.');
  where.forEach(readPredicate);
  const needAbout = { resolveCollections, role, depth, acrossRepos };
  for (const [name, value] of Object.entries(needAbout)) {
    if (value !== undefined && about === undefined)
      throw invalid(name, `${name} needs about, the record it starts from.`);
  }
  if (role !== undefined && resolveCollections !== true) throw invalid('role', 'role needs resolveCollections=true.');
  if (acrossRepos === true && atRepoSeq !== undefined) {
    throw invalid('atRepoSeq', 'atRepoSeq counts the commits of one repository. Leave it away with acrossRepos.');
  }
  if (q !== undefined && atRepoSeq !== undefined) {
    throw invalid('atRepoSeq', 'Words are searched for in what is there now. Leave atRepoSeq away with q.');
  }
  if (q !== undefined) parseSearchWords(q);
  if (about !== undefined) checked(targetName, () => parseWref(about));
}

export function invalid(path: string, message: string): CairnError {
  return fail('VALIDATION_ERROR', { message: `${path}: ${message}`, details: [{ path, message }] });
}

/** What the record that is asked about is called in a request. */
export type TargetName = 'about' | 'wref';

/** What cannot be read is refused by the name of its parameter. */
function checked<Read>(path: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw invalid(path, (error as Error).message);
  }
}

interface FilterRequest {
  readonly input: FilterInput;
  readonly atRepoSeq: number;
  /** The record that is asked about, where that was looked up already. */
  readonly target?: PointedRecord | undefined;
}

/** `undefined` when nothing can be in the list. */
export async function readFilter(
  context: Context,
  grant: Grant,
  request: FilterRequest,
): Promise<RecordFilter | undefined> {
  const { input, atRepoSeq } = request;
  const { kind, match, includeRetracted = false, about } = input;
  const shape =
    input.shape === undefined ? undefined : await findShape(context, grant, { name: input.shape, atRepoSeq });
  if (input.shape !== undefined && shape === undefined) {
    if ((input.where ?? []).length > 0) throw invalid('shape', `There is no shape ${input.shape} in this repository.`);
    return undefined;
  }
  const where = shape === undefined ? [] : await readConditions(context, grant, { input, shape, atRepoSeq });
  const target =
    about === undefined ? undefined : (request.target ?? (await findTarget(context, grant, { about, atRepoSeq })));
  return {
    atRepoSeq,
    shape,
    kind,
    match,
    where,
    includeRetracted,
    about: target && aboutCondition(input, target),
    search: input.q === undefined ? undefined : parseSearchWords(input.q),
    follow: followOf(context),
  };
}

interface ShapeAddress {
  readonly name: string;
  readonly atRepoSeq: number;
}

async function findShape({ store }: Context, grant: Grant, { name, atRepoSeq }: ShapeAddress) {
  const wrefs = [{ name: { shapeName: name, local: '' }, version: undefined }];
  const [shapeId] = await findRecordIds(store.database, grant, { wrefs, atRepoSeq });
  return shapeId === undefined ? undefined : { shapeId, name };
}

interface ConditionsRequest {
  readonly input: FilterInput;
  readonly shape: { readonly shapeId: number; readonly name: string };
  readonly atRepoSeq: number;
}

async function readConditions(
  context: Context,
  grant: Grant,
  { input, shape, atRepoSeq }: ConditionsRequest,
): Promise<FieldCondition[]> {
  const predicates = (input.where ?? []).map(readPredicate);
  if (predicates.length === 0) return [];
  const wrefs = [{ recordId: shape.shapeId, version: undefined }];
  // As it is stored: shapes that it asks for may be hidden, which changes nothing about its fields.
  const [definition] = await findRecordRows(context.store.database, grant, { wrefs, atRepoSeq });
  // A shape that the caller may not see is as if it were not there.
  if (definition === undefined) throw invalid('shape', `There is no shape ${shape.name} in this repository.`);
  const reading = {
    shape: parseShape(JSON.parse(definition.data)),
    shapeName: shape.name,
    resolveWrefs: (texts: readonly string[]) => resolveWrefs(context, grant, { texts, atRepoSeq }),
  };
  return await Promise.all(predicates.map((predicate) => readCondition(predicate, reading)));
}

interface WrefsRequest {
  readonly texts: readonly string[];
  readonly atRepoSeq: number;
}

/** Whom texts mean: in this repository at the sequence, in another one now. One look-up for each repository. */
async function resolveWrefs(context: Context, grant: Grant, { texts, atRepoSeq }: WrefsRequest) {
  for (const text of texts) checked('where', () => parseWref(text));
  const located = await locateWrefs(context, grant, { texts, atRepoSeq: undefined });
  const found: (PointedRecord | undefined)[] = texts.map(() => undefined);
  const places = located.flatMap((place, index) => (place === undefined ? [] : [{ ...place, index }]));
  for (const [repoId, some] of Map.groupBy(places, (place) => place.grant.repoId)) {
    const there = some[0]?.grant ?? grant;
    const at = repoId === grant.repoId ? atRepoSeq : sequenceOf(there, undefined);
    const wrefs = some.map(({ wref }) => wref);
    for (const row of await findRecordRows(context.store.database, there, { wrefs, atRepoSeq: at })) {
      const index = some[row.index]?.index ?? -1;
      found[index] = { repoId, recordId: row.record_id, version: versionMeant(texts[index] ?? '', row.version) };
    }
  }
  return found;
}

/** Bare means whichever version. */
function versionMeant(text: string, current: number): number | undefined {
  const { pin } = parsePin(text);
  return pin === 'HEAD' ? current : typeof pin === 'number' ? pin : undefined;
}

interface TargetRequest {
  readonly about: string;
  readonly atRepoSeq: number;
}

export async function findTarget(
  context: Context,
  grant: Grant,
  { about, atRepoSeq }: TargetRequest,
): Promise<PointedRecord> {
  const [target] = await resolveWrefs(context, grant, { texts: [about], atRepoSeq });
  if (target !== undefined) return target;
  throw targetNotFound();
}

/** The repository or the record, missing or hidden: all are one and the same answer. */
export function targetNotFound(): CairnError {
  const message = 'There is no such repository, or no record by that wref in it, or you may not see it.';
  return fail('NOT_FOUND', { message });
}

export function aboutCondition(
  { resolveCollections, role, depth = 1 }: FilterInput,
  target: PointedRecord,
): AboutCondition {
  const roles = role === undefined ? MEMBER_ROLES : [role];
  return { target, depth, memberRoles: resolveCollections ? roles : [] };
}
