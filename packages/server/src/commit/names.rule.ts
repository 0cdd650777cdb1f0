import { hash } from 'node:crypto';
import { COLLECTION_TYPE_OF, COLLECTIONS, type CollectionType } from '@cairn/model/collection';
import { type DurableIdParts, formatDurableId } from '@cairn/model/durable-id';
import type { Operation, Subject } from '@cairn/model/operation';
import type { RecordName } from '@cairn/model/record-name';
import type { Draft } from './draft.sql.ts';

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
    // A renamed record may be revised under its new name. An unnamed collection may equal any collection of its shape.
    const needsData = operation.operation === 'revise' || (revises && operation.operation === 'rename');
    if (needsData || COLLECTION_TYPE_OF.get(name.shapeName) !== undefined) this.withData.push(name);
    if (operation.operation === 'add') this.#takeLabel(operation.name?.token?.label, name);
    if (name.local === '') this.changedShapes.push(name.shapeName);
    if (operation.operation !== 'rename') return;
    const { newName } = operation;
    this.names.push(newName);
    if (name.local === '' && newName.local === '') this.renamedShapes.push([name.shapeName, newName.shapeName]);
  }

  /** The first use of a label counts, even in an earlier commit of the stream; later uses are errors. */
  #takeLabel(label: number | undefined, name: RecordName): void {
    if (label === undefined || this.#draft.placeholders.find(label) !== undefined) return;
    if (!this.#madeBy.has(label)) this.#madeBy.set(label, name);
  }

  nameOf(operation: Operation): RecordName | undefined {
    if (operation.operation !== 'add') return this.#subjectName(operation.subject);
    if (operation.kind !== 'collection' || operation.name !== undefined) return operation.name;
    // A stand-in: the real name is derived from the members once they are known.
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

const CHARACTERS = 32;

/**
 * The name depends on type and members, so that adding the same collection twice finds the first. The repository's own
 * id is left out, so that a copy of the repository derives the same name.
 */
export function deriveName(type: CollectionType, members: readonly DurableIdParts[], own: number): string {
  const identities = members.map(({ repoId, recordId }) =>
    formatDurableId({ repoId: repoId === own ? 0 : repoId, recordId }),
  );
  if (!COLLECTIONS[type].ordered) identities.sort();
  return hash('sha256', `${type} ${identities.join(' ')}`, 'hex').slice(0, CHARACTERS);
}
