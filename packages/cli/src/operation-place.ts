// Locations of operations in the user's terms: the server counts operations from 0, but people look for a line of a
// file.
import { CairnError } from '@cairn/sdk';

/** Operations of a commit. For JSON lines, `lines` has the line number of each, counted from 1. */
export interface PlacedOperations {
  readonly operations: readonly unknown[];
  readonly lines?: readonly number[];
  /** True if they were written as JSON, whose fields are not flags. */
  readonly isJson?: true;
}

export class JsonRefusal extends CairnError {}

type Lines = PlacedOperations['lines'];

const OPERATION = /(?<=the first, |because |is used by )operation (\d+)(?: \(counted from 0\))?/g;

export function placeOf(opIndex: number, lines: Lines): string {
  const line = lines?.[opIndex];
  return line === undefined ? `operation ${opIndex}` : `line ${line}`;
}

export function byLine(message: string, lines: Lines): string {
  if (lines === undefined) return message;
  return message.replaceAll(OPERATION, (said, index) => (lines[index] === undefined ? said : `line ${lines[index]}`));
}

interface Telling {
  readonly isForPeople: boolean;
  readonly placeOf: (index: number) => string;
  readonly inPlaces: (message: string) => string;
}

/** Error for operations written as JSON. For people, it names their lines. */
export function jsonRefusal(error: CairnError, { isForPeople, placeOf, inPlaces }: Telling): JsonRefusal {
  const { code, message, details, ...rest } = error.fields;
  if (!isForPeople) return new JsonRefusal(code, error.fields);
  const operations = failuresIn(details).map((failure) => ({
    ...failure,
    place: placeOf(failure.index),
    message: inPlaces(failure.message),
  }));
  return new JsonRefusal(code, {
    ...rest,
    message: inPlaces(message),
    details: operations.length === 0 ? details : { operations },
  });
}

export interface Failure {
  readonly code: string;
  readonly index: number;
  readonly name: string;
  readonly message: string;
  readonly details?: unknown;
  readonly place?: string;
}

export function failuresIn(details: unknown): Failure[] {
  const listed = typeof details === 'object' && details !== null && 'operations' in details ? details.operations : [];
  return Array.isArray(listed) ? (listed as Failure[]) : [];
}
