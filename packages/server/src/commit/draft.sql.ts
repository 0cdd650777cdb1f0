// Applies operations one after the other to the records in memory. It writes nothing, so an operation that fails leaves
// no trace.

import { hash } from 'node:crypto';
import { COLLECTION_TYPE_OF, COLLECTIONS, type CollectionType } from '@cairn/model/collection';
import { canonicalJson } from '@cairn/model/json';
import { checkSubject, invalidField, type NewName, type Operation } from '@cairn/model/operation';
import { attempt } from '@cairn/model/problem';
import { isBuiltInShape } from '@cairn/model/shape';
import {
  type DurableIdParts,
  formatDurableId,
  formatIdentity,
  formatRecordName,
  parseNewRecordName,
  type RecordName,
} from '@cairn/model/wref';
import type { OperationResult } from '@cairn/protocol/commit';
import { CairnError, fail } from '@cairn/protocol/errors';
import { BUILT_IN_SHAPES } from '@cairn/protocol/vocabulary';
import type { DraftRequest, Sequence } from './drafting.sql.ts';
import { type CommitAuthor, sha256 } from './integrity.rule.ts';
import { mintValue, PlaceholderSet } from './placeholder-set.sql.ts';
import { type About, type Head, type RecordAddress, RecordSet, ShapeSet } from './record-set.sql.ts';
import { ReferenceRun } from './reference/reference-run.rule.ts';
import { type Resolved, TargetSet } from './reference/target-set.sql.ts';
import { ContentWriter, type Prepared } from './version-content.sql.ts';
import { ComponentGuard, WriteLimit } from './write-limit.sql.ts';

type Op<Name extends Operation['operation']> = Extract<Operation, { operation: Name }>;
type AddOperation = Exclude<Op<'add'>, { kind: 'collection' }>;
type AddCollection = Extract<Op<'add'>, { kind: 'collection' }>;
type ChangeOperation = Exclude<Operation, { operation: 'add' }>;

export class Draft {
  readonly request: DraftRequest;
  sequence: Sequence;
  isApplied = false;
  readonly parsed: readonly Operation[];
  readonly records: RecordSet;
  readonly shapes: ShapeSet;
  readonly outcomes: (Outcome | FailedOutcome)[] = [];
  committer: CommitAuthor['committer'];
  readonly #content: ContentWriter;
  #placeholders: PlaceholderSet | undefined;
  #targets: TargetSet | undefined;
  #guard: ComponentGuard | undefined;
  readonly #limit: WriteLimit | undefined;
  /** The caller must repeat the draft with these names. */
  readonly unknown: RecordAddress[] = [];

  constructor(request: DraftRequest) {
    const { order, operations, sequence, memory } = request;
    const { repoId, writes } = order.grant;
    this.request = request;
    this.sequence = sequence;
    this.parsed = operations.filter((operation): operation is Operation => !(operation instanceof CairnError));
    this.records = new RecordSet({ repoId, repoSeq: sequence.repoSeq + 1, lastRecordId: sequence.lastRecordId });
    this.shapes = new ShapeSet(this.records, memory);
    this.#content = new ContentWriter(this);
    this.#limit = writes && new WriteLimit(writes, this.targets);
  }

  get placeholders(): PlaceholderSet {
    this.#placeholders ??= new PlaceholderSet(this.request.places, this.request.earlier);
    return this.#placeholders;
  }

  get targets(): TargetSet {
    this.#targets ??= new TargetSet(this.request.order, this.records, this.placeholders);
    return this.#targets;
  }

  get guard(): ComponentGuard {
    this.#guard ??= new ComponentGuard(this.request.order);
    return this.#guard;
  }

  *asked(): Iterable<string> {
    yield* this.records.asked();
    if (this.#targets !== undefined) yield* this.#targets.lookup.asked();
  }

  begin(sequence: Sequence): void {
    this.sequence = sequence;
    this.records.begin(sequence);
  }

  apply(operation: Operation, opIndex: number): Outcome | CairnError {
    const made = this.records.made.length;
    try {
      this.#limit?.checkBefore(operation);
      const applied = this.#apply(operation, opIndex);
      this.#limit?.checkAfter(applied);
      return applied;
    } catch (error) {
      // The operation may have created a built-in shape before it failed.
      this.records.undoTo(made);
      if (error instanceof CairnError) return error;
      throw error;
    }
  }

  #apply(operation: Operation, opIndex: number): Outcome {
    switch (operation.operation) {
      case 'add':
        return operation.kind === 'collection'
          ? this.#addCollection(operation, opIndex)
          : this.#add(operation, opIndex);
      case 'revise':
        return this.#revise(operation, opIndex);
      case 'retract':
        return this.#retract(operation, opIndex);
      case 'rename':
        return this.#rename(operation, opIndex);
    }
  }

  #add(operation: AddOperation, opIndex: number): Outcome {
    if (operation.kind === 'shape') return this.#addShape(operation, opIndex);
    this.#checkConfig(operation.name);
    const shape = this.#shapeFor(operation.name.shapeName, opIndex);
    const name = this.#mint(operation.name, opIndex);
    const address = { shapeId: shape.recordId, local: name.local };
    const existing = this.records.find(address);
    if (existing !== undefined) return this.#skip(operation, opIndex, existing);
    const about = operation.about === undefined ? undefined : this.#resolveAbout(operation.about);
    const { data, written } = operation;
    const prepared =
      written === undefined ? this.#content.record({ data, shape }) : this.#content.written(written, shape);
    return this.#make(operation, opIndex, address, formatRecordName(name), prepared, about);
  }

  #addShape(operation: AddOperation, opIndex: number): Outcome {
    const address = { shapeId: 0, local: operation.name.shapeName };
    const existing = this.records.find(address);
    if (existing !== undefined) return this.#skip(operation, opIndex, existing);
    const prepared = this.#content.shape(operation.data, {
      name: address.local,
      recordId: this.records.lastRecordId + 1,
    });
    const made = this.#make(operation, opIndex, address, address.local, prepared);
    const head = this.records.find(address);
    if (head !== undefined) this.shapes.indexFields(head);
    return made;
  }

  #addCollection(operation: AddCollection, opIndex: number): Outcome {
    const { type } = operation;
    const { shapeName } = COLLECTIONS[type];
    const shape = this.#shapeFor(shapeName, opIndex);
    const local = operation.name === undefined ? undefined : this.#mint(operation.name, opIndex).local;
    const named = local === undefined ? undefined : this.records.find({ shapeId: shape.recordId, local });
    if (named !== undefined) return this.#skip(operation, opIndex, named);
    const members = this.#content.members(type, operation.members);
    const address = { shapeId: shape.recordId, local: local ?? this.#derivedLocal(type, shape, members) };
    const existing = this.records.find(address);
    const prepared = this.#content.collection({ type, members, shape });
    if (existing !== undefined) {
      const isLike = existing.active && this.#content.isSame(prepared, existing);
      return this.#skip(operation, opIndex, existing, isLike);
    }
    return this.#make(operation, opIndex, address, `${shapeName}/${address.local}`, prepared);
  }

  #derivedLocal(type: CollectionType, shape: Head, members: readonly Resolved[]): string {
    const { repoId, lastRecordId } = this.records.start;
    const identities = members.map(({ identity }) => identity);
    const address = { shapeId: shape.recordId, local: deriveName(type, identities, repoId) };
    // A collection with a member or shape that this commit makes cannot exist yet.
    const fresh = (id: { repoId: number; recordId: number }) => id.repoId === repoId && id.recordId > lastRecordId;
    const isNew = shape.before === undefined || identities.some(fresh);
    if (!isNew && !this.records.knows(address)) this.unknown.push(address);
    return address.local;
  }

  #skip(operation: Op<'add'>, opIndex: number, existing: Head, isLike = false): Outcome {
    const name = this.#nameOf(existing);
    if (operation.skipExisting || isLike)
      return outcomeOf(operation, { opIndex, head: existing, name, status: 'noop' });
    throw alreadyExists(name, existing);
  }

  #make(
    operation: Op<'add'>,
    opIndex: number,
    address: RecordAddress,
    name: string,
    prepared: Prepared,
    about?: About,
  ): Outcome {
    const change = { ...contentOf(prepared), operation: 'add', opIndex, name, active: true } as const;
    const head = this.records.add(address, operation.kind, change, about);
    this.#placeholders?.noteMade(name);
    const label = operation.name?.token?.label;
    if (label !== undefined) this.placeholders.keep(label, head.recordId);
    return outcomeOf(operation, { opIndex, head, name, status: 'applied', prepared });
  }

  #checkConfig(name: RecordName): void {
    if (name.shapeName === 'ComponentConfig') this.guard.checkRecord(name);
  }

  #mint(name: NewName, opIndex: number): RecordName {
    const { token: placeholder } = name;
    if (placeholder === undefined) return name;
    this.placeholders.claim(placeholder.label, opIndex);
    return parseNewRecordName(placeholder.before + mintValue() + placeholder.after);
  }

  #resolveAbout(text: string): About {
    const run = new ReferenceRun(this.targets);
    const resolved = run.resolve(text, { path: '/about' });
    run.end();
    if (resolved === undefined) throw new Error('a reference was neither resolved nor refused');
    return { identity: formatIdentity(resolved.identity), wref: resolved.wref };
  }

  #revise(operation: Op<'revise'>, opIndex: number): Outcome {
    const { head, shape } = this.#existing(operation);
    const prepared = this.#revisedContent(operation, { head, shape });
    const name = this.#nameOf(head);
    if (head.active && this.#content.isSame(prepared, head)) {
      return outcomeOf(operation, { opIndex, head, name, status: 'noop', prepared });
    }
    this.records.append(head, { ...contentOf(prepared), operation: 'revise', opIndex, name, active: true });
    if (shape === undefined) this.shapes.indexFields(head);
    return outcomeOf(operation, { opIndex, head, name, status: 'applied', prepared });
  }

  #revisedContent({ content }: Op<'revise'>, { head, shape }: { head: Head; shape: Head | undefined }): Prepared {
    const type = shape === undefined ? undefined : COLLECTION_TYPE_OF.get(shape.local);
    if (type !== undefined && shape !== undefined) {
      const texts = 'members' in content ? content.members : this.#content.membersOf(content.data, { type, shape });
      return this.#content.collection({ type, members: this.#content.members(type, texts, head), shape });
    }
    if ('members' in content) throw invalidField('/members', 'Only collections have members. Send data instead.');
    if (shape === undefined) return this.#content.shape(content.data, { name: head.local, recordId: head.recordId });
    return this.#content.record({ data: content.data, shape, present: head });
  }

  #retract(operation: Op<'retract'>, opIndex: number): Outcome {
    const { head } = this.#existing(operation);
    const name = this.#nameOf(head);
    if (!head.active) return outcomeOf(operation, { opIndex, head, name, status: 'noop' });
    // The data is not validated again, because it keeps its shape version.
    const { data, dataHash, refs, references, shapeVersion } = head;
    const change = { data, dataHash, refs, references, shapeVersion, reason: operation.reason, active: false };
    this.records.append(head, { ...change, operation: 'retract', opIndex, name });
    return outcomeOf(operation, { opIndex, head, name, status: 'applied' });
  }

  #rename(operation: Op<'rename'>, opIndex: number): Outcome {
    const { newName } = operation;
    const { head, shape } = this.#existing(operation);
    if ((shape?.local ?? newName.shapeName) !== newName.shapeName || (newName.local === '') !== (shape === undefined)) {
      const advice = shape === undefined ? 'A shape name cannot contain /.' : `Name it ${shape.local}/name.`;
      throw invalidField('/newName', `A rename cannot change the shape of a record. ${advice}`);
    }
    this.#checkConfig(newName);
    const address = { shapeId: head.shapeId, local: shape === undefined ? newName.shapeName : newName.local };
    const name = formatRecordName(newName);
    if (address.local === head.local) return outcomeOf(operation, { opIndex, head, name, status: 'noop' });
    const existing = this.records.find(address);
    if (existing !== undefined) throw nameTaken(name, existing);
    this.records.rename(head, address.local, { operation: 'rename', opIndex, name });
    this.#placeholders?.noteMade(name);
    return outcomeOf(operation, { opIndex, head, name, status: 'applied' });
  }

  #shapeFor(shapeName: string, opIndex: number): Head {
    const shape = this.shapes.find(shapeName);
    if (shape?.active) return shape;
    if (shape === undefined && isBuiltInShape(shapeName)) {
      const data = canonicalJson(BUILT_IN_SHAPES[shapeName]);
      const content = { data, dataHash: sha256(data), refs: null, shapeVersion: undefined, active: true };
      const change = { ...content, name: shapeName, opIndex, operation: 'add' } as const;
      return this.records.add({ shapeId: 0, local: shapeName }, 'shape', change);
    }
    const failed = shape === undefined ? this.placeholders.failureOf(shapeName) : undefined;
    if (failed !== undefined) throw failed;
    const message =
      shape === undefined
        ? `There is no shape ${shapeName}. Create it first, or earlier in the same commit.`
        : `The shape ${shapeName} is retracted. Revise it to restore it.`;
    throw fail('TARGET_NOT_FOUND', { message, details: [{ path: '/name', message }] });
  }

  #existing(operation: ChangeOperation): { head: Head; shape: Head | undefined } {
    const { expectedVersion, kind } = operation;
    const head = this.#subject(operation);
    this.#limit?.checkSubject(operation, head && this.#nameOf(head));
    if (head === undefined) throw this.#nothingTo(operation);
    const shape = head.shapeId === 0 ? undefined : this.records.findById(head.shapeId);
    if (!('name' in operation.subject)) checkSubject(recordNameOf(head, shape), kind);
    if (shape === undefined) this.guard.checkShape(head);
    else this.#checkConfig(recordNameOf(head, shape));
    if (kind !== undefined && kind !== head.kind) {
      throw invalidField('/kind', `${this.#nameOf(head)} has the kind ${head.kind}, not ${kind}.`);
    }
    if (expectedVersion !== undefined && expectedVersion !== head.version) {
      throw versionMismatch(this.#nameOf(head), expectedVersion, head.version);
    }
    return { head, shape };
  }

  #subject({ subject }: ChangeOperation): Head | undefined {
    const { records } = this;
    if ('token' in subject) return records.findById(this.placeholders.resolve(subject.token));
    if ('recordId' in subject) {
      return subject.repoId === records.start.repoId ? records.findById(subject.recordId) : undefined;
    }
    const { shapeName, local } = subject.name;
    const shape = this.shapes.find(shapeName);
    if (local === '' || shape === undefined) return local === '' ? shape : undefined;
    return records.find({ shapeId: shape.recordId, local });
  }

  /** Runs after the last operation, because shapes may refer by name to shapes that come later in the commit. */
  bindShapes(): void {
    for (const head of this.records.touched()) {
      if (head.shapeId === 0 && head.active && head.loaded) this.records.complete(head, this.#content.boundLate(head));
    }
  }

  describe(operation: Operation): Described | undefined {
    if (operation.operation === 'add') {
      const { name, kind } = operation;
      return name === undefined || name.token !== undefined ? undefined : { name: formatRecordName(name), kind };
    }
    const head = attempt(() => this.#subject(operation));
    if (head === undefined || head instanceof CairnError) return undefined;
    const name = this.#nameOf(head);
    return (this.#limit?.allows(name) ?? true) ? { name, kind: head.kind as Described['kind'] } : undefined;
  }

  #nothingTo({ operation, submittedName }: ChangeOperation) {
    return (
      this.placeholders.failureOf(submittedName) ??
      fail('NOT_FOUND', {
        message: `The record ${clipName(submittedName)} to ${operation} does not exist in this repository.${operation === 'revise' ? ' Add it first.' : ''}`,
      })
    );
  }

  #nameOf({ shapeId, local }: Head): string {
    return shapeId === 0 ? local : formatRecordName({ shapeName: this.targets.shapeNameOf(shapeId), local });
  }
}

function recordNameOf({ local }: Head, shape: Head | undefined): RecordName {
  return shape === undefined ? { shapeName: local, local: '' } : { shapeName: shape.local, local };
}

function contentOf({ data, value, written, dataHash, refs, references, shapeVersion }: Prepared) {
  return { data, value, written, dataHash, refs, references, shapeVersion };
}

const clipName = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

const stateOf = ({ active }: Head) => (active ? 'exists already' : 'exists already, but is retracted');

export function alreadyExists(name: string, head: Head) {
  const { version, kind } = head;
  const otherwise = kind === 'shape' ? '' : ', or skipExisting to leave it';
  return fail('ALREADY_EXISTS', {
    message: `${name} ${stateOf(head)}. Use revise to change it${otherwise}.`,
    details: { name, currentVersion: version },
  });
}

export function nameTaken(name: string, head: Head) {
  return fail('ALREADY_EXISTS', { message: `${name} ${stateOf(head)}. Choose another name.`, details: { name } });
}

export function versionMismatch(name: string, expectedVersion: number, currentVersion: number) {
  return fail('CONFLICT', {
    message: `${name} is at version ${currentVersion}, not ${expectedVersion}. Read it again and retry.`,
    details: { reason: 'expected_version_mismatch', expectedVersion, currentVersion },
  });
}

export interface Outcome {
  readonly opIndex: number;
  readonly operation: Operation;
  readonly kind: string;
  readonly name: string;
  readonly version: number;
  readonly status: 'applied' | 'noop';
  readonly dataHash: Uint8Array;
  readonly undeclaredFields: readonly string[];
}

interface Met {
  readonly opIndex: number;
  readonly head: Head;
  readonly name: string;
  readonly status: Outcome['status'];
  readonly prepared?: Prepared;
}

const NO_FIELDS: readonly string[] = [];

export function outcomeOf(operation: Operation, { opIndex, head, name, status, prepared }: Met): Outcome {
  const { kind, version, dataHash } = head;
  const undeclaredFields = prepared?.undeclaredFields ?? NO_FIELDS;
  return { opIndex, operation, kind, name, version, status, dataHash, undeclaredFields };
}

export function resultOf(outcome: Outcome): OperationResult {
  const { opIndex, operation, kind, name, version, status, dataHash, undeclaredFields } = outcome;
  const { submittedName } = operation;
  return {
    opIndex,
    operation: operation.operation,
    kind: kind as OperationResult['kind'],
    name,
    ...(submittedName !== undefined && submittedName !== name && { submittedName }),
    version,
    status,
    ...(operation.operation !== 'rename' && { dataHash: Buffer.from(dataHash).toString('hex') }),
    ...(undeclaredFields.length > 0 && { warnings: { undeclaredFields: [...undeclaredFields] } }),
  };
}

/** Reports include the details of this many failures, and an atomic commit stops there. */
export const ERRORS_SHOWN_MAX = 100;
const TEXT_SHOWN_MAX = 600;
const DETAILS_CHARACTERS_MAX = 256 * 1024;

export interface Described {
  readonly name: string;
  readonly kind: OperationResult['kind'];
}

export type FailedOutcome = OperationResult & { readonly status: 'error' };

type Sent = Readonly<Record<'operation' | 'kind' | 'name' | 'about' | 'members', unknown>>;

export class Failures {
  count = 0;
  #detailsLeft = DETAILS_CHARACTERS_MAX;

  add(opIndex: number, raw: unknown, error: CairnError, described: Described | undefined): FailedOutcome {
    this.count += 1;
    const sent = (typeof raw === 'object' && raw !== null ? raw : {}) as Sent;
    const submittedName = typeof sent.name === 'string' ? clip(sent.name) : '';
    const name = clip(described?.name ?? submittedName);
    const details = this.#allot(error.fields.details);
    return {
      opIndex,
      operation: typeof sent.operation === 'string' ? clip(sent.operation) : 'add',
      kind: described?.kind ?? likelyKind(sent),
      name,
      ...(submittedName !== '' && submittedName !== name && { submittedName }),
      status: 'error',
      error: { code: error.code, message: clip(error.message), ...(details !== undefined && { details }) },
    };
  }

  #allot(details: unknown): unknown {
    if (details === undefined || this.count > ERRORS_SHOWN_MAX) return undefined;
    const short = clipDeep(details);
    this.#detailsLeft -= JSON.stringify(short).length;
    return this.#detailsLeft < 0 ? undefined : short;
  }
}

function clipDeep(value: unknown): unknown {
  if (typeof value === 'string') return clip(value);
  if (Array.isArray(value)) return value.map(clipDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, clipDeep(member)]));
}

function likelyKind({ kind, name, about, members }: Sent): OperationResult['kind'] {
  if (kind === 'assertion' || kind === 'collection' || kind === 'shape' || kind === 'thing') return kind;
  if (about !== undefined) return 'assertion';
  if (members !== undefined) return 'collection';
  return typeof name === 'string' && /^[^/#0-9][^/]*$/.test(name) ? 'shape' : 'thing';
}

function clip(text: string): string {
  return text.length > TEXT_SHOWN_MAX ? `${text.slice(0, TEXT_SHOWN_MAX)}…` : text;
}

export function refuseFailed(outcomes: readonly (Outcome | FailedOutcome)[], count: number, places: Places): void {
  const wrong = outcomes.filter((outcome) => outcome.status === 'error');
  const [first] = wrong;
  if (first?.error === undefined) return;
  const operations = wrong
    .slice(0, ERRORS_SHOWN_MAX)
    .map(({ opIndex, name, error }) => ({ index: places.numberOf(opIndex), name, ...error }));
  const least = outcomes.length < count ? 'At least ' : '';
  const { name, error } = first;
  const named = name === '' || error.message.includes(name) ? '' : `, ${name}`;
  const where = `${places.nameOf(places.numberOf(first.opIndex))}${places.counting}${named}`;
  const which = count === 1 ? ': ' : `. ${least}${wrong.length} of ${count} operations failed; the first, ${where}: `;
  const hints = [...(isPartialRevise(first) ? [WHOLE_DATA] : []), ...(count > 1 ? [places.advice] : [])];
  throw fail(first.error.code, {
    message: `Nothing was committed${which}${first.error.message}`,
    details: { failed: wrong.length, operations },
    ...(hints.length > 0 && { hint: hints.join(' ') }),
  });
}

const WHOLE_DATA = 'A revise replaces all data. Send every field, including unchanged ones.';

function isPartialRevise({ operation, error }: FailedOutcome): boolean {
  return operation === 'revise' && error?.code === 'SHAPE_MISMATCH' && error.message.includes(': missing, expected ');
}

/** Operation numbers in error messages: the index in a commit, or the line in a stream. */
export interface Places {
  numberOf(opIndex: number): number;
  nameOf(place: number): string;
  readonly counting: string;
  readonly whole: string;
  readonly advice: string;
}

export const OPERATION_PLACES: Places = {
  numberOf: (opIndex) => opIndex,
  nameOf: (place) => `operation ${place}`,
  counting: ' (counted from 0)',
  whole: 'this commit',
  advice: 'Correct the failed operations, or send atomic: false to apply the others.',
};

const DERIVED_NAME_CHARACTERS = 32;

/** An equal collection gets the same name. Leaves out the repository's own id, so that a copy derives the same name. */
export function deriveName(type: CollectionType, members: readonly DurableIdParts[], own: number): string {
  const identities = members.map(({ repoId, recordId }) =>
    formatDurableId({ repoId: repoId === own ? 0 : repoId, recordId }),
  );
  if (!COLLECTIONS[type].ordered) identities.sort();
  return hash('sha256', `${type} ${identities.join(' ')}`, 'hex').slice(0, DERIVED_NAME_CHARACTERS);
}
