// A node that hangs in the middle of a transaction, or whose machine is gone, keeps its locks, and with them holds up all writes
// to a repository. Between two statements the server ends such a transaction by itself (`idle_in_transaction_session_timeout`).
// Within one it does not: the driver sends a statement that is new to its connection in two parts, and a server that waits for
// the second believes to be at work. So who waits for long looks for those that do, and ends them.
import { SERVER_APPLICATION } from '../placement.ts';
import type { SharedPool } from './pool.ts';

export const SILENT_TRANSACTION_MS = 10_000;

/** Of our own connections, those in a transaction whose next message has been waited for too long. */
const END_SILENT = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = current_user and application_name like $1 || '%'
    and xact_start is not null and state = 'active' and wait_event = 'ClientRead'
    and state_change < clock_timestamp() - $2 * interval '1 millisecond'`;

/** Does the work of a transaction; while that takes long, whoever might hold it up without a word is ended. */
export async function despiteSilence<Result>(pool: SharedPool, work: () => Promise<Result>): Promise<Result> {
  const endSilent = () => {
    // Where the server is away, the transaction itself finds out.
    pool.query(END_SILENT, [SERVER_APPLICATION, SILENT_TRANSACTION_MS]).catch(() => {});
  };
  const looking = setInterval(endSilent, SILENT_TRANSACTION_MS);
  try {
    return await work();
  } finally {
    clearInterval(looking);
  }
}
