// What a writer may write, where that is not everything: the records that a component's install approved.
import type { OperationResult } from '@cairn/protocol/commit';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { isBuiltInShape } from '../../model/built-in-shape.ts';
import { compileNarrowing, type IsShown, type Narrowing } from '../../model/narrowing.ts';
import type { Operation } from '../../model/operation.ts';
import { formatRecordName, parseRecordName } from '../../model/record-name.ts';
import type { TargetSet } from './target-set.ts';

export class WriteLimit {
  readonly #isAllowed: IsShown | undefined;
  readonly #targets: TargetSet;

  constructor(writes: Narrowing | undefined, targets: TargetSet) {
    this.#isAllowed = writes === undefined ? undefined : compileNarrowing(writes);
    this.#targets = targets;
  }

  /** Before anything is looked up, where the operation says what it is about: it must not learn what is there. */
  checkBefore(operation: Operation): void {
    if (this.#isAllowed === undefined) return;
    if (operation.operation === 'add') {
      if (operation.name !== undefined && operation.name.token === undefined)
        this.#check(formatRecordName(operation.name));
      return;
    }
    if ('name' in operation.subject) this.#check(formatRecordName(operation.subject.name));
    if (operation.operation === 'rename') this.#check(formatRecordName(operation.newName));
  }

  /** What it came to: records by durable ID, tokens and derived names are known only now. */
  checkAfter({ name, submittedName }: OperationResult): void {
    if (this.#isAllowed === undefined) return;
    this.#check(name);
    if (submittedName !== undefined) this.#check(submittedName);
  }

  #check(name: string): void {
    const { shapeName, local } = parseRecordName(name);
    const kind = local === '' ? 'shape' : 'thing';
    const shapeId = this.#targets.shapeIdOf(shapeName) ?? 0;
    if (kind === 'shape' && isBuiltInShape(shapeName)) throw refused(name);
    if (!this.#isAllowed?.({ kind, shapeId, shapeNames: [shapeName], names: [name] })) throw refused(name);
  }
}

function refused(name: string): CairnError {
  const message = `This component may not write ${name}. Install it with an access that covers it.`;
  return fail('FORBIDDEN', { message, details: { missing: ['repo:write'] } });
}
