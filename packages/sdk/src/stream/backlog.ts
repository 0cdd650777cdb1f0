// Lines on their way. A source is read in pieces of whole lines that are worth a write of their own; pieces that are not yet known to be
// durable are kept, so that any connection can send them again, and no more is read than may be kept.

import type { Operation } from '@cairn/protocol/commit';
import { fail } from '@cairn/protocol/errors';
import { type Bytes, countLines, joined } from '../line.ts';
import { inTime, stopIfAborted } from '../retry.ts';

/** An operation; or one or more whole lines of NDJSON as text; or bytes of NDJSON, cut anywhere. */
export type StreamItem = Operation | object | string | Bytes;

/** Lines in their order. */
export type StreamLines = Iterable<StreamItem> | AsyncIterable<StreamItem> | ReadableStream<StreamItem> | Blob;

/**
 * The lines of a stream from its first one on: those that the server has already are left out. Or a function that gives
 * the lines after the first `offset` ones.
 */
export type StreamSource = StreamLines | ((offset: number) => StreamLines | Promise<StreamLines>);

/** Whole lines. */
export interface Piece {
  readonly bytes: Bytes;
  readonly lineCount: number;
}

const PIECE_BYTES = 64 * 1024;
const PIECE_BYTES_MAX = 256 * 1024;
const PIECE_ITEMS_MAX = 1_000;
/** How long the first line of a piece waits for others. */
const LINGER_MS = 10;
/** No operation is near that long, and what is must not fill the memory. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

type Items = Iterator<StreamItem> | AsyncIterator<StreamItem>;
type Step = IteratorResult<StreamItem>;

export class PieceReader {
  readonly #items: Items;
  /** Asked for, and not there when the piece before was made. */
  #awaited: Promise<Step> | undefined;
  #gathered: Bytes[] = [];
  #gatheredBytes = 0;
  #ready: Piece[] = [];
  #ended = false;
  #begun: boolean;

  /** `offset` is how many lines of the stream are before those of the source. */
  constructor(lines: StreamLines, offset: number) {
    this.#items = iteratorOf(lines);
    this.#begun = offset > 0;
  }

  /** Undefined when there are no more. Called by one at a time. */
  async next(): Promise<Piece | undefined> {
    while (this.#ready.length === 0 && !this.#ended) {
      await this.#gather();
      this.#cut();
    }
    return this.#ready.shift();
  }

  /** Lets go of the source; whatever it is doing, nobody waits for it. */
  release(): void {
    this.#ended = true;
    Promise.resolve(this.#items.return?.()).catch(() => {});
  }

  /** Until there is enough for a piece, or the source takes its time. */
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

  /** Undefined when the next one is not there in time. */
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

  /** Makes pieces of the whole lines that were gathered; at the end, of all. */
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

/** Not every browser can iterate over a stream. */
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
      message: `A source gives operations, lines or bytes, and not what this one gave: ${String(item)}.`,
    });
  }
  return encoder.encode(text.endsWith('\n') ? text : `${text}\n`);
}

/** Editors on other systems begin a file with a mark that is no part of its text. */
function withoutMark(lines: Bytes): Bytes {
  return BYTE_ORDER_MARK.every((byte, index) => lines[index] === byte) ? lines.subarray(BYTE_ORDER_MARK.length) : lines;
}

function* piecesOf(lines: Bytes): Generator<Piece> {
  let rest = lines;
  while (rest.length > PIECE_BYTES_MAX) {
    const within = rest.lastIndexOf(LINE_FEED, PIECE_BYTES_MAX - 1);
    // A line that is longer is a piece of its own.
    const end = (within === -1 ? rest.indexOf(LINE_FEED) : within) + 1;
    const bytes = rest.subarray(0, end);
    yield { bytes, lineCount: countLines(bytes) };
    rest = rest.subarray(end);
  }
  if (rest.length > 0) yield { bytes: rest, lineCount: countLines(rest) };
}

function tooLong() {
  return fail('PAYLOAD_TOO_LARGE', {
    message: 'A line is longer than 64 MiB. Is the source NDJSON, one operation a line?',
  });
}

const BACKLOG_BYTES = 4 * 1024 * 1024;
const BACKLOG_LINES = 10_000;

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
