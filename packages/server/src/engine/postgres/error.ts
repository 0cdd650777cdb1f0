import { type CairnError, fail } from '@cairn/protocol/errors';
import { type DiskFault, diskFault } from '../disk-fault.ts';

export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const ENDED = 'CONNECTION_ENDED';
const NO_PRIMARY = 'NO_PRIMARY';
const UNANSWERED = 'ANSWER_TIMEOUT';

const UNREACHABLE = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'ECONNABORTED', 'ENOENT'],
  ...['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_DESTROYED', ENDED, NO_PRIMARY, UNANSWERED],
  // The server is starting, stopping or full, or it ended a session or transaction that was silent for too long.
  ...['57P01', '57P02', '57P03', '53300', '57P05', '25P03', '25P04'],
]);

/** SQLSTATE class 08 without protocol violations: on Citus, the coordinator lost or could not reach a worker. */
const NO_CONNECTION = /^08(?!P01)/;
const INTERNAL = 'XX000';

export function isUnreachable(error: unknown): boolean {
  const code = sqlStateOf(error) ?? '';
  if (UNREACHABLE.has(code) || NO_CONNECTION.test(code)) return true;
  // Citus reports a worker that failed during a statement with the code of an internal error.
  return code === INTERNAL && error instanceof Error && /failure on connection/.test(error.message);
}

export function mayReturn(error: unknown): boolean {
  return isUnreachable(error) && sqlStateOf(error) !== ENDED && sqlStateOf(error) !== UNANSWERED;
}

const coded = (code: string, message: string) => Object.assign(new Error(message), { code });

export const lost = () => coded('CONNECTION_CLOSED', 'the connection was lost');
export const tooLate = () => coded('CONNECT_TIMEOUT', 'no answer in time');
export const unanswered = () => coded(UNANSWERED, 'the database did not answer');
export const ended = () => coded(ENDED, 'the connections are closed');
export const noPrimary = (why: string) => coded(NO_PRIMARY, `no server takes writes: ${why}`);

const QUERY_CANCELED = '57014';

/** A transaction that failed with one of these was not committed: PostgreSQL shuts down if it cannot be sure. */
const DISK_FAULTS: ReadonlyMap<string, DiskFault> = new Map([
  ['53100', 'disk_full'],
  ['58030', 'io_error'],
]);
const READ_ONLY = '25006';

/** Some hosts make a database read-only when its disk is almost full. On a read-only connection it is our bug. */
export function translatedWrite(error: unknown): unknown {
  return sqlStateOf(error) === READ_ONLY ? diskFault('read_only', error) : translated(error);
}

export function translated(error: unknown): unknown {
  const code = sqlStateOf(error);
  const fault = DISK_FAULTS.get(code ?? '');
  if (fault !== undefined) return diskFault(fault, error);
  if (code === QUERY_CANCELED) {
    return fail('UNAVAILABLE', { message: 'The read took too long. Narrow it, or index the field.', cause: error });
  }
  return isUnreachable(error) ? unavailable(error) : error;
}

/** The connection was lost during the commit, or no standby confirmed it, so it may have been committed. */
export function outcomeUnknown(cause: unknown): CairnError {
  return unavailable(cause, { outcome: 'unknown' });
}

function unavailable(cause: unknown, details?: { outcome: 'unknown' }): CairnError {
  return fail('UNAVAILABLE', {
    message: 'The server cannot reach its database right now. Try again.',
    ...(details !== undefined && { details }),
    retryAfter: 1,
    cause,
  });
}
