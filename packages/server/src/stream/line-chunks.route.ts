// Splits a body into chunks of whole lines. It reads only one chunk ahead, so that fast clients have to wait.
import type { Readable } from 'node:stream';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { Limits } from '@cairn/protocol/limits';
import type { LineChunk } from './submission.ts';

interface LineSource {
  readonly body: Readable;
  readonly limits: Limits;
  readonly offset: number;
  readonly stopping: AbortSignal;
}

const STOPPING_RETRY_S = 1;

export class LineChunks {
  readonly #source: LineSource;
  readonly #lines: CollectedLines;
  readonly #idle: NodeJS.Timeout;
  #waiting: NodeJS.Timeout | undefined;
  #isDue = false;
  #rest: Uint8Array | undefined;
  #given = 0;
  #hasEnded = false;
  #isOver = false;
  #trouble: CairnError | undefined;
  #wake = () => {};

  constructor(source: LineSource) {
    const { body, limits, stopping } = source;
    this.#source = source;
    this.#lines = new CollectedLines({
      lineBytes: limits.streamLineBytes,
      chunkLines: limits.streamChunkLines,
      chunkBytes: limits.streamChunkBytes,
    });
    this.#idle = setTimeout(() => this.#endIdle(), limits.streamIdleMs);
    body.on('readable', this.#read).on('end', this.#end).on('error', this.#cut).on('close', this.#cut);
    stopping.addEventListener('abort', this.#stop);
    if (stopping.aborted) this.#stop();
    else if (body.destroyed) this.#cut();
  }

  /** Fails on a too long line after the lines before it, but at once on a cut body: the client has gone. */
  async next(): Promise<LineChunk | undefined> {
    while (!this.#isReady) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#lines.lineCount > 0) return this.#take();
    if (this.#trouble !== undefined) throw this.#trouble;
    return undefined;
  }

  /** Stops reading but leaves the body open: closing it would close the connection needed for the answer. */
  readonly close = (): void => {
    const { body, stopping } = this.#source;
    this.#isOver = true;
    this.#rest = undefined;
    clearTimeout(this.#idle);
    clearTimeout(this.#waiting);
    body.off('readable', this.#read).off('end', this.#end).off('close', this.#cut);
    stopping.removeEventListener('abort', this.#stop);
    this.#wake();
  };

  get #isReady(): boolean {
    return this.#lines.isFull || this.#isDue || this.#isOver;
  }

  #take(): LineChunk {
    const chunk = this.#lines.take();
    this.#given += chunk.lineCount;
    this.#isDue = false;
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    if (!this.#isOver) this.#read();
    return chunk;
  }

  readonly #read = (): void => {
    while (!this.#lines.isFull && !this.#isOver) {
      const piece: Uint8Array | null = this.#rest ?? this.#source.body.read();
      if (piece === null) break;
      const taken = this.#lines.add(piece);
      this.#rest = taken < piece.length ? piece.subarray(taken) : undefined;
      this.#idle.refresh();
      if (this.#lines.isTooLong) this.#fail(this.#tooLong());
    }
    if (this.#hasEnded && !this.#lines.isFull) {
      this.#lines.endLine();
      this.close();
    }
    if (this.#lines.lineCount > 0) this.#waiting ??= setTimeout(this.#due, this.#source.limits.streamChunkMs);
    if (this.#isReady) this.#wake();
  };

  readonly #due = (): void => {
    this.#isDue = true;
    this.#wake();
  };

  readonly #end = (): void => {
    this.#hasEnded = true;
    this.#read();
  };

  #fail(trouble: CairnError): void {
    this.#trouble ??= trouble;
    this.close();
  }

  #drop(trouble: CairnError): void {
    this.#lines.take();
    this.#fail(trouble);
  }

  readonly #cut = (error?: Error): void => {
    if (this.#isOver || this.#hasEnded) return;
    const message = 'The body ended before it was complete. Send the rest from the acknowledged offset.';
    this.#drop(error instanceof CairnError ? error : fail('VALIDATION_ERROR', { message, cause: error }));
  };

  readonly #stop = (): void => {
    const message = 'The server is stopping. Send the rest from the acknowledged offset when it runs again.';
    this.#drop(fail('UNAVAILABLE', { message, retryAfter: STOPPING_RETRY_S }));
  };

  #endIdle(): void {
    // A full chunk waits to be applied, so the client is not to blame.
    if (this.#lines.isFull) {
      this.#idle.refresh();
      return;
    }
    const seconds = this.#source.limits.streamIdleMs / 1000;
    const message = `No byte arrived for ${seconds} seconds. Send the rest from the acknowledged offset.`;
    this.#fail(fail('REQUEST_TIMEOUT', { message }));
  }

  #tooLong(): CairnError {
    const maxBytes = this.#source.limits.streamLineBytes;
    const line = this.#source.offset + this.#given + this.#lines.lineCount + 1;
    return fail('PAYLOAD_TOO_LARGE', {
      message: `Line ${line} is longer than ${maxBytes} bytes. Leave it out, or split its record.`,
      details: { line, maxBytes },
    });
  }
}

/** UTF-8 uses this byte for nothing else, so lines are found without decoding. */
const LINE_FEED = 0x0a;
const GROWTH = 1.5;
const MARGIN = 1.125;

export interface ChunkLimits {
  readonly lineBytes: number;
  readonly chunkLines: number;
  /** Limit for a chunk of more than one line; a single line may be longer. */
  readonly chunkBytes: number;
}

/** Copies pieces at once, because small pieces stored as objects would take many times their size. */
export class CollectedLines {
  lineCount = 0;
  isFull = false;
  isTooLong = false;
  readonly #limits: ChunkLimits;
  #bytes = new Uint8Array();
  #length = 0;
  #linesLength = 0;
  #sizeExpected = 0;

  constructor(limits: ChunkLimits) {
    this.#limits = limits;
  }

  add(piece: Uint8Array): number {
    const taken = this.#findLines(piece);
    this.#append(taken === piece.length ? piece : piece.subarray(0, taken));
    return taken;
  }

  #findLines(piece: Uint8Array): number {
    const { lineBytes, chunkLines, chunkBytes } = this.#limits;
    // Negative when the first line began in an earlier piece.
    let begin = this.#linesLength - this.#length;
    for (;;) {
      const lineFeed = piece.indexOf(LINE_FEED, Math.max(0, begin));
      const end = lineFeed === -1 ? piece.length : lineFeed;
      this.isTooLong = end - begin > lineBytes;
      this.isFull = this.lineCount > 0 && this.#length + end >= chunkBytes;
      if (this.isTooLong || this.isFull) return Math.max(0, begin);
      if (lineFeed === -1) return end;
      begin = lineFeed + 1;
      this.#linesLength = this.#length + begin;
      this.lineCount += 1;
      this.isFull = this.lineCount === chunkLines;
      if (this.isFull) return begin;
    }
  }

  #append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const size = Math.max(length * GROWTH, this.#sizeExpected);
      this.#bytes = new Uint8Array(this.#bytes.buffer.transfer(Math.ceil(size)));
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  endLine(): void {
    if (this.#length > this.#linesLength) this.add(Uint8Array.of(LINE_FEED));
  }

  /** Copies the unfinished line, because the chunk's buffer is given away. */
  take(): LineChunk {
    const chunk = { bytes: this.#bytes.subarray(0, this.#linesLength), lineCount: this.lineCount };
    const begun = this.#bytes.slice(this.#linesLength, this.#length);
    this.#sizeExpected = this.#linesLength * MARGIN;
    this.#bytes = begun;
    this.#length = begun.length;
    this.#linesLength = 0;
    this.lineCount = 0;
    this.isFull = false;
    return chunk;
  }
}
