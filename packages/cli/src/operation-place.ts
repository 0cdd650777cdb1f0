// Where an operation stands, in the words of whoever wrote it: the server counts operations from 0, and a person looks for a
// line of a file.
import { CairnError } from '@cairn/sdk';

/** The operations of a commit, and for those of a file with one a line, which line each stands on, counted from 1. */
export interface PlacedOperations {
  readonly operations: readonly unknown[];
  readonly lines?: readonly number[];
  /** Whether they were written as JSON, where fields are not flags. */
  readonly isJson?: true;
}

export class JsonRefusal extends CairnError {}

type Lines = PlacedOperations['lines'];

/** The phrases by which the server refers to an operation. */
const OPERATION = /(?<=the first, |because |is used by )operation (\d+)(?: \(counted from 0\))?/g;

/** `line 5`, or `operation 3` of what has no lines. */
export function placeOf(opIndex: number, lines: Lines): string {
  const line = lines?.[opIndex];
  return line === undefined ? `operation ${opIndex}` : `line ${line}`;
}

/** A message of the server, with lines in place of operations where there are lines. */
export function byLine(message: string, lines: Lines): string {
  if (lines === undefined) return message;
  return message.replaceAll(OPERATION, (said, index) => (lines[index] === undefined ? said : `line ${lines[index]}`));
}

interface Telling {
  /** Programs get the server's own words. */
  readonly isForPeople: boolean;
  readonly placeOf: (index: number) => string;
  readonly inPlaces: (message: string) => string;
}

/** A refusal of what was written as JSON; for people, with the places where it stands there. */
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
