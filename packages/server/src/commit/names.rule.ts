// The names that the operations of a commit use, before any of them is applied.
import { COLLECTIONS, collectionTypeOf } from '../model/collection.ts';
import type { Operation, Subject } from '../model/operation.ts';
import type { RecordName } from '../model/record-name.ts';
import type { TargetLookup } from './reference/target-lookup.sql.ts';
import { ShapeAliases } from './shape-alias.rule.ts';
import type { TokenSet } from './token-set.sql.ts';

/** What is known of records before their names are. */
interface Known {
  readonly lookup: TargetLookup;
  readonly tokens: TokenSet;
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
