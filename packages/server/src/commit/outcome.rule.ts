import type { Operation } from '@cairn/model/operation';
import type { OperationResult } from '@cairn/protocol/commit';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Head } from './record-set.sql.ts';
import type { Prepared } from './version-content.sql.ts';

export function alreadyExists(name: string, { version, active, kind }: Head) {
  const state = active ? 'exists already' : 'exists already, retracted';
  const otherwise = kind === 'shape' ? '' : ', or skipExisting to leave it';
  return fail('ALREADY_EXISTS', {
    message: `${name} ${state}. Use revise to change it${otherwise}.`,
    details: { name, currentVersion: version },
  });
}

export function nameTaken(name: string, { active }: Head) {
  const state = active ? 'exists already' : 'exists already, retracted';
  return fail('ALREADY_EXISTS', { message: `${name} ${state}. Choose another name.`, details: { name } });
}

export function versionMismatch(name: string, expectedVersion: number, currentVersion: number) {
  return fail('CONFLICT', {
    message: `${name} is at version ${currentVersion}, not ${expectedVersion}. Read it again and decide anew.`,
    details: { reason: 'expected_version_mismatch', expectedVersion, currentVersion },
  });
}

/** The state right after the operation; later operations may change the record further. */
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
  const which = count === 1 ? '' : `${least}${wrong.length} of ${count} operations failed; the first, ${where}: `;
  const hints = [...(isPartialRevise(first) ? [WHOLE_DATA] : []), ...(count > 1 ? [places.advice] : [])];
  throw fail(first.error.code, {
    message: `Nothing was committed. ${which}${first.error.message}`,
    details: { failed: wrong.length, operations },
    ...(hints.length > 0 && { hint: hints.join(' ') }),
  });
}

const WHOLE_DATA = 'A revise replaces the data as a whole: give every field, also those that stay as they are.';

/** The data looks as if the caller expected a revise to merge fields. */
function isPartialRevise({ operation, error }: FailedOutcome): boolean {
  return operation === 'revise' && error?.code === 'SHAPE_MISMATCH' && error.message.includes(': missing, expected ');
}

/** The numbers of operations in error messages: their index in a commit, or their line in a stream. */
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
  advice: 'Mend the operations that are named, or send atomic: false to apply the others.',
};
