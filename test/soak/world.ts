// What everybody who takes part in a run has in common, and how they ask: again and again while the server is away.
import { setTimeout as pause } from 'node:timers/promises';
import { type CairnClient, isRetryable } from '@cairn/sdk';
import type { Random } from '../support/random.ts';
import type { Findings } from './finding.ts';
import type { Meter } from './meter.ts';
import type { RepositoryModel } from './repository-model.ts';

export interface World {
  readonly url: string;
  readonly token: string;
  readonly client: CairnClient;
  readonly models: readonly RepositoryModel[];
  readonly findings: Findings;
  readonly meter: Meter;
  readonly random: Random;
  /** Until then everybody begins another step when one is done. */
  isGoing: boolean;
  /** Aborted when the run cannot go on: nobody is to wait for a server that will not come back. */
  readonly signal: AbortSignal;
}

/** One repository of it. */
export interface Place {
  readonly world: World;
  readonly model: RepositoryModel;
}

const TRY_AGAIN_MS = 50;
/** So that a refusal that comes at once, every time, does not fill the report. */
const AFTER_REFUSAL_MS = 1_000;

/** A connection that was cut, or an answer that says to try again, is tried again. Anything else is thrown. */
export async function ask<Answer>(
  { meter, signal }: Pick<World, 'meter' | 'signal'>,
  kind: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    signal.throwIfAborted();
    const begun = performance.now();
    try {
      const answer = await call();
      meter.answered(kind, performance.now() - begun);
      return answer;
    } catch (error) {
      if (!isRetryable(error)) throw error;
      meter.triedAgain(kind);
      await pause(TRY_AGAIN_MS);
    }
  }
}

export interface Repetition {
  readonly name: string;
  /** Between two steps, on average. */
  readonly paceMs: number;
  readonly step: () => Promise<void>;
}

/** One step after the other, as long as the run goes. What a step throws is a finding. */
export async function repeat(world: World, { name, paceMs, step }: Repetition): Promise<void> {
  while (world.isGoing) {
    try {
      await step();
    } catch (error) {
      world.signal.throwIfAborted();
      world.findings.add('answer', `${name}: ${described(error)}`);
      await pause(AFTER_REFUSAL_MS);
    }
    if (paceMs > 0) await pause(world.random.below(2 * paceMs));
  }
}

export function described(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, details } = error as { code?: unknown; details?: unknown };
  const more = details === undefined ? '' : ` ${JSON.stringify(details)}`;
  return `${code === undefined ? '' : `${code}: `}${error.message}${more}`;
}
