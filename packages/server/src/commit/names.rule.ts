// The names that the operations of a commit use, before any of them is applied.

import { hash } from 'node:crypto';
import { COLLECTIONS, type CollectionType, collectionTypeOf } from '@cairn/model/collection';
import { type DurableIdParts, formatDurableId } from '@cairn/model/durable-id';
import type { Operation, Subject } from '@cairn/model/operation';
import type { RecordName } from '@cairn/model/record-name';
import type { TargetLookup } from './reference/target-lookup.sql.ts';
import type { PlaceholderSet } from './placeholder-set.sql.ts';

/** What is known of records before their names are. */
interface Known {
  readonly lookup: TargetLookup;
  readonly tokens: PlaceholderSet;
}

export class CommitNames {
  readonly names: RecordName[] = [];
  /** Those of records whose data an operation needs: to compare it with the new one, or to take it out of indexes. */
  readonly withData: RecordName[] = [];
  /** Shapes that the commit adds or changes. */
  readonly changedShapes: string[] = [];
  readonly renamedShapes: (readonly [oldName: string, newName: string])[] = [];
  readonly aliases: ShapeAliases;
  readonly #known: Known;
  readonly #madeBy = new Map<number, RecordName>();

  constructor(operations: readonly Operation[], known: Known) {
    this.#known = known;
    const revises = operations.some(({ operation }) => operation === 'revise');
    for (const operation of operations) this.#take(operation, revises);
    this.aliases = new ShapeAliases(this.renamedShapes);
  }

  #take(operation: Operation, revises: boolean): void {
    const name = this.nameOf(operation);
    if (name === undefined) return;
    this.names.push(name);
    // What is renamed may be revised by its new name. A collection without a name may turn out to be any of its shape.
    const needsData = operation.operation === 'revise' || (revises && operation.operation === 'rename');
    if (needsData || collectionTypeOf(name.shapeName) !== undefined) this.withData.push(name);
    if (operation.operation === 'add') this.#takeToken(operation.name?.token?.label, name);
    if (name.local === '') this.changedShapes.push(name.shapeName);
    if (operation.operation !== 'rename') return;
    const { newName } = operation;
    this.names.push(newName);
    if (name.local === '' && newName.local === '') this.renamedShapes.push([name.shapeName, newName.shapeName]);
  }

  /** Of several uses the first counts, which may be of an earlier commit of the stream: the others are refused. */
  #takeToken(label: number | undefined, name: RecordName): void {
    if (label === undefined || this.#known.tokens.find(label) !== undefined) return;
    if (!this.#madeBy.has(label)) this.#madeBy.set(label, name);
  }

  /** The record that an operation makes or changes; `undefined` where it is known that there is none. */
  nameOf(operation: Operation): RecordName | undefined {
    if (operation.operation !== 'add') return this.#subjectName(operation.subject);
    if (operation.kind !== 'collection' || operation.name !== undefined) return operation.name;
    // Its name is derived from the members once they are known.
    return { shapeName: COLLECTIONS[operation.type].shapeName, local: '-' };
  }

  #subjectName(subject: Subject): RecordName | undefined {
    if ('name' in subject) return subject.name;
    const { lookup, tokens } = this.#known;
    if ('token' in subject && this.#madeBy.has(subject.token)) return this.#madeBy.get(subject.token);
    const recordId = 'token' in subject ? tokens.find(subject.token) : subject.recordId;
    const repoId = 'token' in subject ? lookup.repoId : subject.repoId;
    const row = recordId === undefined ? undefined : lookup.findById({ repoId, recordId });
    if (row === undefined) return undefined;
    return row.shape_name === null
      ? { shapeName: row.name, local: '' }
      : { shapeName: row.shape_name, local: row.name };
  }
}

// Names of shapes that may come to mean each other within a commit, because it renames shapes. Records are fetched before
// the first operation is applied, so everything that a name could mean by then must be at hand.

export class ShapeAliases {
  readonly #groups = new Map<string, Set<string>>();

  constructor(renames: Iterable<readonly [oldName: string, newName: string]>) {
    for (const [oldName, newName] of renames) {
      const joined = new Set([...this.of(oldName), ...this.of(newName)]);
      for (const name of joined) this.#groups.set(name, joined);
    }
  }

  /** The name itself, and every other that it could mean. */
  of(shapeName: string): readonly string[] {
    const group = this.#groups.get(shapeName);
    return group === undefined ? [shapeName] : [...group];
  }
}

// The name of a collection that was given none: derived from its type and its members, so that adding the same
// collection twice finds the first.

const CHARACTERS = 32;

interface Collected {
  readonly type: CollectionType;
  readonly members: readonly DurableIdParts[];
  /** The repository that it is in. */
  readonly repoId: number;
}

/** Of its own repository only the number of a record counts: that is the same in a copy, which must find it too. */
export function deriveName({ type, members, repoId: own }: Collected): string {
  const identities = members.map(({ repoId, recordId }) =>
    formatDurableId({ repoId: repoId === own ? 0 : repoId, recordId }),
  );
  if (!COLLECTIONS[type].ordered) identities.sort();
  return hash('sha256', `${type} ${identities.join(' ')}`, 'hex').slice(0, CHARACTERS);
}
