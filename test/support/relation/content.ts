// Data in the model: validation against its shape, and resolution of its wrefs.
import { pointerTo } from '@cairn/model/json-pointer';
import { Problems, Refusal } from './refusal.ts';
import { headOf, type ModelRecord, ModelRef, refsIn } from './state.ts';
import { Ambiguity, type ModelReader, resolve } from './target.ts';

type JsonObject = Readonly<Record<string, unknown>>;

interface Field {
  readonly type: string | JsonObject;
  readonly items?: boolean;
  readonly shape?: string | ModelRef | undefined;
}

interface Reading {
  readonly reader: ModelReader;
  /** The current version, for a revision. */
  readonly present: unknown;
  readonly problems: Problems;
}

export function readContent(reader: ModelReader, { shape, data, present }: Content): unknown {
  const problems = new Problems();
  const { fields } = headOf(shape).data as { fields: JsonObject };
  const read = readObject(fields, { value: data, path: '' }, { reader, present, problems });
  problems.end();
  return read;
}

export interface Content {
  readonly shape: ModelRecord;
  readonly data: unknown;
  readonly present?: unknown;
}

interface Place {
  readonly value: unknown;
  readonly path: string;
}

function readObject(fields: JsonObject, { value, path }: Place, reading: Reading): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    reading.problems.add('SHAPE_MISMATCH');
    return value;
  }
  const types = new Map(Object.entries(fields).map(([key, field]) => [key.replace('?', ''), field]));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const field = types.get(key);
      const place = { value: member, path: pointerTo(path, key) };
      return [key, field === undefined || member === null ? member : readField(fieldOf(field), place, reading)];
    }),
  );
}

function fieldOf(definition: unknown): Field {
  if (Array.isArray(definition)) return { ...fieldOf(definition[0]), items: true };
  if (typeof definition === 'string') return { type: definition };
  const { type, shape } = definition as { type?: string; shape?: string | ModelRef };
  return type === undefined ? { type: definition as JsonObject } : { type, shape };
}

function readField(field: Field, place: Place, reading: Reading): unknown {
  const { value, path } = place;
  if (field.items) {
    if (!Array.isArray(value)) return mismatch(reading, value);
    const { items: _, ...item } = field;
    return value.map((one, index) => readField(item, { value: one, path: pointerTo(path, index) }, reading));
  }
  if (typeof field.type !== 'string') return readObject(field.type, place, reading);
  if (field.type !== 'wref') return typeof value === field.type ? value : mismatch(reading, value);
  if (typeof value !== 'string') return mismatch(reading, value);
  return reading.problems.check(() => readWref(field, { value, path }, reading));
}

function mismatch({ problems }: Reading, value: unknown): unknown {
  problems.add('SHAPE_MISMATCH');
  return value;
}

function readWref({ shape: required }: Field, { value, path }: { value: string; path: string }, reading: Reading) {
  const { reader, present } = reading;
  const carried = carriedRef({ text: value, path, present });
  const ref = carried ?? resolve(reader, value, { field: true, held: { present, path } });
  // A reference that is already there was validated when it was written.
  const stays = refsIn(present).some((held) => held.path === path && held.ref.isSame(ref));
  if (required !== undefined && !stays && !hasShape(reader, { ref, required })) throw new Refusal('SHAPE_MISMATCH');
  return ref;
}

interface Carried {
  readonly text: string;
  readonly path: string;
  readonly present: unknown;
}

/**
 * A reference that was read and is sent back keeps its meaning, whoever sends it and whatever the other repository did
 * since.
 */
export function carriedRef({ text, path, present }: Carried): ModelRef | undefined {
  const held = refsIn(present).filter(({ ref }) => ref.text === text);
  const found = held.find((placed) => placed.path === path) ?? held[0];
  if (found === undefined) return undefined;
  if (found.path !== path && held.some(({ ref }) => !ref.isSame(found.ref))) throw new Ambiguity();
  const { repo, id, version } = found.ref;
  return new ModelRef({ repo, id, version, exact: true, text });
}

interface Requirement {
  readonly ref: ModelRef;
  readonly required: string | ModelRef;
}

/**
 * A shape is required by identity, or by name if no shape had that name. In another repository, the name in the wref
 * decides.
 */
function hasShape({ repo, state }: ModelReader, { ref, required }: Requirement): boolean {
  const name = required instanceof ModelRef ? required.asked : required;
  if (ref.repo !== repo) {
    const [, , shapeName, ...rest] = ref.text?.split('/') ?? [];
    return rest.length > 0 && shapeName === name;
  }
  const { shapeId } = state.record(ref.id);
  if (shapeId === 0) return false;
  return required instanceof ModelRef ? required.id === shapeId : state.record(shapeId).local === required;
}
