// Revise, retract and rename in the model.
import { COLLECTION_RULES, type CollectionType, collectionData, collectionTypeOf } from './collection.ts';
import { readContent } from './content.ts';
import type { ModelDraft } from './draft.ts';
import { labelIn, type Outcome, type SentOperation } from './operation.ts';
import { Problems, Refusal } from './refusal.ts';
import { headOf, isSameData, type ModelRecord } from './state.ts';

export function reviseRecord(draft: ModelDraft, operation: SentOperation): Outcome {
  const problems = new Problems();
  const found = subjectOf(draft, operation, problems);
  const data = found && problems.check(() => revisedData(draft, found, operation));
  const record = foundOrRefused(found, problems);
  const head = headOf(record);
  if (head.active && isSameData(head.data, data)) return { status: 'noop', id: record.id };
  return draft.append(record, { active: true, data });
}

export function retractRecord(draft: ModelDraft, operation: SentOperation): Outcome {
  const problems = new Problems();
  const record = foundOrRefused(subjectOf(draft, operation, problems), problems);
  const head = headOf(record);
  return head.active ? draft.append(record, { ...head, active: false }) : { status: 'noop', id: record.id };
}

export function renameRecord(draft: ModelDraft, operation: SentOperation): Outcome {
  const { newName = '' } = operation;
  const [shapeName = '', ...rest] = newName.split('/');
  const label = rest.length === 0 ? shapeName : rest.join('/');
  const problems = new Problems();
  // Only an add may define a token.
  if (labelIn(newName) !== undefined) problems.add('VALIDATION_ERROR');
  if (collectionTypeOf(newName) !== undefined) problems.add('RESERVED_NAME');
  const found = subjectOf(draft, operation, problems);
  if (found && !keepsShape(draft, found, newName)) problems.add('VALIDATION_ERROR');
  const bearer = found && draft.state.findUnder(found.shapeId, label);
  if (bearer && bearer.id !== found.id) problems.add('ALREADY_EXISTS');
  const record = foundOrRefused(found, problems);
  if (record.local === label) return { status: 'noop', id: record.id };
  draft.state = draft.state.with({ ...record, local: label });
  draft.tokens.noteName(newName);
  return { status: 'applied', id: record.id };
}

function keepsShape({ state }: ModelDraft, { shapeId }: ModelRecord, newName: string): boolean {
  return shapeId === 0 ? !newName.includes('/') : newName.startsWith(`${state.record(shapeId).local}/`);
}

/** The record to change, and problems that do not depend on the kind of change. */
function subjectOf(draft: ModelDraft, { name = '', expectedVersion }: SentOperation, problems: Problems) {
  const record = problems.check(() => find(draft, name));
  if (record === undefined) return undefined;
  if (record.shapeId === 0 && collectionTypeOf(record.local) !== undefined) problems.add('RESERVED_NAME');
  if (expectedVersion !== undefined && expectedVersion !== record.versions.length) problems.add('CONFLICT');
  return record;
}

function foundOrRefused(record: ModelRecord | undefined, problems: Problems): ModelRecord {
  problems.end();
  if (record === undefined) throw new Error('neither found nor refused');
  return record;
}

function find({ start, state, tokens }: ModelDraft, name: string): ModelRecord {
  if (name.startsWith('#')) return state.record(tokens.resolve(Number(name.slice(1))));
  const identity = start.durableIds.get(name);
  if (identity !== undefined && identity.repo !== start.repo) throw new Refusal('NOT_FOUND');
  const found = identity === undefined ? state.find(name) : state.record(identity.id);
  if (found !== undefined) return found;
  throw tokens.missing(name, 'NOT_FOUND');
}

function revisedData(draft: ModelDraft, record: ModelRecord, { data, members }: SentOperation): unknown {
  const present = headOf(record).data;
  const shape = record.shapeId === 0 ? undefined : draft.state.record(record.shapeId);
  const type = shape && collectionTypeOf(shape.local);
  if (type !== undefined) {
    const texts = members ?? membersIn(type, data);
    return collectionData(type, draft.members(type, texts, present));
  }
  if (members !== undefined) throw new Refusal('VALIDATION_ERROR');
  if (shape === undefined) return draft.definition(data, { name: record.local, id: record.id });
  return readContent(draft.reader, { shape, data, present });
}

/** The data of a collection holds its members, each at its path, and nothing else. */
function membersIn(type: CollectionType, data: unknown): readonly string[] {
  const { places } = COLLECTION_RULES[type];
  const held = data as Readonly<Record<string, string | readonly string[]>>;
  const isWhole = places.every((place) => held[place] !== undefined) && Object.keys(held).length === places.length;
  if (!isWhole) throw new Refusal('SHAPE_MISMATCH');
  return places.flatMap((place) => held[place] ?? []);
}
