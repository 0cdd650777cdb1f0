// Operations as callers send them, checked and completed. What an operation may do to a record is decided later, by the
// state that it meets.
import { fail } from '@cairn/protocol/errors';
import { isBuiltInShape } from './built-in-shape.ts';
import { parseRecordName, type RecordName } from './record-name.ts';

export type Operation = AddOperation | ReviseOperation | RetractOperation;
export type OperationName = Operation['operation'];

interface AddOperation {
  readonly operation: 'add';
  readonly kind: 'thing' | 'shape';
  readonly name: RecordName;
  readonly data: unknown;
  readonly skipExisting: boolean;
}

interface ReviseOperation {
  readonly operation: 'revise';
  readonly name: RecordName;
  readonly data: unknown;
  readonly expectedVersion: number | undefined;
}

interface RetractOperation {
  readonly operation: 'retract';
  readonly name: RecordName;
  readonly reason: string | undefined;
  readonly expectedVersion: number | undefined;
}

const FIELDS: Readonly<Record<OperationName, readonly string[]>> = {
  add: ['operation', 'kind', 'name', 'data', 'skipExisting'],
  revise: ['operation', 'kind', 'name', 'data', 'expectedVersion'],
  retract: ['operation', 'kind', 'name', 'reason', 'expectedVersion'],
};

const KINDS = ['thing', 'shape', 'assertion', 'collection'];
export const REASON_CHARACTERS_MAX = 2_000;

export function parseOperation(raw: unknown, skipExisting: boolean): Operation {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw invalid(
      '',
      'An operation is an object, such as { "operation": "add", "name": "Location/cave", "data": {} }.',
    );
  }
  const fields = new Map(Object.entries(raw));
  const operation = fields.get('operation') ?? 'add';
  if (operation !== 'add' && operation !== 'revise' && operation !== 'retract') {
    throw invalid('/operation', 'operation is add, revise or retract.');
  }
  const kind = kindOf(fields);
  refuseUnknownFields(operation, fields);
  const name = parseRecordName(fields.get('name'));
  checkKind(kind, name, operation);
  if (operation === 'retract') {
    return { operation, name, reason: parseText(fields, 'reason'), expectedVersion: parseVersion(fields) };
  }
  if (!fields.has('data')) throw invalid('/data', `${operation} needs data.`);
  const data = fields.get('data');
  if (operation === 'revise') return { operation, name, data, expectedVersion: parseVersion(fields) };
  return {
    operation,
    kind: kind === 'shape' ? 'shape' : 'thing',
    name,
    data,
    skipExisting: parseFlag(fields, 'skipExisting') ?? skipExisting,
  };
}

type Fields = ReadonlyMap<string, unknown>;

/** Given, or told by what the operation carries; a shape always says so. */
function kindOf(fields: Fields): string | undefined {
  const kind = fields.get('kind');
  if (kind !== undefined && !(typeof kind === 'string' && KINDS.includes(kind))) {
    throw invalid('/kind', 'kind is thing, shape, assertion or collection.');
  }
  const relation = kind === 'assertion' || kind === 'collection' || fields.has('about') || fields.has('members');
  if (relation) {
    throw fail('NOT_IMPLEMENTED', { message: 'This version of Cairn does not write assertions and collections yet.' });
  }
  return kind;
}

function refuseUnknownFields(operation: OperationName, fields: Fields): void {
  const unknown = [...fields.keys()].filter((field) => !FIELDS[operation].includes(field));
  if (unknown.length === 0) return;
  throw invalid(
    `/${unknown[0]?.slice(0, 80)}`,
    `${operation} has no field ${unknown.slice(0, 5).join(', ').slice(0, 200)}. It takes ${FIELDS[operation].join(', ')}.`,
  );
}

function checkKind(kind: string | undefined, name: RecordName, operation: OperationName): void {
  const isShape = name.local === '';
  if (isShape && isBuiltInShape(name.shapeName)) {
    throw fail('RESERVED_NAME', { message: `${name.shapeName} is a built-in shape. Choose another name.` });
  }
  if (isShape && operation === 'add' && kind !== 'shape') {
    throw invalid(
      '/name',
      `${name.shapeName} has no part after the shape. Name a thing as Shape/name, or say "kind": "shape".`,
    );
  }
  if (kind !== undefined && (kind === 'shape') !== isShape) {
    throw invalid('/kind', isShape ? 'A bare name is that of a shape.' : "A shape's name has no / in it.");
  }
}

function parseVersion(fields: Fields): number | undefined {
  const version = fields.get('expectedVersion');
  if (version === undefined) return undefined;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) {
    throw invalid('/expectedVersion', 'expectedVersion is a whole number from 1.');
  }
  return version;
}

function parseFlag(fields: Fields, name: string): boolean | undefined {
  const value = fields.get(name);
  if (value !== undefined && typeof value !== 'boolean') throw invalid(`/${name}`, `${name} is true or false.`);
  return value;
}

function parseText(fields: Fields, name: string): string | undefined {
  const value = fields.get(name);
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length > REASON_CHARACTERS_MAX || value.includes('\0')) {
    throw invalid(`/${name}`, `${name} is a text of at most ${REASON_CHARACTERS_MAX} characters.`);
  }
  return value;
}

const invalid = (path: string, message: string) => fail('VALIDATION_ERROR', { message, details: [{ path, message }] });
