// Filters of subscriptions, stored with shape ids, so that renames change nothing. A built-in shape that the repository
// has not used yet has no id and is stored by name.

import { compileGlob, problemWithGlob } from '@cairn/model/glob';
import { isBuiltInShape } from '@cairn/model/shape';
import { parseRecordName } from '@cairn/model/wref';
import { SHAPE_NAME } from '@cairn/protocol/names';
import type { SubscriptionFilter } from '@cairn/protocol/subscription';
import { invalidAt } from '../access/invalid.rule.ts';

// The writer tests every operation of a commit against every filter on its repository.
const PREDICATES_MAX = 50;
const SEARCHING_GLOB_WEIGHT = 20;
const DEPTH_MAX = 8;

type OneOrMore<Choice> = Choice | Choice[] | undefined;

interface FilterOf<Shape> extends Omit<SubscriptionFilter, 'shape' | 'all' | 'any' | 'not'> {
  shape?: OneOrMore<Shape>;
  all?: FilterOf<Shape>[] | undefined;
  any?: FilterOf<Shape>[] | undefined;
  not?: FilterOf<Shape> | undefined;
}

type StoredShape = number | string;
export type StoredFilter = FilterOf<StoredShape>;

export interface FilteredOperation {
  readonly operation: string;
  readonly kind: string;
  /** The id of its shape; 0 for a shape itself. */
  readonly shapeId: number;
  readonly shapeName: string;
  readonly names: readonly string[];
}

interface AppliedOperation extends Pick<FilteredOperation, 'operation' | 'kind' | 'shapeId'> {
  readonly name: string;
  readonly nameBefore: string | undefined;
}

export function toFiltered({ operation, kind, shapeId, name, nameBefore }: AppliedOperation): FilteredOperation {
  const names = nameBefore === undefined ? [name] : [nameBefore, name];
  return { operation, kind, shapeId, shapeName: shapeNameIn(name), names };
}

export function shapeNameIn(name: string): string {
  const slash = name.indexOf('/');
  return slash === -1 ? name : name.slice(0, slash);
}

export type MatchesOperation = (operation: FilteredOperation) => boolean;

export function checkFilter(filter: SubscriptionFilter): void {
  const parts = partsOf(filter, 'filter', 1);
  for (const { depth, path } of parts) {
    if (depth > DEPTH_MAX) throw invalidAt(path, `A filter can have at most ${DEPTH_MAX} levels. Flatten it.`);
  }
  const count = parts.reduce((sum, { filter: part }) => sum + predicateCount(part), 0);
  if (count > PREDICATES_MAX) {
    throw invalidAt(
      'filter',
      `A filter can have at most ${PREDICATES_MAX} predicates. This one has ${count}. Use globs, or several subscriptions.`,
    );
  }
  for (const { filter: part, path } of parts) {
    for (const shape of listOf(part.shape)) {
      if (!SHAPE_NAME.test(shape)) throw invalidAt(`${path}.shape`, `${JSON.stringify(shape)} is not a shape name.`);
    }
    for (const name of listOf(part.name)) parseRecordName(name, `${path}.name`);
    for (const glob of listOf(part.match)) {
      const problem = problemWithGlob(glob);
      if (problem !== undefined) throw invalidAt(`${path}.match`, `${JSON.stringify(glob)}: ${problem}.`);
    }
  }
}

interface FilterPart<Shape> {
  readonly filter: FilterOf<Shape>;
  readonly path: string;
  readonly depth: number;
}

function partsOf<Shape>(filter: FilterOf<Shape>, path: string, depth: number): FilterPart<Shape>[] {
  const { all = [], any = [], not } = filter;
  return [
    { filter, path, depth },
    ...all.flatMap((part, at) => partsOf(part, `${path}.all.${at}`, depth + 1)),
    ...any.flatMap((part, at) => partsOf(part, `${path}.any.${at}`, depth + 1)),
    ...(not === undefined ? [] : partsOf(not, `${path}.not`, depth + 1)),
  ];
}

function predicateCount<Shape>({ operation, kind, shape, name, match }: FilterOf<Shape>): number {
  const lookedUp = [operation, kind, shape, name].filter((choices) => choices !== undefined).length;
  return Math.max(1, lookedUp + listOf(match).length);
}

export function weightOf(filter: StoredFilter): number {
  const parts = partsOf(filter, '', 1).map(({ filter: part }) => part);
  const searching = parts.flatMap(({ match }) => listOf(match)).filter((glob) => /\*[^*]+\*/.test(glob)).length;
  const predicates = parts.reduce((sum, part) => sum + predicateCount(part), 0);
  return predicates + searching * (SEARCHING_GLOB_WEIGHT - 1);
}

export function shapesIn<Shape>(filter: FilterOf<Shape>): Shape[] {
  return [...new Set(partsOf(filter, '', 1).flatMap(({ filter: part }) => listOf(part.shape)))];
}

export function toStored(filter: SubscriptionFilter, idOf: (shapeName: string) => number | undefined): StoredFilter {
  return withShapes(filter, (shapeName) => {
    const known = idOf(shapeName) ?? (isBuiltInShape(shapeName) ? shapeName : undefined);
    if (known !== undefined) return known;
    throw invalidAt(
      'filter.shape',
      `There is no shape ${JSON.stringify(shapeName)} in the repository. Create it first.`,
    );
  });
}

export function toShown(stored: StoredFilter, nameOf: (shapeId: number) => string): SubscriptionFilter {
  return withShapes(stored, (shape) => (typeof shape === 'number' ? nameOf(shape) : shape));
}

function withShapes<From, To>(filter: FilterOf<From>, change: (shape: From) => To): FilterOf<To> {
  const { shape, all, any, not, ...rest } = filter;
  const within = (part: FilterOf<From>) => withShapes(part, change);
  return {
    ...rest,
    ...(shape !== undefined && { shape: Array.isArray(shape) ? shape.map(change) : change(shape) }),
    ...(all !== undefined && { all: all.map(within) }),
    ...(any !== undefined && { any: any.map(within) }),
    ...(not !== undefined && { not: within(not) }),
  };
}

export function compileFilter(filter: StoredFilter): MatchesOperation {
  const tests = [...predicatesOf(filter), ...combinationsOf(filter)];
  return (operation) => tests.every((test) => test(operation));
}

function predicatesOf({ operation, kind, shape, name, match }: StoredFilter): MatchesOperation[] {
  const tests: MatchesOperation[] = [];
  const [operations, kinds] = [new Set<string>(listOf(operation)), new Set<string>(listOf(kind))];
  const [shapes, names] = [new Set<StoredShape>(listOf(shape)), new Set(listOf(name))];
  const globs = listOf(match).map(compileGlob);
  if (operation !== undefined) tests.push((made) => operations.has(made.operation));
  if (kind !== undefined) tests.push((made) => kinds.has(made.kind));
  if (shape !== undefined)
    tests.push((made) => made.shapeId !== 0 && (shapes.has(made.shapeId) || shapes.has(made.shapeName)));
  if (name !== undefined) tests.push((made) => made.names.some((one) => names.has(one)));
  if (match !== undefined) tests.push((made) => isAnyMatched(made.names, globs));
  return tests;
}

// A loop replaces callbacks, because a commit may have ten thousand operations for hundreds of globs.
function isAnyMatched(names: readonly string[], globs: readonly ((name: string) => boolean)[]): boolean {
  for (const name of names) {
    for (const matches of globs) if (matches(name)) return true;
  }
  return false;
}

function combinationsOf({ all, any, not }: StoredFilter): MatchesOperation[] {
  const tests = (all ?? []).map(compileFilter);
  if (any !== undefined) {
    const choices = any.map(compileFilter);
    tests.push((made) => choices.some((matches) => matches(made)));
  }
  if (not !== undefined) {
    const matches = compileFilter(not);
    tests.push((made) => !matches(made));
  }
  return tests;
}

function listOf<Choice>(choices: OneOrMore<Choice>): Choice[] {
  if (choices === undefined) return [];
  return Array.isArray(choices) ? choices : [choices];
}
