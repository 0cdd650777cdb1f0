import { CairnError } from '@cairn/protocol/errors';

/** One thing that is wrong, and where: `path` is a JSON pointer, '' for the whole. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What is expected to fail, as a value; anything else is a fault and goes on. */
export function attempt<Result>(work: () => Result): Result | CairnError {
  try {
    return work();
  } catch (error) {
    if (error instanceof CairnError) return error;
    throw error;
  }
}

/** Text that came from anywhere, without what PostgreSQL takes for no text. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
