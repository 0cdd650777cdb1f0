// Lines in transit. A source is read in pieces of whole lines, each worth its own write. Pieces are buffered until they
// are durable, so that any connection can resend them. Reading stops while the buffer is full.

import type { Operation } from '@cairn/protocol/commit';
import { fail } from '@cairn/protocol/errors';
import { type Bytes, countLines, joined } from '../line.ts';
import { inTime, stopIfAborted } from '../retry.ts';

/** An operation, one or more whole lines of NDJSON as text, or a chunk of NDJSON bytes. */
export type StreamItem = Operation | object | string | Bytes;

/** Lines of a stream, in order. */
export type StreamLines = Iterable<StreamItem> | AsyncIterable<StreamItem> | ReadableStream<StreamItem> | Blob;

/**
 * All lines of a stream, from the first one on; lines that the server already has are skipped. Or a function that
 * returns the lines after the first `offset` ones.
 */
export type StreamSource = StreamLines | ((offset: number) => StreamLines | Promise<StreamLines>);

/** One or more whole lines. */
export interface Piece {
  readonly bytes: Bytes;
  readonly lineCount: number;
}

const PIECE_BYTES = 64 * 1024;
const PIECE_BYTES_MAX = 256 * 1024;
const PIECE_ITEMS_MAX = 1_000;
/** Maximum time that the first line of a piece waits for others. */
const LINGER_MS = 10;
/** No real operation is this long, and longer input must not fill the memory. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

type Items = Iterator<StreamItem> | AsyncIterator<StreamItem>;
type Step = IteratorResult<StreamItem>;

export class PieceReader {
  readonly #items: Items;
  /** The next item, if it was requested but had not arrived when the previous piece was built. */
  #awaited: Promise<Step> | undefined;
  #gathered: Bytes[] = [];
  #gatheredBytes = 0;
  #ready: Piece[] = [];
  #ended = false;
  #begun: boolean;

  /** `offset` is the number of stream lines before those of the source. */
  constructor(lines: StreamLines, offset: number) {
    this.#items = iteratorOf(lines);
    this.#begun = offset > 0;
  }

  /** Undefined at the end. It must not be called concurrently. */
  async next(): Promise<Piece | undefined> {
    while (this.#ready.length === 0 && !this.#ended) {
      await this.#gather();
      this.#cut();
    }
    return this.#ready.shift();
  }

  /** Releases the source without waiting for it, whatever it is doing. */
  release(): void {
    this.#ended = true;
    Promise.resolve(this.#items.return?.()).catch(() => {});
  }

  async #gather(): Promise<void> {
    const linger = { untilMs: 0 };
    for (let count = 0; count < PIECE_ITEMS_MAX && this.#gatheredBytes < PIECE_BYTES; count += 1) {
      const step = await this.#step(count > 0 ? linger : undefined);
      if (step === undefined) return;
      if (step.done) {
        this.#ended = true;
        return;
      }
      if (count === 0) linger.untilMs = performance.now() + LINGER_MS;
      this.#add(bytesOf(step.value));
    }
  }

  async #step(linger: { untilMs: number } | undefined): Promise<Step | undefined> {
    const next = this.#awaited ?? this.#items.next();
    if (!('then' in next)) return next;
    this.#awaited = next;
    if (linger !== undefined && !(await inTime(next, Math.max(0, linger.untilMs - performance.now()))))
      return undefined;
    const step = await next;
    this.#awaited = undefined;
    return step;
  }

  #add(bytes: Bytes): void {
    if (bytes.length === 0) return;
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.length;
  }

  #cut(): void {
    let bytes = joined(this.#gathered);
    if (this.#ended && bytes.length > 0 && bytes.at(-1) !== LINE_FEED)
      bytes = joined([bytes, Uint8Array.of(LINE_FEED)]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    const rest = bytes.subarray(end);
    if (rest.length > LINE_BYTES_MAX) throw tooLong();
    [this.#gathered, this.#gatheredBytes] = [rest.length === 0 ? [] : [rest], rest.length];
    if (end === 0) return;
    this.#ready.push(...piecesOf(this.#begun ? bytes.subarray(0, end) : withoutMark(bytes.subarray(0, end))));
    this.#begun = true;
  }
}

function iteratorOf(lines: StreamLines): Items {
  if (typeof lines === 'string') return [lines][Symbol.iterator]();
  if (lines instanceof Blob) return iteratorOf(lines.stream());
  if ('getReader' in lines) return readerOf(lines);
  return Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]();
}

/** Some browsers cannot iterate over a stream. */
function readerOf(stream: ReadableStream<StreamItem>): AsyncIterator<StreamItem> {
  const reader = stream.getReader();
  return {
    next: async () => {
      const { done, value } = await reader.read();
      return done ? { done, value: undefined } : { done, value };
    },
    return: async () => {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

const encoder = new TextEncoder();

function bytesOf(item: StreamItem): Bytes {
  if (item instanceof Uint8Array) return item;
  const text = typeof item === 'string' ? item : JSON.stringify(item);
  if (text === undefined) {
    throw fail('VALIDATION_ERROR', {
      message: `A source must yield operations, lines or bytes, but this one yielded ${String(item)}.`,
    });
  }
  return encoder.encode(text.endsWith('\n') ? text : `${text}\n`);
}

/** Some editors start a file with a byte order mark, which is not part of its text. */
function withoutMark(lines: Bytes): Bytes {
  return BYTE_ORDER_MARK.every((byte, index) => lines[index] === byte) ? lines.subarray(BYTE_ORDER_MARK.length) : lines;
}

function* piecesOf(lines: Bytes): Generator<Piece> {
  let rest = lines;
  while (rest.length > PIECE_BYTES_MAX) {
    const within = rest.lastIndexOf(LINE_FEED, PIECE_BYTES_MAX - 1);
    // A longer line becomes a piece of its own.
    const end = (within === -1 ? rest.indexOf(LINE_FEED) : within) + 1;
    const bytes = rest.subarray(0, end);
    yield { bytes, lineCount: countLines(bytes) };
    rest = rest.subarray(end);
  }
  if (rest.length > 0) yield { bytes: rest, lineCount: countLines(rest) };
}

function tooLong() {
  return fail('PAYLOAD_TOO_LARGE', {
    message: 'A line is longer than 64 MiB. Is the source NDJSON, with one operation per line?',
  });
}

const BACKLOG_BYTES = 4 * 1024 * 1024;
const BACKLOG_LINES = 10_000;

/** Maximum waits before a request ends with what it has: for the source, and for room. Unlimited by default. */
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
  /** Number of stream lines before the first buffered one. */
  offset: number;
  /** Number of stream lines read so far. */
  end: number;
  /** Number of source bytes that no longer need buffering. */
  doneBytes = 0;
  /** Error of the source. The lines before it are still sent. */
  failure: { readonly cause: unknown } | undefined;

  constructor(reader: PieceReader, { offset, signal }: { offset: number; signal: AbortSignal | undefined }) {
    this.#reader = reader;
    this.#signal = signal;
    [this.offset, this.end] = [offset, offset];
  }

  /** Returns the piece at a line, and reads it if necessary. Undefined if there is none, or none in time. */
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

  /** Drops the lines before `offset`, and reads those that were never read. False if the source has fewer lines. */
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

  /** Text of buffered lines, by line numbers that start at 1. */
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

/** Lines with invalid UTF-8 end a stream. This decoder still shows their readable part. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** `nth` starts at 1. */
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
