import { CairnError } from '@cairn/protocol/errors';

/** What is expected to fail, as a value; anything else is a fault and goes on. */
export function attempt<Result>(work: () => Result): Result | CairnError {
  try {
    return work();
  } catch (error) {
    if (error instanceof CairnError) return error;
    throw error;
  }
}
