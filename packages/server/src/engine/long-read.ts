// A read that nothing bounds goes in steps: between them others have their turn, and after some seconds it gives up.
import { type CairnError, fail } from '@cairn/protocol/errors';

/** How many rows one step looks at. */
export const STEP_ROWS = 2_000;
export const WITHIN_MS = 5_000;

export class LongRead {
  readonly #until = performance.now() + WITHIN_MS;
  readonly #advice: string;

  /** What to ask for instead, for who waited in vain. */
  constructor(advice: string) {
    this.#advice = advice;
  }

  /** Between two steps. */
  async turn(): Promise<void> {
    if (performance.now() > this.#until) throw tooLong(this.#advice);
    await giveTurn();
  }
}

/** Lets whatever else waits go first. */
export function giveTurn(): Promise<void> {
  return new Promise((turn) => setImmediate(turn));
}

export function tooLong(advice: string): CairnError {
  return fail('UNAVAILABLE', { message: `The read took too long. ${advice}` });
}

/** For what may be much in one answer: some at a time, with a turn for others between them. */
export async function inSteps<Item>(
  items: readonly Item[],
  take: (some: readonly Item[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += STEP_ROWS) {
    if (at > 0) await giveTurn();
    await take(items.slice(at, at + STEP_ROWS));
  }
}
