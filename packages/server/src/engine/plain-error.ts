// Errors as plain data, for those who answer from another thread or another process.
import { CairnError, fail, isErrorCode } from '@cairn/protocol/errors';

export interface PlainError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  readonly details: unknown;
  readonly hint: string | undefined;
  readonly retryAfter: number | undefined;
  readonly cause: PlainError | undefined;
}

// Structured clone keeps only `message` and `stack` of an error; ours carry more.
export function packError(error: unknown): PlainError {
  const source = error instanceof Error ? error : new Error(String(error));
  const fields = source instanceof CairnError ? source : undefined;
  return {
    name: source.name,
    message: source.message,
    stack: source.stack,
    code: 'code' in source ? source.code : undefined,
    details: fields?.details,
    hint: fields?.hint,
    retryAfter: fields?.retryAfter,
    // For the log, which is written elsewhere.
    cause: source.cause instanceof Error ? packError(source.cause) : undefined,
  };
}

export function unpackError(error: PlainError): Error {
  const { name, message, stack, code, details, hint, retryAfter } = error;
  const cause = error.cause && unpackError(error.cause);
  if (name === 'CairnError' && isErrorCode(code)) {
    return fail(code, {
      message,
      ...(details !== undefined && { details }),
      ...(hint !== undefined && { hint }),
      ...(retryAfter !== undefined && { retryAfter }),
      cause,
    });
  }
  return Object.assign(new Error(message, cause && { cause }), { name, stack, ...(code !== undefined && { code }) });
}

/** For calls whose answer will not come any more. */
export function stopped(cause?: unknown): CairnError {
  return fail('UNAVAILABLE', {
    message: 'The server is stopping or restarting a part of itself. Try again.',
    // Who did the work may have died before or after its work was durable.
    details: { outcome: 'unknown' },
    retryAfter: 1,
    cause,
  });
}
