// Fetches everything that the operations of a commit could meet, in a number of reads that does not depend on how many
// operations there are. It may fetch too much, never too little: which name means what is decided when an operation is
// applied.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { Reader } from '../engine/database.ts';
import { attempt } from '../model/attempt.ts';
import { COLLECTIONS } from '../model/collection.ts';
import type { Operation } from '../model/operation.ts';
import type { RecordName } from '../model/record-name.ts';
import { deriveName } from './collection-name.rule.ts';
import type { ComponentGuard } from './component-guard.sql.ts';
import { CommitNames } from './names.rule.ts';
import type { RecordAddress, RecordSet } from './record-set.sql.ts';
import type { TargetSet } from './reference/target-set.sql.ts';
import { findCandidates } from './reference/wref-candidate.rule.ts';
import type { ShapeSet } from './shape-set.sql.ts';
import type { TokenSet } from './token-set.sql.ts';
import type { DataLimits } from './version-content.sql.ts';

// Compiling the patterns of a shape takes milliseconds, and the writer is everyone's.
const SHAPES_CHANGED_MAX = 200;
const SHAPES_MAX = 1_000;
// Each name under a renamed shape is looked up under every shape that it could mean by then.
const SHAPE_RENAMES_MAX = 10;

interface LoadRequest {
  readonly operations: readonly (Operation | CairnError)[];
  readonly committer: string | undefined;
  readonly limits: DataLimits;
  /** To be loaded besides what the operations name. */
  readonly addresses: readonly RecordAddress[];
  readonly records: RecordSet;
  readonly shapes: ShapeSet;
  readonly targets: TargetSet;
  readonly tokens: TokenSet;
  readonly guard: ComponentGuard;
}

export async function loadCommit(reader: Reader, request: LoadRequest): Promise<void> {
  const { committer, limits, addresses, records, shapes, targets, tokens, guard } = request;
  const operations = request.operations.filter(
    (operation): operation is Operation => !(operation instanceof CairnError),
  );
  // Each step that has nothing to do is left out: most commits are small, and have few of these.
  await tokens.load(reader, labelsIn(operations));
  const ids = subjectIds(operations, { repoId: records.start.repoId, tokens });
  if (ids.length > 0) await targets.lookup.loadByIds(reader, ids);
  const names = new CommitNames(operations, { lookup: targets.lookup, tokens });
  refuseManyShapes(names);
  const shapeNames = [...new Set(names.names.map(({ shapeName }) => shapeName))].flatMap((name) =>
    names.aliases.of(name),
  );
  await shapes.load(reader, shapeNames);
  if (names.changedShapes.length > 0)
    await guard.load(reader, await shapes.loadLastFields(reader, names.changedShapes));
  const withData = [...addressesOf(names.withData, names, shapes), ...addresses];
  if (withData.length > 0) await records.load(reader, withData);
  await records.loadLight(reader, addressesOf(names.names, names, shapes));
  const wrefs = findCandidates({ operations, names, shapes, referencesMax: limits.commitReferences });
  if (committer !== undefined) wrefs.add(committer);
  if (wrefs.size > 0) await targets.load(reader, wrefs, names.aliases);
  const derived = derivedAddresses(operations, { shapes, targets, repoId: records.start.repoId });
  if (derived.length > 0) await records.load(reader, derived);
}

/** Of tokens that operations make or change records by. */
function labelsIn(operations: readonly Operation[]): number[] {
  const labels: number[] = [];
  for (const operation of operations) {
    if (operation.operation === 'add') {
      if (operation.name?.token !== undefined) labels.push(operation.name.token.label);
    } else if ('token' in operation.subject) labels.push(operation.subject.token);
  }
  return labels;
}

interface Known {
  readonly repoId: number;
  readonly tokens: TokenSet;
}

/** Records of the repository that operations name by their durable ID, or by a token of earlier. */
function subjectIds(operations: readonly Operation[], { repoId, tokens }: Known): number[] {
  const ids: number[] = [];
  for (const operation of operations) {
    if (operation.operation === 'add' || 'name' in operation.subject) continue;
    const { subject } = operation;
    const recordId = 'token' in subject ? tokens.find(subject.token) : subject.recordId;
    if (recordId !== undefined && ('token' in subject || subject.repoId === repoId)) ids.push(recordId);
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

interface Derivation {
  readonly shapes: ShapeSet;
  readonly targets: TargetSet;
  readonly repoId: number;
}

/** Where collections without a name would be found, if nothing is renamed before they are added. */
function derivedAddresses(operations: readonly Operation[], { shapes, targets, repoId }: Derivation): RecordAddress[] {
  return operations.flatMap((operation) => {
    if (operation.operation !== 'add' || operation.kind !== 'collection' || operation.name !== undefined) return [];
    const { type, members } = operation;
    const shape = shapes.find(COLLECTIONS[type].shapeName);
    const resolved = members.map((member) => attempt(() => targets.resolve(member)));
    if (shape === undefined || resolved.some((member) => member instanceof CairnError)) return [];
    const identities = resolved.flatMap((member) => (member instanceof CairnError ? [] : [member.identity]));
    return [{ shapeId: shape.recordId, local: deriveName({ type, members: identities, repoId }) }];
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
