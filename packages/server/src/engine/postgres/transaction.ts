// A transaction on one connection of PostgreSQL: all of it, or nothing, or an error that says that nobody knows.
import type { Value } from '../database.ts';
import type { Connection } from './connection.ts';
import { codeOf, isUnreachable, lost, outcomeUnknown } from './error.ts';

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
