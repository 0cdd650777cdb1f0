// What a model is told when a tool fails: the error as everywhere, and what to do next in the words of tools.
import { CairnError, type ErrorCode, fail } from '@cairn/protocol/errors';
import { invalidInput } from '@cairn/protocol/input-error';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ZodError } from 'zod';
import type { Context } from '../access/context.ts';
import { SIGN_IN } from './tool-cookbook.ts';

/** By the error alone, so that it tells nothing of what is hidden. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'Nothing was done. Correct what the message names, and call again.',
  SHAPE_MISMATCH:
    'Nothing was written. Correct the data at the paths that are named (repo_describe shows the fields of each shape), and send all operations again.',
  RESERVED_NAME: 'Choose another name.',
  TARGET_NOT_FOUND:
    'Nothing was written. Find the right name with thing_query, or add the missing record in an earlier operation, and send all operations again.',
  UNRESOLVED_TOKEN: 'Nothing was written. Only what an earlier operation called $N can be meant by #N.',
  DEPENDENCY_FAILED: 'Correct the operation that failed first, and send it again.',
  FORBIDDEN: 'The same call will be refused again. Tell the user what is missing, or work without it.',
  NOT_FOUND: 'Check the names in the lists: repo_list, thing_query, subscription_list, action_runs, component_list.',
  CONFLICT: 'Read what there is now, decide anew, and call again.',
  ALREADY_EXISTS:
    'Read what there is, then change that, or choose another name. In a commit, skipExisting passes it over.',
  ARCHIVED: 'It can be read, not written. Ask the user to have it unarchived, or write elsewhere.',
  PAYLOAD_TOO_LARGE: 'Send or ask for less at once: fewer operations, a smaller limit, fewer fields or wrefs.',
  RATE_LIMITED: 'Wait retryAfter seconds, and call again.',
  UPSTREAM_ERROR: 'It is the component that failed. Tell the user.',
  UPSTREAM_TIMEOUT: 'It is the component that did not answer. Call again later, or tell the user.',
  UNAVAILABLE: 'Call again in a moment.',
};

/** What is private is missing to them, too. */
const NOT_FOUND_FOR_NOBODY = `${NEXT.NOT_FOUND} What is private is there only for who has signed in and may read it. ${SIGN_IN}`;

/** What went wrong, as one of ours. What is our own fault is the caller's to know of only by the request's id. */
export function toolErrorOf(thrown: unknown): CairnError {
  if (thrown instanceof CairnError) return thrown;
  if (thrown instanceof ZodError) return invalidInput(thrown);
  const message = 'Something went wrong in the server. Its log has the reason under the x-request-id of this answer.';
  return fail('INTERNAL_ERROR', { message, cause: thrown });
}

export function failureOf({ fields }: CairnError, { kind }: Context['principal']): CallToolResult {
  const isForNobody = fields.code === 'NOT_FOUND' && kind === 'anonymous';
  const hint = fields.hint ?? (isForNobody ? NOT_FOUND_FOR_NOBODY : NEXT[fields.code]);
  const error = { ...fields, ...(hint !== undefined && { hint }) };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error }) }] };
}

/**
 * What HTTP itself answers: whoever signs in, or takes another token, can go on. A role that does not suffice is the tool's
 * own error, since signing in again would not help.
 */
export function isForHttp({ code, details }: CairnError): boolean {
  const withheld = typeof details === 'object' && details !== null && 'withheldBy' in details && details.withheldBy;
  return code === 'UNAUTHENTICATED' || code === 'INTERNAL_ERROR' || withheld === 'token';
}
