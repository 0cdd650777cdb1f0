// A transaction on one PostgreSQL connection. It applies everything or nothing, or reports an unknown outcome.
import type { Value } from '../database.ts';
import { SERVER_APPLICATION } from '../placement.ts';
import type { Connection } from './connection.ts';
import { isUnreachable, lost, outcomeUnknown, sqlStateOf } from './error.ts';
import type { SharedPool } from './pool.ts';

export type Query = <Result>(text: string, params?: readonly Value[]) => Promise<Result[]>;

const ALREADY_FAILED = '25P02';

export async function inTransaction<Result>(
  connection: Connection,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  const begun = connection.query('begin');
  const statements = new Statements(connection, begun);
  const loss = Promise.withResolvers<never>();
  // Work that waits for something other than a statement would not notice the loss.
  const stop = connection.onLost(() => loss.reject(lost()));
  let result: Result;
  try {
    result = await Promise.race([work(statements.query), loss.promise]);
    statements.end();
  } catch (error) {
    const cause = statements.fail(error);
    await connection.query('rollback').catch(() => connection.drop());
    throw cause;
  } finally {
    stop();
  }
  await commit(connection);
  return result;
}

class Statements {
  readonly #connection: Connection;
  #begun: Promise<unknown> | undefined;
  #isOver = false;
  #failure: unknown;

  constructor(connection: Connection, begun: Promise<unknown>) {
    this.#connection = connection;
    // The next statement, or the commit, reports the error.
    begun.then(
      () => {
        this.#begun = undefined;
      },
      (error: unknown) => {
        this.#failure ??= error;
      },
    );
    this.#begun = begun;
  }

  readonly query: Query = async <Result>(text: string, params?: readonly Value[]) => {
    // The pool may have given the connection to another transaction.
    if (this.#isOver) throw new Error('a statement came after the end of its transaction');
    try {
      // A read can be pipelined with `begin`. A write waits for it, because without a transaction it would commit alone.
      if (this.#begun !== undefined && !text.startsWith('select')) await this.#begun;
      return await this.#connection.query<Result>(text, params);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  };

  /** A transaction with a failed statement is not committed, even if the work caught the error. */
  end(): void {
    this.#isOver = true;
    if (this.#failure !== undefined) throw this.#failure;
  }

  fail(error: unknown): unknown {
    this.#isOver = true;
    return isUnreachable(this.#failure) || sqlStateOf(error) === ALREADY_FAILED ? (this.#failure ?? error) : error;
  }
}

async function commit(connection: Connection): Promise<void> {
  const before = connection.warnings;
  let done: unknown[] & { readonly command?: string };
  try {
    done = await connection.query('commit');
  } catch (error) {
    throw isUnreachable(error) ? outcomeUnknown(error) : error;
  }
  // PostgreSQL answers `ROLLBACK` to the commit of a failed transaction, without an error.
  if (done.command !== 'COMMIT') throw new Error('a statement without await failed, so nothing was committed');
  // The server warns if the wait for its synchronous standby was cancelled. The commit is lost if that standby takes
  // over.
  if (connection.warnings > before) throw outcomeUnknown(new Error('the server has committed with a warning'));
}

// A hanging node keeps its locks, which block all writes to a repository. The server's
// `idle_in_transaction_session_timeout` does not apply while it waits for the second half of a statement. Transactions
// that take long therefore look for such sessions and end them.
export const SILENT_TRANSACTION_MS = 10_000;

const END_SILENT = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = current_user and application_name like $1 || '%'
    and xact_start is not null and state = 'active' and wait_event = 'ClientRead'
    and state_change < clock_timestamp() - $2 * interval '1 millisecond'`;

export async function despiteSilence<Result>(pool: SharedPool, work: () => Promise<Result>): Promise<Result> {
  const endSilent = () => {
    pool.query(END_SILENT, [SERVER_APPLICATION, SILENT_TRANSACTION_MS]).catch(() => {});
  };
  const looking = setInterval(endSilent, SILENT_TRANSACTION_MS);
  try {
    return await work();
  } finally {
    clearInterval(looking);
  }
}
