// What an operation answers: its result, or why the state that it met refuses it.
import type { OperationResult } from '@cairn/protocol/commit';
import { fail } from '@cairn/protocol/errors';
import type { Operation } from '../model/operation.ts';
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

interface VersionMismatch {
  readonly expectedVersion: number;
  readonly currentVersion: number;
}

export function versionMismatch(name: string, { expectedVersion, currentVersion }: VersionMismatch) {
  return fail('CONFLICT', {
    message: `${name} is at version ${currentVersion}, not ${expectedVersion}. Read it again and decide anew.`,
    details: { reason: 'expected_version_mismatch', expectedVersion, currentVersion },
  });
}

/** What an operation came to, at the moment when it was applied: later ones may change the record further. */
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

const NONE: readonly string[] = [];

export function outcomeOf(operation: Operation, { opIndex, head, name, status, prepared }: Met): Outcome {
  const { kind, version, dataHash } = head;
  const undeclaredFields = prepared?.undeclaredFields ?? NONE;
  return { opIndex, operation, kind, name, version, status, dataHash, undeclaredFields };
}

/** `submittedName` is what the operation called the record, where that is not its name. */
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
