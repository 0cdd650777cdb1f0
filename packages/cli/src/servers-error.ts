import { CairnError } from '@cairn/protocol/errors';

/** What the server threw in this process, as ours: when they are published, the command and the server have a copy of the class each. */
export function ownError(error: unknown): unknown {
  const isOther = error instanceof Error && error.name === 'CairnError' && !(error instanceof CairnError);
  return isOther ? new CairnError((error as CairnError).code, error) : error;
}
