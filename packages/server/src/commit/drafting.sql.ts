// Drafts the effect of operations on a repository without writing. Commits, dry runs and stream chunks share it.

import { COLLECTION_TYPE_OF, COLLECTIONS } from '@cairn/model/collection';
import type { Operation, Subject } from '@cairn/model/operation';
import { attempt } from '@cairn/model/problem';
import { formatIdentity, type RecordName } from '@cairn/model/wref';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { Grant } from '../access/grant.rule.ts';
import type { Reader } from '../engine/database.ts';
import { Draft, deriveName, ERRORS_SHOWN_MAX, Failures, type Places, refuseFailed } from './draft.sql.ts';
import type { CommitAuthor } from './integrity.rule.ts';
import type { EarlierPlaceholders } from './placeholder-set.sql.ts';
import type { RecordAddress, ShapeSet, WriterMemory } from './record-set.sql.ts';
import type { ReadableRepository, TargetSet } from './reference/target-set.sql.ts';
import { findCandidates } from './reference/wref-candidate.rule.ts';
import type { DataLimits } from './version-content.sql.ts';
import type { OwnInstall } from './write-limit.sql.ts';

export interface WriteOrder {
  readonly grant: Grant;
  readonly createdBy: string;
  readonly committer?: string | undefined;
  readonly readable: readonly ReadableRepository[];
  readonly message: string;
  readonly mayConfigure: boolean;
  readonly atomic: boolean;
  readonly skipExisting: boolean;
  readonly limits: DataLimits;
  readonly trace?: Trace | undefined;
  readonly component?: string | undefined;
  readonly install?: OwnInstall | undefined;
}

export interface Trace {
  readonly traceId: string;
  readonly depth: number;
  /** The owners of the subscriptions whose deliveries led here. The trace suppresses only their runs. */
  readonly via: readonly number[];
}

export interface Sequence {
  readonly repoSeq: number;
  readonly lastRecordId: number;
  readonly commitId: Uint8Array | null;
  readonly exportRows: number;
  readonly watched: number;
}

export interface DraftRequest {
  readonly order: WriteOrder;
  readonly operations: readonly (Operation | CairnError)[];
  readonly sentAt: (opIndex: number) => unknown;
  readonly sequence: Sequence;
  readonly memory: WriterMemory;
  readonly places: Places;
  readonly earlier?: EarlierPlaceholders;
}

/** A draft is repeated if renames change the derived name of a collection. */
const DRAFTS_MAX = 3;

export async function draftOperations(reader: Reader, request: DraftRequest): Promise<Draft> {
  const addresses: RecordAddress[] = [];
  for (let drafts = 1; drafts <= DRAFTS_MAX; drafts++) {
    const draft = new Draft(request);
    await loadDraft(reader, draft, addresses);
    applyAll(draft);
    if (draft.unknown.length === 0) return draft;
    addresses.push(...draft.unknown);
  }
  throw fail('PAYLOAD_TOO_LARGE', {
    message:
      'Collections without a name depend on each other and on renames in this commit. Rename in an earlier commit.',
  });
}

export function applyAll(draft: Draft): void {
  draft.isApplied = true;
  const { operations, order, places, sentAt } = draft.request;
  const failures = new Failures();
  for (const [opIndex, operation] of operations.entries()) {
    const outcome = operation instanceof CairnError ? operation : draft.apply(operation, opIndex);
    if (!(outcome instanceof CairnError)) {
      draft.outcomes.push(outcome);
      continue;
    }
    const raw = sentAt(opIndex);
    draft.placeholders.noteFailure(raw, opIndex, outcome.code);
    const described = operation instanceof CairnError ? undefined : draft.describe(operation);
    draft.outcomes.push(failures.add(opIndex, raw, outcome, described));
    if (order.atomic && failures.count >= ERRORS_SHOWN_MAX) break;
  }
  draft.bindShapes();
  // Operation errors come first: the committer may be a record that a failed operation should have made.
  if (order.atomic && draft.unknown.length === 0) refuseFailed(draft.outcomes, operations.length, places);
  // The committer comes last, because an operation may make the committer's record.
  if (order.committer !== undefined) draft.committer = resolveCommitter(draft.targets, order.committer);
}

function resolveCommitter(targets: TargetSet, text: string): CommitAuthor['committer'] {
  const resolved = attempt(() => targets.resolve(text));
  if (resolved instanceof CairnError) {
    const message = `committer: ${resolved.message}`;
    throw fail(resolved.code, { message, details: [{ path: 'committer', message: resolved.message }] });
  }
  return { identity: formatIdentity(resolved.identity), wref: resolved.wref };
}

// Compiling the patterns of a shape takes milliseconds, and all writes share one writer thread.
const SHAPES_CHANGED_MAX = 200;
const SHAPES_MAX = 1_000;
// Each name under a renamed shape is looked up under every shape that it could mean.
const SHAPE_RENAMES_MAX = 10;

/** Loads all possible meanings of names in a fixed number of reads. */
export async function loadDraft(reader: Reader, draft: Draft, addresses: readonly RecordAddress[]): Promise<void> {
  const { request, parsed: operations, records, shapes } = draft;
  const labels = labelsIn(operations);
  if (labels.length > 0) await draft.placeholders.load(reader, labels);
  const ids = subjectIds(draft);
  if (ids.length > 0) await draft.targets.lookup.loadByIds(reader, ids);
  const names = new CommitNames(draft);
  refuseManyShapes(names);
  const shapeNames = [...new Set(names.names.map(({ shapeName }) => shapeName))].flatMap((name) =>
    names.aliases.of(name),
  );
  await shapes.load(reader, shapeNames);
  if (names.changedShapes.length > 0) {
    await draft.guard.load(reader, await shapes.loadLastFields(reader, names.changedShapes));
  }
  const withData = [...addressesOf(names.withData, names, shapes), ...addresses];
  if (withData.length > 0) await records.load(reader, withData);
  await records.loadLight(reader, addressesOf(names.names, names, shapes));
  const wrefs = mayRefer(operations, names, shapes) ? findCandidates(draft, names) : new Set<string>();
  if (request.order.committer !== undefined) wrefs.add(request.order.committer);
  if (wrefs.size > 0) await draft.targets.load(reader, wrefs, names.aliases);
  const derived = derivedAddresses(draft);
  if (derived.length > 0) await records.load(reader, derived);
}

function mayRefer(operations: readonly Operation[], { names, changedShapes }: CommitNames, shapes: ShapeSet): boolean {
  if (changedShapes.length > 0 || operations.some(hasRelation)) return true;
  return [...new Set(names.map(({ shapeName }) => shapeName))].some((name) => {
    const shape = shapes.find(name);
    return shape === undefined || shapes.validator(shape).visitWrefs !== undefined;
  });
}

function hasRelation(operation: Operation): boolean {
  if (operation.operation === 'add') return operation.kind !== 'thing';
  return operation.operation === 'revise' && 'members' in operation.content;
}

function labelsIn(operations: readonly Operation[]): number[] {
  const labels: number[] = [];
  for (const operation of operations) {
    if (operation.operation === 'add') {
      if (operation.name?.token !== undefined) labels.push(operation.name.token.label);
    } else if ('token' in operation.subject) labels.push(operation.subject.token);
  }
  return labels;
}

function subjectIds(draft: Draft): number[] {
  const ids: number[] = [];
  for (const operation of draft.parsed) {
    if (operation.operation === 'add' || 'name' in operation.subject) continue;
    const { subject } = operation;
    const recordId = 'token' in subject ? draft.placeholders.find(subject.token) : subject.recordId;
    if (recordId !== undefined && ('token' in subject || subject.repoId === draft.targets.repoId)) ids.push(recordId);
  }
  return ids;
}

function addressesOf(names: readonly RecordName[], { aliases }: CommitNames, shapes: ShapeSet): RecordAddress[] {
  const shapeIds = new Map<string, number[]>();
  const idsOf = (shapeName: string) => {
    const found = aliases.of(shapeName).flatMap((alias) => shapes.find(alias)?.recordId ?? []);
    shapeIds.set(shapeName, found);
    return found;
  };
  const addresses: RecordAddress[] = [];
  for (const { shapeName, local } of names) {
    if (local === '') continue;
    for (const shapeId of shapeIds.get(shapeName) ?? idsOf(shapeName)) addresses.push({ shapeId, local });
  }
  return addresses;
}

function derivedAddresses(draft: Draft): RecordAddress[] {
  return draft.parsed.flatMap((operation) => {
    if (operation.operation !== 'add' || operation.kind !== 'collection' || operation.name !== undefined) return [];
    const { type, members } = operation;
    const { shapes, targets } = draft;
    const shape = shapes.find(COLLECTIONS[type].shapeName);
    const resolved = members.map((member) => attempt(() => targets.resolve(member)));
    if (shape === undefined || resolved.some((member) => member instanceof CairnError)) return [];
    const identities = resolved.flatMap((member) => (member instanceof CairnError ? [] : [member.identity]));
    return [{ shapeId: shape.recordId, local: deriveName(type, identities, targets.repoId) }];
  });
}

function refuseManyShapes({ names, changedShapes, renamedShapes }: CommitNames): void {
  refuseMany(new Set(names.map(({ shapeName }) => shapeName)).size, SHAPES_MAX, 'names');
  refuseMany(changedShapes.length, SHAPES_CHANGED_MAX, 'changes');
  refuseMany(renamedShapes.length, SHAPE_RENAMES_MAX, 'renames');
}

function refuseMany(count: number, max: number, verb: string): void {
  if (count <= max) return;
  throw fail('PAYLOAD_TOO_LARGE', {
    message: `A commit ${verb} at most ${max} shapes, and this one ${count}. Send several commits.`,
  });
}

export class CommitNames {
  readonly names: RecordName[] = [];
  readonly withData: RecordName[] = [];
  readonly changedShapes: string[] = [];
  readonly renamedShapes: (readonly [oldName: string, newName: string])[] = [];
  readonly aliases: ShapeAliases;
  readonly #draft: Draft;
  readonly #madeBy = new Map<number, RecordName>();

  constructor(draft: Draft) {
    this.#draft = draft;
    const operations = draft.parsed;
    const revises = operations.some(({ operation }) => operation === 'revise');
    for (const operation of operations) this.#take(operation, revises);
    this.aliases = new ShapeAliases(this.renamedShapes);
  }

  #take(operation: Operation, revises: boolean): void {
    const name = this.nameOf(operation);
    if (name === undefined) return;
    this.names.push(name);
    // A renamed record may be revised under its new name, and an unnamed collection may equal any other.
    const needsData = operation.operation === 'revise' || (revises && operation.operation === 'rename');
    if (needsData || COLLECTION_TYPE_OF.get(name.shapeName) !== undefined) this.withData.push(name);
    if (operation.operation === 'add') this.#takeLabel(operation.name?.token?.label, name);
    if (name.local === '') this.changedShapes.push(name.shapeName);
    if (operation.operation !== 'rename') return;
    const { newName } = operation;
    this.names.push(newName);
    if (name.local === '' && newName.local === '') this.renamedShapes.push([name.shapeName, newName.shapeName]);
  }

  #takeLabel(label: number | undefined, name: RecordName): void {
    if (label === undefined || this.#draft.placeholders.find(label) !== undefined) return;
    if (!this.#madeBy.has(label)) this.#madeBy.set(label, name);
  }

  nameOf(operation: Operation): RecordName | undefined {
    if (operation.operation !== 'add') return this.#subjectName(operation.subject);
    if (operation.kind !== 'collection' || operation.name !== undefined) return operation.name;
    return { shapeName: COLLECTIONS[operation.type].shapeName, local: '-' };
  }

  #subjectName(subject: Subject): RecordName | undefined {
    if ('name' in subject) return subject.name;
    if ('token' in subject && this.#madeBy.has(subject.token)) return this.#madeBy.get(subject.token);
    const { placeholders, targets } = this.#draft;
    const recordId = 'token' in subject ? placeholders.find(subject.token) : subject.recordId;
    const repoId = 'token' in subject ? targets.repoId : subject.repoId;
    const row = recordId === undefined ? undefined : targets.lookup.findById({ repoId, recordId });
    if (row === undefined) return undefined;
    return row.shape_name === null
      ? { shapeName: row.name, local: '' }
      : { shapeName: row.shape_name, local: row.name };
  }
}

/** Renames in a commit may give a shape name several meanings, and all must be loaded before the first operation. */
export class ShapeAliases {
  readonly #groups = new Map<string, Set<string>>();

  constructor(renames: Iterable<readonly [oldName: string, newName: string]>) {
    for (const [oldName, newName] of renames) {
      const joined = new Set([...this.of(oldName), ...this.of(newName)]);
      for (const name of joined) this.#groups.set(name, joined);
    }
  }

  of(shapeName: string): readonly string[] {
    const group = this.#groups.get(shapeName);
    return group === undefined ? [shapeName] : [...group];
  }
}
