// Suggests names when a record or a shape is not found. It looks them up as the caller, so that nobody learns of
// records they may not read.
import { nearest } from '@cairn/protocol/nearest';
import { type CairnClient, CairnError } from '@cairn/sdk';
import type { AtFlags } from './flags.ts';
import type { RepoName } from './repo-choice.ts';
import type { RepoSession } from './session.ts';

export interface Place extends RepoName {
  readonly client: CairnClient;
}

interface Named {
  readonly name: string;
  readonly what?: 'record' | 'shape';
  /** Call whose error names what is missing, for a `work` whose error does not. */
  readonly clearer?: () => Promise<unknown>;
}

/** If `work` does not find the name, the error suggests similar ones. */
export async function orNear<Result>(place: Place, named: Named, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw await withNear(place, named, error);
  }
}

async function withNear(place: Place, named: Named, error: unknown): Promise<unknown> {
  if (!(error instanceof CairnError) || error.code !== 'NOT_FOUND') return error;
  const refusal = await clearerOf(named, error);
  if (refusal.hint !== undefined) return refusal;
  const near = await nearNames(place, named);
  const hint = near.length === 0 ? await otherVersion(place, named) : didYouMean(near);
  return hint === undefined ? refusal : hinted(refusal, hint);
}

/** Handles an existing record without the requested version. */
async function otherVersion({ client, orgName, repoName }: Place, { name }: Named): Promise<string | undefined> {
  const [, base] = /^(.*)@v\d+$/.exec(name) ?? [];
  if (base === undefined) return undefined;
  const options = { includeRetracted: true };
  const version = await client.thing.get(orgName, repoName, base, options).then(
    (record) => record.version,
    () => undefined,
  );
  return version === undefined ? undefined : `${base} has versions up to ${version}: cairn thing history ${base}`;
}

/** For a new record whose shape is missing: the same name under similar shapes. */
export async function nearShapes(place: Place, name: string): Promise<string[]> {
  const [shape = '', ...local] = name.split('/');
  const shapes = local.length === 0 ? [] : await shapeNames(place).catch(() => []);
  // An existing shape may be retracted.
  const near = shapes.includes(shape) ? [] : nearest(shape, shapes);
  return near.slice(0, SHOWN_MAX).map((one) => [one, ...local].join('/'));
}

async function clearerOf({ clearer }: Named, error: CairnError): Promise<CairnError> {
  const refusal: unknown = await clearer?.().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return refusal instanceof CairnError && refusal.code === 'NOT_FOUND' ? refusal : error;
}

/** Appends a hint to the server's own. */
export function hinted({ fields: { code, ...rest } }: CairnError, hint: string): CairnError {
  return new CairnError(code, { ...rest, hint: rest.hint === undefined ? hint : `${rest.hint} ${hint}` });
}

export const didYouMean = (names: readonly string[]) => `Did you mean ${names.join(' or ')}?`;

const SHOWN_MAX = 3;

/** Empty if nothing is similar or the lookup fails: the original error is enough then. */
export async function nearNames(place: Place, { name, what = 'record' }: Named): Promise<string[]> {
  const [base = ''] = name.split('@');
  if (base === '' || isElsewhere(base)) return [];
  try {
    const near = what === 'shape' ? nearest(base, await shapeNames(place)) : await nearRecords(place, base);
    return near.filter((found) => found !== base).slice(0, SHOWN_MAX);
  } catch (error) {
    if (error instanceof CairnError) return [];
    throw error;
  }
}

/** A record of another repository, or a durable ID, for which similarity means nothing. */
const isElsewhere = (base: string) => base.startsWith('wh:') || /^[0-9A-Z]{26}$/.test(base);

const NAMES_MAX = 500;

export async function shapeNames({ client, orgName, repoName }: Place): Promise<string[]> {
  const { items } = await client.shape.list(orgName, repoName, { limit: NAMES_MAX });
  return items.map(({ name }) => name);
}

async function nearRecords(place: Place, base: string): Promise<string[]> {
  const shapes = await shapeNames(place);
  const at = base.indexOf('/');
  if (at === -1) {
    const named = await existing(place, base, shapes);
    return named.length > 0 ? named : nearest(base, shapes);
  }
  const [shape, local] = [base.slice(0, at), base.slice(at + 1)];
  if (shapes.includes(shape)) return await nearInShape(place, shape, local);
  const meant = nearest(shape, shapes);
  const named = await existing(place, local, meant);
  if (named.length > 0) return named;
  return (await Promise.all(meant.slice(0, SHOWN_MAX).map((one) => nearInShape(place, one, local)))).flat();
}

const LOOKED_UP_MAX = 50;

/** Keeps the shapes that have a record with this exact name. */
async function existing({ client, orgName, repoName }: Place, local: string, shapes: readonly string[]) {
  const wrefs = shapes.slice(0, LOOKED_UP_MAX).map((shape) => `${shape}/${local}`);
  if (wrefs.length === 0) return [];
  const { items } = await client.thing.getMany(orgName, repoName, wrefs);
  return items.flatMap((item) => (item === null ? [] : [item.name]));
}

/** If there are too many names to compare, uses those with the same first letter, which is rarely mistyped. */
async function nearInShape(place: Place, shape: string, local: string): Promise<string[]> {
  const first = [...local][0] ?? '';
  const all = await recordNames(place, `${shape}/**`);
  const cases = [...new Set([first.toLowerCase(), first.toUpperCase()])];
  const lists = all.isWhole
    ? [all]
    : await Promise.all(cases.map((letter) => recordNames(place, `${shape}/${letter}**`)));
  const names = lists.flatMap((list) => list.names).map((name) => name.slice(shape.length + 1));
  return nearest(local, names).map((name) => `${shape}/${name}`);
}

/** Omits the data: no record has a field of this name. */
const NO_FIELDS = ['-'];

async function recordNames({ client, orgName, repoName }: Place, match: string) {
  const options = { match, order: 'name', fields: NO_FIELDS, limit: NAMES_MAX } as const;
  const { items, nextCursor } = await client.thing.head(orgName, repoName, options);
  return { names: items.map(({ name }) => name), isWhole: nextCursor === undefined };
}

interface ShapeFlags extends AtFlags {
  readonly shape?: string;
}

/** Explains an empty list if the shape does not exist. */
export async function tellUnknownShape(opened: RepoSession, { shape, at }: ShapeFlags): Promise<void> {
  if (shape === undefined || !opened.isFollowed || (await isShapeThere(opened, shape, at))) return;
  const [meant] = nearest(shape, await shapeNames(opened).catch(() => []));
  opened.say(`There is no shape "${shape}" here${meant === undefined ? '.' : `; did you mean "${meant}"?`}`);
}

/** For conditions on a missing shape the server's error says so. This adds a suggestion. */
export async function orUnknownShape<Result>(
  opened: RepoSession,
  flags: ShapeFlags,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw await withMeant(opened, flags, error);
  }
}

async function withMeant(opened: RepoSession, { shape, at }: ShapeFlags, error: unknown): Promise<unknown> {
  const isAboutShape = error instanceof CairnError && error.code === 'VALIDATION_ERROR' && error.hint === undefined;
  if (!isAboutShape || shape === undefined || (await isShapeThere(opened, shape, at))) return error;
  const [meant] = nearest(shape, await shapeNames(opened).catch(() => []));
  return meant === undefined ? error : hinted(error, `Did you mean --shape ${meant}?`);
}

/** Retracted shapes count as existing, because they may have records. So do shapes that the caller cannot look up. */
export async function isShapeThere(place: Place, shape: string, atRepoSeq?: number): Promise<boolean> {
  const { client, orgName, repoName } = place;
  return await client.shape.get(orgName, repoName, shape, { includeRetracted: true, atRepoSeq }).then(
    () => true,
    (error: unknown) => !(error instanceof CairnError && error.code === 'NOT_FOUND'),
  );
}
