// Adds in the model: things and assertions, shapes, and collections with and without a name.
import { COLLECTION_RULES, collectionData, collectionTypeOf, derivedKey } from './collection.ts';
import { readContent } from './content.ts';
import type { ModelDraft } from './draft.ts';
import { collectionName, type Outcome, type SentOperation } from './operation.ts';
import { Problems, Refusal } from './refusal.ts';
import { headOf, isSameData, type ModelRecord } from './state.ts';
import { resolve } from './target.ts';

export function addRecord(draft: ModelDraft, operation: SentOperation, opIndex: number): Outcome {
  if (operation.type !== undefined) return addCollection(draft, operation, opIndex);
  return operation.kind === 'shape' ? addShape(draft, operation) : addOther(draft, operation, opIndex);
}

function addOther(draft: ModelDraft, operation: SentOperation, opIndex: number): Outcome {
  const { name = '', data, about, skipExisting } = operation;
  const [shapeName = '', ...rest] = name.split('/');
  const problems = new Problems();
  const local = problems.check(() => draft.localFor(rest.join('/'), opIndex)) ?? '';
  const shape = problems.check(() => shapeFor(draft, shapeName));
  const existing = shape && draft.state.findUnder(shape.id, local);
  if (existing && skipExisting) return { status: 'noop', id: existing.id };
  if (existing) problems.add('ALREADY_EXISTS');
  const target = about === undefined ? undefined : problems.check(() => resolve(draft.reader, about, { field: false }));
  const read = shape && problems.check(() => readContent(draft.reader, { shape, data }));
  problems.end();
  const kind = about === undefined ? 'thing' : 'assertion';
  return draft.make({ kind, shapeId: shape?.id ?? 0, local, about: target, data: read }, { name, opIndex });
}

function shapeFor({ state, tokens }: ModelDraft, shapeName: string): ModelRecord {
  const shape = state.find(shapeName);
  if (shape !== undefined && headOf(shape).active) return shape;
  throw shape === undefined ? tokens.missing(shapeName, 'TARGET_NOT_FOUND') : new Refusal('TARGET_NOT_FOUND');
}

function addShape(draft: ModelDraft, { name = '', data, skipExisting }: SentOperation): Outcome {
  if (collectionTypeOf(name) !== undefined) throw new Refusal('RESERVED_NAME');
  const existing = draft.state.find(name);
  if (existing === undefined) return makeShape(draft, name, data);
  if (skipExisting) return { status: 'noop', id: existing.id };
  throw new Refusal('ALREADY_EXISTS');
}

function makeShape(draft: ModelDraft, name: string, definition: unknown): Outcome {
  const data = draft.definition(definition, { name, id: draft.state.records.length + 1 });
  return draft.make({ kind: 'shape', shapeId: 0, local: name, about: undefined, data }, { name, opIndex: -1 });
}

function addCollection(draft: ModelDraft, operation: SentOperation, opIndex: number): Outcome {
  const { type = 'set', name, members = [], skipExisting } = operation;
  const { shapeName } = COLLECTION_RULES[type];
  const problems = new Problems();
  const given = name === undefined ? '' : collectionName(type, name).slice(shapeName.length + 1);
  const local = problems.check(() => draft.localFor(given, opIndex)) ?? '';
  const named = local === '' ? undefined : draft.state.find(`${shapeName}/${local}`);
  if (named && skipExisting) return { status: 'noop', id: named.id };
  if (named) problems.add('ALREADY_EXISTS');
  const refs = problems.check(() => draft.members(type, members)) ?? [];
  problems.end();
  const data = collectionData(type, refs);
  if (name !== undefined) return makeCollection(draft, { shapeName, local, data }, { name, opIndex });
  const key = derivedKey(type, refs);
  const derived = draft.derivedLocal(key);
  const found = draft.state.find(`${shapeName}/${derived}`);
  if (found !== undefined) return leaveAlone(found, data, skipExisting);
  return makeCollection(draft, { shapeName, local: derived, data }, { name: '', opIndex, key });
}

interface NewCollection {
  readonly shapeName: string;
  readonly local: string;
  readonly data: unknown;
}

/** Creates the collection's shape at first use. */
function makeCollection(
  draft: ModelDraft,
  { shapeName, local, data }: NewCollection,
  making: Parameters<ModelDraft['make']>[1],
): Outcome {
  const shapeId = draft.state.find(shapeName)?.id ?? makeShape(draft, shapeName, undefined).id;
  return draft.make({ kind: 'collection', shapeId, local, about: undefined, data }, making);
}

/**
 * An identical collection without a name is left unchanged. Members pinned to other versions make it a different one.
 */
function leaveAlone(found: ModelRecord, data: unknown, skipExisting = false): Outcome {
  const head = headOf(found);
  if (skipExisting || (head.active && isSameData(head.data, data))) return { status: 'noop', id: found.id };
  throw new Refusal('ALREADY_EXISTS');
}
