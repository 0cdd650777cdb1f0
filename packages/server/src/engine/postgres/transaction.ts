// A transaction on one connection of PostgreSQL: all of it, or nothing, or an error that says that nobody knows.
import type { Value } from '../database.ts';
import { SERVER_APPLICATION } from '../placement.ts';
import type { Connection } from './connection.ts';
import { codeOf, isUnreachable, lost, outcomeUnknown } from './error.ts';
import type { SharedPool } from './pool.ts';

export type Query = <Result>(text: string, params?: readonly Value[]) => Promise<Result[]>;

const ALREADY_FAILED = '25P02';

export async function inTransaction<Result>(
  connection: Connection,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  await connection.query('begin');
  const statements = new Statements(connection);
  const loss = Promise.withResolvers<never>();
  // Work that waits for something else would not hear of it.
  const stop = connection.onLost(() => loss.reject(lost()));
  let result: Result;
  try {
    result = await Promise.race([work(statements.query), loss.promise]);
    statements.end();
  } catch (error) {
    const cause = statements.fail(error);
    await rollBack(connection);
    throw cause;
  } finally {
    stop();
  }
  await commit(connection);
  return result;
}

class Statements {
  readonly #connection: Connection;
  #isOver = false;
  #failure: unknown;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  readonly query: Query = async <Result>(text: string, params?: readonly Value[]) => {
    // The connection may be another's by now.
    if (this.#isOver) throw new Error('a statement came after its transaction');
    try {
      return await this.#connection.query<Result>(text, params);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  };

  /** What has failed is not committed, whether or not somebody cared. */
  end(): void {
    this.#isOver = true;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Answers what it failed by: of errors that follow from another, the other. */
  fail(error: unknown): unknown {
    this.#isOver = true;
    return isUnreachable(this.#failure) || codeOf(error) === ALREADY_FAILED ? (this.#failure ?? error) : error;
  }
}

async function rollBack(connection: Connection): Promise<void> {
  await connection.query('rollback').catch(() => connection.drop());
}

async function commit(connection: Connection): Promise<void> {
  const before = connection.warnings;
  let done: unknown[] & { readonly command?: string };
  try {
    done = await connection.query('commit');
  } catch (error) {
    throw isUnreachable(error) ? outcomeUnknown(error) : error;
  }
  // The server answers that it has rolled back, without an error.
  if (done.command !== 'COMMIT') throw new Error('a statement that nobody waited for failed: nothing was committed');
  // The server warns when it was told to wait no longer for the standby that must have the transaction too: it is committed
  // there, and lost if that standby takes its place.
  if (connection.warnings > before) throw outcomeUnknown(new Error('the server has committed with a warning'));
}

// A node that hangs in the middle of a transaction, or whose machine is gone, keeps its locks, and with them holds up all writes
// to a repository. Between two statements the server ends such a transaction by itself (`idle_in_transaction_session_timeout`).
// Within one it does not: the driver sends a statement that is new to its connection in two parts, and a server that waits for
// the second believes to be at work. So who waits for long looks for those that do, and ends them.

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
