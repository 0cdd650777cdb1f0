// Lines on their way: read from the source, and not yet known to be durable. They are kept so that any connection can send
// them again, and no more is read than may be kept.
import { stopIfAborted } from './abort.ts';
import type { Bytes } from './line.ts';
import type { Piece, PieceReader } from './stream-piece.ts';
import { inTime } from './wait.ts';

const BACKLOG_BYTES = 4 * 1024 * 1024;
const BACKLOG_LINES = 10_000;
const LINE_FEED = 0x0a;

/** How long it is waited before a request ends with what it has: for the source, and for room. For ever by default. */
interface Patience {
  readonly sourceMs?: number;
  readonly roomMs?: number;
}

export class Backlog {
  readonly #reader: PieceReader;
  readonly #signal: AbortSignal | undefined;
  #pieces: Piece[] = [];
  #bytes = 0;
  #reading: Promise<void> | undefined;
  #ended = false;
  #room = deferred();
  /** How many lines of the stream are before the first that is kept. */
  offset: number;
  /** How many lines of the stream have been read. */
  end: number;
  /** Bytes of the source that need not be kept any more. */
  doneBytes = 0;
  /** What the source failed with. What came before is sent all the same. */
  failure: { readonly cause: unknown } | undefined;

  constructor(reader: PieceReader, { offset, signal }: { offset: number; signal: AbortSignal | undefined }) {
    this.#reader = reader;
    this.#signal = signal;
    [this.offset, this.end] = [offset, offset];
  }

  /** The piece at a line, which is read where it must be. Undefined when there is none, or none in time. */
  async take(line: number, { sourceMs, roomMs }: Patience = {}): Promise<Piece | undefined> {
    for (;;) {
      stopIfAborted(this.#signal);
      const kept = this.#pieceAt(line);
      if (kept !== undefined || this.#ended) return kept;
      const [wait, patienceMs] = this.isFull ? [this.#room.promise, roomMs] : [this.#readMore(), sourceMs];
      if (!(await inTime(wait, patienceMs, this.#signal)) && !this.#signal?.aborted) return undefined;
    }
  }

  get isFull(): boolean {
    return this.#bytes >= BACKLOG_BYTES || this.end - this.offset >= BACKLOG_LINES;
  }

  /** Lets go of the lines before `offset`. Those that were never read are read; false when the source has not as many. */
  async dropTo(offset: number): Promise<boolean> {
    for (;;) {
      while (this.#pieces.length > 0 && this.offset < offset) this.#dropFirst(offset - this.offset);
      this.#room.resolve();
      this.#room = deferred();
      if (this.offset >= offset || this.#ended) return this.offset === offset;
      await inTime(this.#readMore(), undefined, this.#signal);
      stopIfAborted(this.#signal);
    }
  }

  /** Lines that are kept, as text, by their numbers from 1 on. */
  textOf(numbers: Iterable<number>): Map<number, string> {
    const texts = new Map<number, string>();
    const wanted = new Set(numbers);
    let before = this.offset;
    for (const { bytes, lineCount } of this.#pieces) {
      const here = [...wanted].filter((line) => line > before && line <= before + lineCount);
      if (here.length > 0) {
        const lines = decoder.decode(bytes).split('\n');
        for (const line of here) texts.set(line, lines[line - before - 1] ?? '');
      }
      before += lineCount;
    }
    return texts;
  }

  release(): void {
    this.#reader.release();
  }

  #pieceAt(line: number): Piece | undefined {
    let begin = this.offset;
    for (const piece of this.#pieces) {
      if (begin >= line) return piece;
      begin += piece.lineCount;
    }
    return undefined;
  }

  #readMore(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    try {
      const piece = await this.#reader.next();
      if (piece === undefined) this.#ended = true;
      else {
        this.#pieces.push(piece);
        this.#bytes += piece.bytes.length;
        this.end += piece.lineCount;
      }
    } catch (cause) {
      [this.#ended, this.failure] = [true, { cause }];
    }
  }

  #dropFirst(lines: number): void {
    const [first] = this.#pieces;
    if (first === undefined) return;
    const isWhole = first.lineCount <= lines;
    const bytes = isWhole ? first.bytes.length : endOfLine(first.bytes, lines);
    const lineCount = isWhole ? first.lineCount : lines;
    if (isWhole) this.#pieces.shift();
    else this.#pieces[0] = { bytes: first.bytes.subarray(bytes), lineCount: first.lineCount - lineCount };
    this.offset += lineCount;
    this.#bytes -= bytes;
    this.doneBytes += bytes;
  }
}

/** Lines that are no text end a stream, and are shown as far as they are. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Where the nth line ends, counted from 1. */
function endOfLine(bytes: Bytes, nth: number): number {
  let end = 0;
  for (let line = 0; line < nth; line += 1) end = bytes.indexOf(LINE_FEED, end) + 1;
  return end;
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
