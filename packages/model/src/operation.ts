// Operations as callers send them, validated and completed. The current state decides later how an operation affects a
// record.
import { CairnError, fail } from '@cairn/protocol/errors';
import { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import { COLLECTION_TYPE_OF, COLLECTIONS, type CollectionType } from './collection.ts';
import { isJsonObject, type JsonObject, ownValue } from './json.ts';
import { type NamePlaceholder, parseNamePlaceholder, parsePlaceholderReference } from './placeholder.ts';
import { GUARDED_SHAPES, isBuiltInShape } from './shape.ts';
import { type DurableIdParts, parseDurableId, parseNewRecordName, parseRecordName, type RecordName } from './wref.ts';
import type { WrittenData } from './written-data.ts';

export type Operation = AddOperation | AddCollection | ReviseOperation | RetractOperation | RenameOperation;
export type OperationName = Operation['operation'];

/** The name of a new record. With a token, `local` has a stand-in for the later value. */
export interface NewName extends RecordName {
  readonly token: NamePlaceholder | undefined;
}

/** The record that an operation changes: by name, by durable ID, or by the token of the operation that adds it. */
export type Subject = { readonly name: RecordName } | DurableIdParts | { readonly token: number };

interface AddOperation {
  readonly operation: 'add';
  readonly kind: 'thing' | 'assertion' | 'shape';
  readonly name: NewName;
  readonly submittedName: string;
  /** Unused if `written` holds the data already. */
  readonly data: unknown;
  readonly written?: WrittenData | undefined;
  /** The wref of an assertion's subject; `undefined` for the other kinds. */
  readonly about: string | undefined;
  readonly skipExisting: boolean;
}

interface AddCollection {
  readonly operation: 'add';
  readonly kind: 'collection';
  readonly type: CollectionType;
  /** `undefined` if derived from the members. */
  readonly name: NewName | undefined;
  readonly submittedName: string | undefined;
  readonly members: readonly string[];
  readonly skipExisting: boolean;
}

interface Change {
  readonly subject: Subject;
  readonly submittedName: string;
  readonly kind: Kind | undefined;
  readonly expectedVersion: number | undefined;
}

interface ReviseOperation extends Change {
  readonly operation: 'revise';
  /** The whole new data. A collection may take its members instead. */
  readonly content: { readonly data: unknown } | { readonly members: readonly string[] };
}

interface RetractOperation extends Change {
  readonly operation: 'retract';
  readonly reason: string | undefined;
}

interface RenameOperation extends Change {
  readonly operation: 'rename';
  readonly newName: RecordName;
}

const OPERATION_NAMES: readonly OperationName[] = ['add', 'revise', 'retract', 'rename'];
const KINDS = ['thing', 'shape', 'assertion', 'collection'] as const;
type Kind = (typeof KINDS)[number];

const CHANGE_FIELDS = ['operation', 'kind', 'name', 'expectedVersion'];
const ADD_FIELDS = ['operation', 'kind', 'name', 'skipExisting'];
const FIELDS = {
  add: [...ADD_FIELDS, 'data'],
  assertion: [...ADD_FIELDS, 'data', 'about'],
  collection: [...ADD_FIELDS, 'type', 'members'],
  revise: [...CHANGE_FIELDS, 'data', 'members'],
  retract: [...CHANGE_FIELDS, 'reason'],
  rename: [...CHANGE_FIELDS, 'newName'],
};

/** Returns a refusal, because one bad operation need not stop the others. */
export function parseOperation(raw: unknown, skipExisting: boolean): Operation | CairnError {
  try {
    return parseSent(raw, skipExisting);
  } catch (error) {
    if (error instanceof CairnError) return error;
    throw error;
  }
}

function parseSent(raw: unknown, skipExisting: boolean): Operation {
  const fields = OperationFields.of(raw);
  const operation = fields.choice('operation', OPERATION_NAMES) ?? 'add';
  if (operation === 'add') return parseAdd(fields, skipExisting);
  if (operation !== 'rename' && operation !== 'retract' && fields.has('about')) {
    throw invalidField('/about', 'The subject of an assertion cannot change. Add another assertion instead.');
  }
  fields.refuseOthers(`A ${operation}`, FIELDS[operation]);
  const change = parseChange(fields);
  switch (operation) {
    case 'revise':
      return { operation, ...change, content: parseContent(fields) };
    case 'retract':
      return { operation, ...change, reason: fields.text('reason') };
    case 'rename':
      return { operation, ...change, newName: parseNewLabel(fields) };
  }
}

function parseAdd(fields: OperationFields, skipExistingByDefault: boolean): AddOperation | AddCollection {
  const kind = addedKind(fields);
  const skipExisting = fields.flag('skipExisting') ?? skipExistingByDefault;
  if (kind === 'collection') return parseCollection(fields, skipExisting);
  fields.refuseOthers(
    kind === 'assertion' ? 'An assertion' : 'An add',
    FIELDS[kind === 'assertion' ? 'assertion' : 'add'],
  );
  const name = parseNewName(fields.get('name'));
  checkNewName(kind, name);
  const about = kind === 'assertion' ? fields.requiredText('about', 'the wref that the assertion is about') : undefined;
  if (!fields.has('data')) throw invalidField('/data', 'An add needs data.');
  const submittedName = String(fields.get('name'));
  return { operation: 'add', kind, name, submittedName, data: fields.get('data'), about, skipExisting };
}

/** The given kind, or the kind that the other fields imply. A shape always needs `kind`. */
function addedKind(fields: OperationFields): Kind {
  const kind = fields.choice('kind', KINDS);
  if (kind !== undefined) return kind;
  if (fields.has('about')) return 'assertion';
  return fields.has('type') || fields.has('members') ? 'collection' : 'thing';
}

function checkNewName(kind: 'thing' | 'assertion' | 'shape', { shapeName, local }: NewName): void {
  const isShape = local === '';
  if (kind === 'shape' && !isShape) throw invalidField('/kind', 'A shape name cannot contain /.');
  if (kind !== 'shape' && isShape) {
    const message = `${shapeName} has no part after the shape. Name a record as Shape/name, or set "kind": "shape".`;
    throw invalidField('/name', message);
  }
  if (isShape) refuseBuiltIn(shapeName);
  else if (COLLECTION_TYPE_OF.get(shapeName) !== undefined) {
    const message = `Records of ${shapeName} are collections. Add one with type and members, such as { "type": "${COLLECTION_TYPE_OF.get(shapeName)}", "members": [] }.`;
    throw fail('RESERVED_NAME', { message, details: [{ path: '/name', message }] });
  }
  refuseGuarded({ shapeName, local });
}

function refuseBuiltIn(shapeName: string): void {
  if (!isBuiltInShape(shapeName)) return;
  throw fail('RESERVED_NAME', { message: `${shapeName} is a built-in shape. Choose another name.` });
}

function refuseGuarded({ shapeName, local }: RecordName): void {
  const writer = Object.hasOwn(GUARDED_SHAPES, shapeName) ? GUARDED_SHAPES[shapeName] : undefined;
  if (writer === undefined || local === '') return;
  throw fail('RESERVED_NAME', { message: `Only ${writer} write records of ${shapeName}.` });
}

function parseCollection(fields: OperationFields, skipExisting: boolean): AddCollection {
  const type = fields.choice('type', COLLECTION_TYPES);
  if (type === undefined) throw invalidField('/type', `A collection needs a type: ${COLLECTION_TYPES.join(', ')}.`);
  fields.refuseOthers('A collection', FIELDS.collection);
  const members = parseMembers(fields);
  const submittedName = fields.has('name') ? String(fields.get('name')) : undefined;
  const name = fields.has('name') ? parseCollectionName(type, fields.get('name')) : undefined;
  return { operation: 'add', kind: 'collection', type, name, submittedName, members, skipExisting };
}

/** The name may omit its shape. */
function parseCollectionName(type: CollectionType, given: unknown): NewName {
  const { shapeName } = COLLECTIONS[type];
  if (typeof given !== 'string' || given === '') throw invalidField('/name', 'A collection name must be a string.');
  const first = given.split('/')[0] ?? '';
  const another = first !== shapeName && given.includes('/') ? COLLECTION_TYPE_OF.get(first) : undefined;
  if (another !== undefined) {
    throw invalidField('/name', `${given.slice(0, 80)} is a name of another collection type. Write ${shapeName}/name.`);
  }
  return parseNewName(given.startsWith(`${shapeName}/`) ? given : `${shapeName}/${given}`);
}

function parseMembers(fields: OperationFields): string[] {
  const members = fields.get('members');
  if (!Array.isArray(members) || !members.every((member): member is string => typeof member === 'string')) {
    throw invalidField('/members', 'members must be a list of wrefs.');
  }
  return members;
}

const STAND_IN = '0'.repeat(26);

function parseNewName(given: unknown): NewName {
  const token = typeof given === 'string' && given.includes('$') ? parseNamePlaceholder(given) : undefined;
  const name = parseNewRecordName(token === undefined ? given : token.before + STAND_IN + token.after);
  return { ...name, token };
}

function parseChange(fields: OperationFields): Change {
  const submittedName = fields.requiredText('name', 'the name of a record, such as Location/cave');
  const subject = parseSubject(submittedName);
  const kind = fields.choice('kind', KINDS);
  if ('name' in subject) checkSubject(subject.name, kind);
  return { subject, submittedName, kind, expectedVersion: fields.version('expectedVersion') };
}

const WITH_VERSION = 'An operation changes a record, not one of its versions. Leave out the version.';

function parseSubject(text: string): Subject {
  const token = parsePlaceholderReference(text);
  if (token !== undefined) {
    if (token.pin !== undefined) throw invalidField('/name', WITH_VERSION);
    return { token: token.token };
  }
  const identity = parseDurableId(text);
  if (identity !== undefined) return identity;
  if (text.includes('@')) throw invalidField('/name', WITH_VERSION);
  if (text.startsWith('wh:')) {
    throw invalidField('/name', 'An operation changes records of its own repository. Leave out wh:org/repo/.');
  }
  return { name: parseRecordName(text) };
}

export function checkSubject(name: RecordName, kind: string | undefined): void {
  const isShape = name.local === '';
  if (isShape) refuseBuiltIn(name.shapeName);
  refuseGuarded(name);
  if (kind !== undefined && (kind === 'shape') !== isShape) {
    const message = isShape ? `Write the full name of the ${kind}: Shape/name.` : 'A shape name cannot contain /.';
    throw invalidField('/kind', message);
  }
}

function parseContent(fields: OperationFields): ReviseOperation['content'] {
  if (fields.has('members')) {
    if (fields.has('data')) throw invalidField('/members', 'Give members or data, not both.');
    return { members: parseMembers(fields) };
  }
  if (!fields.has('data')) throw invalidField('/data', 'A revise needs data.');
  return { data: fields.get('data') };
}

function parseNewLabel(fields: OperationFields): RecordName {
  const given = fields.requiredText('newName', 'the new name of the record, such as Location/cavern');
  const newName = parseNewRecordName(given, '/newName');
  if (newName.local === '') refuseBuiltIn(newName.shapeName);
  return newName;
}

// Reads the fields of one operation as sent: takes each out by its name and checks its form.

const REASON_CHARACTERS_MAX = 2_000;

class OperationFields {
  readonly #fields: JsonObject;

  private constructor(fields: JsonObject) {
    this.#fields = fields;
  }

  static of(raw: unknown): OperationFields {
    if (isJsonObject(raw)) return new OperationFields(raw);
    const example = '{ "operation": "add", "name": "Location/cave", "data": {} }';
    throw invalidField('', `An operation must be an object, such as ${example}.`);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#fields, name);
  }

  get(name: string): unknown {
    return ownValue(this.#fields, name);
  }

  refuseOthers(what: string, allowed: readonly string[]): void {
    const unknown = Object.keys(this.#fields).filter((field) => !allowed.includes(field));
    if (unknown.length === 0) return;
    const names = unknown.slice(0, 5).join(', ').slice(0, 200);
    throw invalidField(
      `/${unknown[0]?.slice(0, 80)}`,
      `${what} has no field ${names}. It takes ${allowed.join(', ')}.`,
    );
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw invalidField(`/${name}`, `${name} must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}.`);
  }

  flag(name: string): boolean | undefined {
    const value = this.get(name);
    if (value !== undefined && typeof value !== 'boolean')
      throw invalidField(`/${name}`, `${name} must be true or false.`);
    return value;
  }

  version(name: string): number | undefined {
    const version = this.get(name);
    if (version === undefined) return undefined;
    if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) {
      throw invalidField(`/${name}`, `${name} must be a whole number of at least 1.`);
    }
    return version;
  }

  requiredText(name: string, meaning: string): string {
    const value = this.get(name);
    if (typeof value === 'string' && value !== '') return value;
    throw invalidField(`/${name}`, `Give ${meaning}, as ${name}.`);
  }

  text(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value.length > REASON_CHARACTERS_MAX || value.includes('\0')) {
      throw invalidField(`/${name}`, `${name} must be a string of at most ${REASON_CHARACTERS_MAX} characters.`);
    }
    return value;
  }
}

export function invalidField(path: string, message: string): CairnError {
  return fail('VALIDATION_ERROR', { message, details: [{ path, message }] });
}
