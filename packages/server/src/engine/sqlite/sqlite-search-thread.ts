// Reads the search index on its own thread, because a search for a common prefix takes long.
import { fail } from '@cairn/protocol/errors';
import type { Row } from '../database.ts';
import { serveThread } from '../thread.ts';
import { fileNumber, isDamage, type SqliteConnection } from './connection.ts';
import type { ScanRequest } from './scans.ts';
import { openSearchReader, removeSideFile } from './side-file.ts';

class SearchReader {
  readonly #file: string;
  #connection: SqliteConnection | undefined;
  #opened: number | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async serve(request: ScanRequest): Promise<Row[]> {
    try {
      const index = this.#present();
      if (index === undefined) return [];
      return 'bulk' in request ? index.bulk(request.statement, request.bulk) : index.all(request.sql, request.params);
    } catch (error) {
      if (!isDamage(error)) throw error;
      await this.close();
      removeSideFile(this.#file);
      const message = 'The search index was damaged and is being rebuilt. Try again in a moment.';
      throw fail('UNAVAILABLE', { message, retryAfter: 1, cause: error });
    }
  }

  async close(): Promise<void> {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #present(): SqliteConnection | undefined {
    if (this.#connection !== undefined && this.#opened === fileNumber(this.#file)) return this.#connection;
    this.#connection?.close();
    this.#opened = fileNumber(this.#file);
    this.#connection = openSearchReader(this.#file);
    return this.#connection;
  }
}

serveThread((file: string) => new SearchReader(file));
