// What can go wrong with a stream, in words.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { RepositoryName } from './export-part.ts';
import { isRetryable } from './retry.ts';

interface CutStream {
  readonly repo: RepositoryName;
  readonly streamId: string;
  readonly counts: { readonly offset: number };
}

/** The server has another number of lines than it was told to have. */
export function isOffsetConflict(error: unknown): boolean {
  if (!(error instanceof CairnError) || error.code !== 'CONFLICT') return false;
  return (error.details as { reason?: unknown } | undefined)?.reason === 'offset';
}

/** Whoever is told that it was cut is told from where it can go on; whoever finds no such path, what may be the reason. */
export function explained({ repo, streamId, counts }: CutStream, error: unknown): unknown {
  const name = `${repo.orgName}/${repo.repoName}`;
  if (!(error instanceof CairnError)) return error;
  const { code, retryAfter } = error;
  if (code === 'NOT_FOUND') {
    return fail(code, {
      message: `${name} takes no streaming submissions, or there is no such repository that you may see.`,
      hint: 'Turn them on by repo.configure with features: { streamSubmissions: true }; that needs repo:configure.',
      cause: error,
    });
  }
  if (!isRetryable(error)) return error;
  return fail(code, {
    message: `The stream ${streamId} to ${name} was cut after ${counts.offset} lines: ${error.message}`,
    details: { streamId, offset: counts.offset },
    ...(retryAfter !== undefined && { retryAfter }),
    cause: error,
  });
}

export function closed(streamId: string): CairnError {
  return fail('CONFLICT', {
    message: `The stream ${streamId} is closed, and takes no more lines. Send what is left under another name.`,
    details: { reason: 'closed' },
  });
}

export function anotherWriter(streamId: string, { offset, reach }: { offset: number; reach: number }): CairnError {
  return fail('CONFLICT', {
    message: `The stream ${streamId} has ${offset} lines, of which at most ${reach} were sent from here. Does another process send to it? One at a time can.`,
    details: { reason: 'writer', offset },
  });
}

export function tooShort(streamId: string, { offset }: { offset: number }, { end }: { end: number }): CairnError {
  return fail('VALIDATION_ERROR', {
    message: `The stream ${streamId} has ${offset} lines already, and the source has only ${end}. Is it the one that the stream was begun with?`,
  });
}

export function countedOtherwise(offset: number, sent: number): CairnError {
  return fail('NETWORK_ERROR', { message: `The answer counts ${offset} lines where ${sent} were sent.` });
}
