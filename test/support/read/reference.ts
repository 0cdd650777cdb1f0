// The naive answer to a read: the reader's whole view of the repository, filtered by one parameter after another.
import type { RecordItem } from '@cairn/protocol/record';
import { assertionsAbout } from './about.ts';
import { matchesGlob } from './glob.ts';
import { type Identity, project } from './path.ts';
import { declaredType, fitsType, holds, OPS } from './predicate.ts';
import type { WorldReader } from './reader.ts';
import type { ReadRequest } from './request.ts';
import { ResolvedWrefs } from './wref.ts';

/** A status and the parameter that the refusal must name. */
export interface Refusal {
  readonly status: 400 | 404;
  readonly parameter: string;
}

export interface Expected {
  readonly repoSeq: number;
  readonly items: readonly RecordItem[];
  readonly refusals: readonly Refusal[];
}

export async function expectedOf(reader: WorldReader, request: ReadRequest): Promise<Expected> {
  const repoSeq = request.atRepoSeq ?? reader.world.repoSeq;
  const view = await reader.viewAt(repoSeq);
  const wrefs = await ResolvedWrefs.of(reader, view, request);
  const refusals = [
    ...combinationRefusals(request),
    ...whereRefusals(request, view),
    ...targetRefusals(request, wrefs),
  ];
  if (refusals.length > 0) return { repoSeq, items: [], refusals };
  const about = targetOf(request);
  const target = about === undefined ? undefined : wrefs.target(about);
  const found = target === undefined ? view : assertionsAbout(view, target, request);
  const items = sorted(
    found.filter((item) => isAsked(item, request, { view, wrefs })),
    request,
  );
  const { fields } = request;
  return { repoSeq, refusals, items: fields === undefined ? items : items.map((item) => project(item, fields)) };
}

const targetOf = ({ wref, about }: ReadRequest) => wref ?? about;

const refuse = (parameter: string): Refusal => ({ status: 400, parameter });

/** Refusals for parameters that require others. */
function combinationRefusals(request: ReadRequest): Refusal[] {
  const { route, about, resolveCollections, role, depth, shape, where } = request;
  const refusals: Refusal[] = [];
  const isAbout = route === 'about' || about !== undefined;
  if (!isAbout && resolveCollections !== undefined) refusals.push(refuse('resolveCollections'));
  if (!isAbout && depth !== undefined) refusals.push(refuse('depth'));
  if (role !== undefined && !(isAbout && resolveCollections === true)) refusals.push(refuse('role'));
  if (where !== undefined && shape === undefined) refusals.push(refuse('where'));
  return refusals;
}

function whereRefusals({ shape, where = [] }: ReadRequest, view: readonly RecordItem[]): Refusal[] {
  if (where.length === 0 || shape === undefined) return [];
  const found = findShape(view, shape);
  if (found === undefined) return [refuse('shape')];
  const isGood = where.every((predicate) => {
    const type = declaredType(found.data, predicate.fieldPath);
    return type !== undefined && OPS[type].includes(predicate.op) && fitsType(predicate, type);
  });
  return isGood ? [] : [refuse('where')];
}

function findShape(view: readonly RecordItem[], name: string): RecordItem | undefined {
  return view.find((item) => item.kind === 'shape' && item.name === name);
}

function targetRefusals(request: ReadRequest, wrefs: ResolvedWrefs): Refusal[] {
  const text = targetOf(request);
  if (text === undefined || wrefs.target(text) !== undefined) return [];
  return [{ status: 404, parameter: text }];
}

interface Surroundings {
  readonly view: readonly RecordItem[];
  readonly wrefs: ResolvedWrefs;
}

function isAsked(item: RecordItem, request: ReadRequest, { view, wrefs }: Surroundings): boolean {
  const { shape, kind, match, where = [], includeRetracted = false } = request;
  const definition = shape === undefined ? undefined : findShape(view, shape);
  const resolve = (text: string): Identity | undefined => wrefs.find(text);
  return (
    (item.active || includeRetracted) &&
    (shape === undefined || item.shapeName === shape) &&
    (kind === undefined || item.kind === kind) &&
    (match === undefined || matchesGlob(match, item.name)) &&
    where.every((one) => holds(item, one, { type: declaredType(definition?.data, one.fieldPath) ?? 'json', resolve }))
  );
}

/** The items arrive in creation order. */
function sorted(items: readonly RecordItem[], { order = 'created' }: ReadRequest): readonly RecordItem[] {
  switch (order) {
    case 'created':
      return items;
    case '-created':
      return items.toReversed();
    case 'updated':
      return items.toSorted(byUpdate);
    case '-updated':
      return items.toSorted(byUpdate).toReversed();
    case 'name':
      return items.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  }
}

const byUpdate = (a: RecordItem, b: RecordItem) =>
  a.repoSeq - b.repoSeq || (a.durableId < b.durableId ? -1 : Number(a.durableId > b.durableId));
