// The shared state of a run, and its request helper, which retries while the server is away.
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
  /** While true, clients begin another step after each one. */
  isGoing: boolean;
  /** Aborted when the run cannot continue, so that nobody waits for a server that will not return. */
  readonly signal: AbortSignal;
}

export interface Place {
  readonly world: World;
  readonly model: RepositoryModel;
}

const TRY_AGAIN_MS = 50;
/** Keeps a refusal that repeats immediately from filling the report. */
const AFTER_REFUSAL_MS = 1_000;

/** Retries after a cut connection or an answer that asks for a retry. All other errors are thrown. */
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
  readonly paceMs: number;
  readonly step: () => Promise<void>;
}

/** Repeats a step during the run. An error of a step becomes a finding. */
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
