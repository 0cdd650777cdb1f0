import { CairnError } from '@cairn/protocol/errors';

/** `path` is a JSON pointer; '' denotes the whole. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Returns expected failures as values. All other errors are faults, and propagate. */
export function attempt<Result>(work: () => Result): Result | CairnError {
  try {
    return work();
  } catch (error) {
    if (error instanceof CairnError) return error;
    throw error;
  }
}

/** Replaces the characters that PostgreSQL refuses in text. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
