import type { ExportHeader, ExportRow } from '@cairn/protocol/export';
import { type ExportPart, unreadable } from './export-part.ts';
import { type Bytes, textLines } from './line.ts';

/**
 * The rows of an export, one after the other; after a cut it goes on by itself. It can be gone through once.
 *
 * @example
 * const stream = client.repo.export('acme', 'world');
 * const { atRepoSeq } = await stream.header;
 * for await (const row of stream) console.log(row.name, row.version);
 * await client.repo.export('acme', 'world').cancel();
 */
export class ExportStream implements AsyncIterable<ExportRow> {
  readonly #parts: AsyncGenerator<ExportPart, void>;
  #header: Promise<ExportHeader> | undefined;

  constructor(parts: AsyncGenerator<ExportPart, void>) {
    this.#parts = parts;
  }

  /** What it is an export of, and which sequence it is pinned to. Asking for it sends the request. */
  get header(): Promise<ExportHeader> {
    this.#header ??= this.#readHeader();
    return this.#header;
  }

  async #readHeader(): Promise<ExportHeader> {
    const { value } = await this.#parts.next();
    if (value?.type !== 'header') throw unreadable();
    return value.header;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ExportRow, void> {
    await this.header;
    for await (const part of this.#parts) {
      if (part.type === 'rows') yield* rowsIn(part.lines);
    }
  }

  /** Ends the request of an export that is not gone through to its end; leaving the loop does the same. */
  async cancel(): Promise<void> {
    await this.#parts.return();
  }
}

function rowsIn(lines: Bytes): ExportRow[] {
  try {
    return textLines(lines).map((line) => JSON.parse(line));
  } catch (cause) {
    throw unreadable(cause);
  }
}
