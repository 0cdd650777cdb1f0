// What the `$N` tokens of a commit made, and which names its failed operations left unmade: so that who refers to them
// is told what is really wrong.

import { type CairnError, type ErrorCode, fail } from '@cairn/protocol/errors';
import { COLLECTION_TYPES } from '@cairn/protocol/record-kind';
import { COLLECTIONS } from '../../model/collection.ts';
import { labelIn } from '../../model/token.ts';

export class TokenSet {
  readonly #made = new Map<number, number>();
  readonly #usedBy = new Map<number, number>();
  readonly #failedLabels = new Map<number, number>();
  readonly #failedNames = new Map<string, number>();

  /** A label is used once, whether its operation succeeds or not. */
  claim(label: number, opIndex: number): void {
    const earlier = this.#usedBy.get(label);
    if (earlier !== undefined && earlier !== opIndex) {
      const message = `$${label} is used by operation ${earlier} already. Take another number.`;
      throw fail('VALIDATION_ERROR', { message, details: [{ path: '/name', message }] });
    }
    this.#usedBy.set(label, opIndex);
  }

  keep(label: number, recordId: number): void {
    this.#made.set(label, recordId);
  }

  /** The id of the record that a token made. */
  resolve(label: number): number {
    const recordId = this.#made.get(label);
    if (recordId !== undefined) return recordId;
    const failed = this.#failedLabels.get(label);
    if (failed !== undefined) throw dependencyFailed(`#${label}`, failed);
    throw fail('UNRESOLVED_TOKEN', {
      message: `Nothing has made #${label} yet. Put an add with $${label} in its name before this operation.`,
    });
  }

  /** Notes what an operation that failed would have made. */
  noteFailure(raw: unknown, { opIndex, code }: { opIndex: number; code: ErrorCode }): void {
    // The record is there: nothing misses it because of this.
    if (code === 'ALREADY_EXISTS') return;
    const sent = (typeof raw === 'object' && raw !== null ? raw : {}) as RawOperation;
    const unmade = unmadeName(sent);
    if (unmade === undefined) return;
    // A token is made by an add alone.
    const label = sent.operation === 'rename' ? undefined : labelIn(unmade);
    if (label === undefined) this.#failedNames.set(unmade, opIndex);
    else if (!this.#made.has(label)) {
      this.#usedBy.set(label, this.#usedBy.get(label) ?? opIndex);
      this.#failedLabels.set(label, opIndex);
    }
  }

  /** Notes that a name is someone's, whatever failed before. */
  noteMade(name: string): void {
    this.#failedNames.delete(name);
  }

  /** What to tell who names a record that is not there: that its own operation failed, if that is why. */
  failureOf(name: string): CairnError | undefined {
    const failed = this.#failedNames.get(name);
    return failed === undefined ? undefined : dependencyFailed(name, failed);
  }
}

interface RawOperation {
  readonly operation?: unknown;
  readonly name?: unknown;
  readonly newName?: unknown;
  readonly type?: unknown;
}

/** The name that an operation was to make, in full; a collection's may have been sent without its shape. */
function unmadeName({ operation = 'add', name, newName, type }: RawOperation): string | undefined {
  const unmade = operation === 'rename' ? newName : operation === 'add' ? name : undefined;
  if (typeof unmade !== 'string') return undefined;
  const collection = COLLECTION_TYPES.find((one) => one === type);
  const shape = collection === undefined ? '' : `${COLLECTIONS[collection].shapeName}/`;
  return unmade.startsWith(shape) ? unmade : `${shape}${unmade}`;
}

function dependencyFailed(what: string, opIndex: number): CairnError {
  return fail('DEPENDENCY_FAILED', {
    message: `${what} is not there, because operation ${opIndex} of this commit failed. Mend that one first.`,
    details: { dependsOn: opIndex },
  });
}
