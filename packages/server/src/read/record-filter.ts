// Turns the parameters of a list into a filter of the store, as of the sequence read.

import { problemWithGlob } from '@cairn/model/glob';
import { pointerTo, pointerTokens } from '@cairn/model/json-pointer';
import { declaredField, type Field, parseShape, type Shape } from '@cairn/model/shape';
import { MEMBER_ROLES, parsePin, parseRecordName, parseWref } from '@cairn/model/wref';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { type QueryInput, WHERE_OPS, type WhereOp, type WherePredicate } from '@cairn/protocol/read';
import { followOf } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { invalidAt } from '../access/invalid.rule.ts';
import { parseSearchWords } from '../search/search-text.rule.ts';
import type { AboutCondition, FieldCondition, PointedRecord, RecordFilter } from './list/list-request.sql.ts';
import { findRecordIds, findRecordRows } from './record.sql.ts';
import { sequenceOf } from './thing.ts';
import { locateWrefs } from './wref.ts';

export type FilterInput = Omit<QueryInput, 'orgName' | 'repoName' | 'order' | 'fields' | 'limit' | 'cursor' | 'count'>;

export function checkFilter(input: FilterInput, targetName: 'about' | 'wref'): void {
  const { match, where = [], shape, about, q, atRepoSeq, resolveCollections, role, depth, acrossRepos } = input;
  const problem = match === undefined ? undefined : problemWithGlob(match);
  if (problem !== undefined) throw invalidAt('match', `${problem}.`);
  // A pattern without a wildcard is a name, and an invalid name would silently match nothing.
  if (match !== undefined && !match.includes('*')) checked('match', () => parseRecordName(match));
  if (where.length > 0 && shape === undefined)
    throw invalidAt('where', 'Conditions need shape, which defines the fields.');
  where.forEach(readPredicate);
  const needAbout = { resolveCollections, role, depth, acrossRepos };
  for (const [name, value] of Object.entries(needAbout)) {
    if (value !== undefined && about === undefined)
      throw invalidAt(name, `${name} needs about, the record to start from.`);
  }
  if (role !== undefined && resolveCollections !== true) throw invalidAt('role', 'role needs resolveCollections=true.');
  if (acrossRepos === true && atRepoSeq !== undefined) {
    throw invalidAt('atRepoSeq', 'atRepoSeq counts the commits of one repository. Leave it out with acrossRepos.');
  }
  if (q !== undefined && atRepoSeq !== undefined) {
    throw invalidAt('atRepoSeq', 'Search covers only the current state. Leave out atRepoSeq with q.');
  }
  if (q !== undefined) parseSearchWords(q);
  if (about !== undefined) checked(targetName, () => parseWref(about));
}

function checked<Read>(path: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw invalidAt(path, (error as Error).message);
  }
}

export async function readFilter(
  context: Context,
  grant: Grant,
  request: { input: FilterInput; atRepoSeq: number; target?: PointedRecord | undefined },
): Promise<RecordFilter | undefined> {
  const { input, atRepoSeq } = request;
  const { kind, match, includeRetracted = false, about } = input;
  const shape = input.shape === undefined ? undefined : await findShape(context, grant, input.shape, atRepoSeq);
  if (input.shape !== undefined && shape === undefined) {
    if ((input.where ?? []).length > 0)
      throw invalidAt('shape', `There is no shape ${input.shape} in this repository.`);
    return undefined;
  }
  const where = shape === undefined ? [] : await readConditions(context, grant, { input, shape, atRepoSeq });
  const target =
    about === undefined ? undefined : (request.target ?? (await findTarget(context, grant, about, atRepoSeq)));
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

async function findShape({ store }: Context, grant: Grant, name: string, atRepoSeq: number) {
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
  const [definition] = await findRecordRows(context.store.database, grant, { wrefs, atRepoSeq });
  if (definition === undefined) throw invalidAt('shape', `There is no shape ${shape.name} in this repository.`);
  const reading = {
    shape: parseShape(JSON.parse(definition.data)),
    shapeName: shape.name,
    resolveWrefs: (texts: readonly string[]) => resolveWrefs(context, grant, texts, atRepoSeq),
  };
  return await Promise.all(predicates.map((predicate) => readCondition(predicate, reading)));
}

async function resolveWrefs(context: Context, grant: Grant, texts: readonly string[], atRepoSeq: number) {
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

function versionMeant(text: string, current: number): number | undefined {
  const { pin } = parsePin(text);
  return pin === 'HEAD' ? current : typeof pin === 'number' ? pin : undefined;
}

export async function findTarget(
  context: Context,
  grant: Grant,
  about: string,
  atRepoSeq: number,
): Promise<PointedRecord> {
  const [target] = await resolveWrefs(context, grant, [about], atRepoSeq);
  if (target !== undefined) return target;
  throw targetNotFound();
}

/** Missing and hidden targets get the same answer. */
export function targetNotFound(): CairnError {
  const message = 'The repository or the record of the wref does not exist, or you may not see it.';
  return fail('NOT_FOUND', { message });
}

export function aboutCondition(
  { resolveCollections, role, depth = 1 }: FilterInput,
  target: PointedRecord,
): AboutCondition {
  const roles = role === undefined ? MEMBER_ROLES : [role];
  return { target, depth, memberRoles: resolveCollections ? roles : [] };
}

const VALUES_MAX = 100;
const SHORT_FORM = new RegExp(`^(.+?):(${WHERE_OPS.join('|')})(?::(.*))?$`, 's');
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

interface Predicate {
  readonly fieldPath: string;
  readonly op: WhereOp;
  readonly rhs: unknown;
  readonly isText: boolean;
}

export function readPredicate(given: string | WherePredicate): Predicate {
  if (typeof given !== 'string') return { ...given, rhs: given.rhs, isText: false };
  const [, fieldPath, op, rhs] = SHORT_FORM.exec(given) ?? [];
  if (fieldPath === undefined || op === undefined) {
    throw invalidAt(
      'where',
      `${quoteShort(given)} is not a condition. Write path:op:value, such as severity:gte:3; op is one of ${WHERE_OPS.join(', ')}.`,
    );
  }
  return { fieldPath, op: op as WhereOp, rhs, isText: true };
}

const quoteShort = (value: unknown) => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};

type Comparable = 'number' | 'string' | 'boolean' | 'wref';

const ORDERED: readonly WhereOp[] = ['gt', 'gte', 'lt', 'lte'];
const OPS: Readonly<Record<Comparable | 'any', readonly WhereOp[]>> = {
  number: ['eq', 'ne', ...ORDERED, 'in', 'exists'],
  string: ['eq', 'ne', ...ORDERED, 'prefix', 'in', 'exists'],
  boolean: ['eq', 'ne', 'in', 'exists'],
  wref: ['eq', 'ne', 'in', 'exists'],
  any: ['exists'],
};

type ResolveWrefs = (texts: readonly string[]) => Promise<readonly (PointedRecord | undefined)[]>;

async function readCondition(
  predicate: Predicate,
  reading: { shape: Shape; shapeName: string; resolveWrefs: ResolveWrefs },
): Promise<FieldCondition> {
  const { fieldPath, op } = predicate;
  const { shape, shapeName } = reading;
  const field = fieldAt(shape, fieldPath);
  if (field === undefined) {
    throw invalidAt(
      'where',
      `The shape ${shapeName} declares no field ${quoteShort(fieldPath)}. It has ${fieldNames(shape)}.`,
    );
  }
  const type = comparableType(field);
  if (!OPS[type].includes(op)) {
    throw invalidAt(
      'where',
      `${op} does not work with ${fieldPath}, which has the type ${field.type}. Use ${OPS[type].join(', ')}.`,
    );
  }
  const place = { ...parsePointer(fieldPath), op };
  if (op === 'exists' || type === 'any') return existence(place, type, wantsPresence(predicate));
  const values = operandsOf(predicate);
  if (type !== 'wref')
    return { ...place, type, values: values.map((value) => operandOf(value, type, predicate)) } as FieldCondition;
  const texts = values.map((value) => operandOf(value, 'string', predicate) as string);
  const found = await reading.resolveWrefs(texts);
  return { ...place, type, values: found.filter((target) => target !== undefined) };
}

function existence(
  place: ReturnType<typeof parsePointer> & { op: WhereOp },
  type: Comparable | 'any',
  exists: boolean,
): FieldCondition {
  return type === 'wref' ? { ...place, type, values: [], exists } : { ...place, type: 'any', exists };
}

function comparableType({ type }: Field): Comparable | 'any' {
  return type === 'number' || type === 'string' || type === 'boolean' || type === 'wref' ? type : 'any';
}

function fieldNames({ fields }: Shape): string {
  const names = [...fields.keys()];
  return names.length === 0 ? 'none' : `${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`;
}

function parsePointer(path: string): Pick<FieldCondition, 'pointer' | 'tokens'> {
  const tokens = stepsOf(path);
  return { pointer: tokens.reduce<string>(pointerTo, ''), tokens };
}

const stepsOf = (path: string) => (path.startsWith('/') ? pointerTokens(path) : path.split('.'));

/** Items of arrays cannot be addressed, because their index changes. */
function fieldAt(shape: Shape, path: string): Field | undefined {
  if (path.includes('\0')) throw invalidAt('where', 'A condition cannot use a field with U+0000 in its name.');
  const field = declaredField(shape, path);
  const parents = stepsOf(path).slice(0, -1);
  const within = parents.map((_, index) => parents.slice(0, index + 1).reduce<string>(pointerTo, ''));
  return within.some((parent) => declaredField(shape, parent)?.type === 'array') ? undefined : field;
}

function wantsPresence({ rhs, fieldPath, isText }: Predicate): boolean {
  if (rhs === undefined || rhs === (isText ? 'true' : true)) return true;
  if (rhs === (isText ? 'false' : false)) return false;
  throw invalidAt('where', `${fieldPath}:exists takes true or false, not ${quoteShort(rhs)}.`);
}

function operandsOf({ rhs, op, isText, fieldPath }: Predicate): readonly unknown[] {
  if (rhs === undefined)
    throw invalidAt('where', `${fieldPath}:${op} has no value to compare with. Write ${fieldPath}:${op}:value.`);
  if (op !== 'in') return [rhs];
  const values = isText ? String(rhs).split(',') : rhs;
  if (!Array.isArray(values) || values.length === 0 || values.length > VALUES_MAX) {
    throw invalidAt(
      'where',
      `${fieldPath}:in takes 1 to ${VALUES_MAX} values, separated by commas, or in a JSON list.`,
    );
  }
  return values;
}

function operandOf(value: unknown, type: Exclude<Comparable, 'wref'>, { isText, fieldPath }: Predicate): unknown {
  if (isText && type === 'number' && JSON_NUMBER.test(String(value)) && Number.isFinite(Number(value)))
    return Number(value);
  if (isText && type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  // Stored text never contains lone surrogates.
  const fits =
    (!isText || type === 'string') && typeof value === type && (type !== 'string' || String(value).isWellFormed());
  if (!fits || (type === 'number' && !Number.isFinite(value))) {
    throw invalidAt(
      'where',
      `${fieldPath} has the type ${type}, but ${quoteShort(value)} does not. Compare it with a ${type}.`,
    );
  }
  return value;
}
