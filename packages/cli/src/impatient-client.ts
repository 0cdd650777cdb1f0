// A client for what is only of use soon, such as names that a shell completes: one try, and no long wait.
import { CairnClient } from '@cairn/sdk';
import type { Io } from './io.ts';
import { type Choice, type ChoiceFlags, choose } from './profile-choice.ts';
import { credentialsOf } from './profile-session.ts';

/** Longer, nobody waits at a prompt. */
const ANSWER_MS_MAX = 3_000;

export interface ImpatientClient {
  readonly client: CairnClient;
  readonly choice: Choice;
}

export function openImpatient(io: Io, flags: ChoiceFlags): ImpatientClient {
  const choice = choose(io, flags);
  const impatient: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(io.retry.silenceMs ?? ANSWER_MS_MAX) });
  const client = new CairnClient({
    url: choice.url,
    fetch: impatient,
    retry: { tries: 1 },
    ...credentialsOf(choice, io.environment),
  });
  return { client, choice };
}
