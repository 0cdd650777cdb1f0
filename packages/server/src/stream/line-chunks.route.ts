// The body of a streaming submission as chunks of whole lines. One chunk is collected while the one before is applied;
// beyond that nothing is read, so that a client that sends faster than we write has to wait.
import type { Readable } from 'node:stream';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { Limits } from '@cairn/protocol/limits';
import type { LineChunk } from './submission.ts';

interface LineSource {
  readonly body: Readable;
  readonly limits: Limits;
  /** How many lines of the stream came before this body. */
  readonly offset: number;
  /** Ends the stream, because the server stops. */
  readonly stopping: AbortSignal;
}

const STOPPING_RETRY_S = 1;

export class LineChunks {
  readonly #source: LineSource;
  readonly #lines: CollectedLines;
  readonly #idle: NodeJS.Timeout;
  /** Runs while lines wait for more. */
  #waiting: NodeJS.Timeout | undefined;
  #isDue = false;
  /** Of the last piece, what belongs into the next chunk. */
  #rest: Uint8Array | undefined;
  /** How many lines were given. */
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

  /**
   * `undefined` after the last one of a body that is complete. Fails when the body cannot go on: after the lines before
   * one that is too long, and at once when it was cut, so that nothing is applied for a client that has gone.
   */
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

  /** Reads no more. The body is left as it is: closing it would close the connection that is answered on. */
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
    if (this.#hasEnded && !this.#lines.isFull) this.#endBody();
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

  #endBody(): void {
    this.#lines.endLine();
    this.close();
  }

  #fail(trouble: CairnError): void {
    this.#trouble ??= trouble;
    this.close();
  }

  /** Lines that wait are not applied any more. */
  #drop(trouble: CairnError): void {
    this.#lines.take();
    this.#fail(trouble);
  }

  readonly #cut = (error?: Error): void => {
    if (this.#isOver || this.#hasEnded) return;
    const message = 'The body ended before it was complete. Send the rest, from the offset that was acknowledged.';
    this.#drop(error instanceof CairnError ? error : fail('VALIDATION_ERROR', { message, cause: error }));
  };

  readonly #stop = (): void => {
    const message = 'The server stops. Send the rest, from the offset that was acknowledged, when it is there again.';
    this.#drop(fail('UNAVAILABLE', { message, retryAfter: STOPPING_RETRY_S }));
  };

  #endIdle(): void {
    // While a whole chunk waits it is not the client who is late.
    if (this.#lines.isFull) {
      this.#idle.refresh();
      return;
    }
    const seconds = this.#source.limits.streamIdleMs / 1000;
    const message = `No byte came for ${seconds} seconds. Send the rest, from the offset that was acknowledged.`;
    this.#fail(fail('REQUEST_TIMEOUT', { message }));
  }

  #tooLong(): CairnError {
    const maxBytes = this.#source.limits.streamLineBytes;
    const line = this.#source.offset + this.#given + this.#lines.lineCount + 1;
    return fail('PAYLOAD_TOO_LARGE', {
      message: `Line ${line} is longer than ${maxBytes} bytes. Leave it out, or send it in parts.`,
      details: { line, maxBytes },
    });
  }
}

// Lines out of bytes that come cut anywhere. A line end is one byte that no other character holds, so that lines are found
// without decoding. What comes is copied at once into the memory that the chunk is given away in: pieces of a few bytes,
// each kept as an object, would take many times their size.

const LINE_FEED = 0x0a;
const GROWTH = 1.5;
const MARGIN = 1.125;

export interface ChunkLimits {
  /** Of one line, without its end. */
  readonly lineBytes: number;
  readonly chunkLines: number;
  /** Where there is more than one line. */
  readonly chunkBytes: number;
}

export class CollectedLines {
  readonly #limits: ChunkLimits;
  #bytes = new Uint8Array();
  /** How much of it is filled. */
  #length = 0;
  /** How much of that is whole lines; the rest is the beginning of the next. */
  #linesLength = 0;
  #lineCount = 0;
  #isFull = false;
  #isTooLong = false;
  /** Somewhat more than the chunk before took: the next will take about as much. */
  #sizeExpected = 0;

  constructor(limits: ChunkLimits) {
    this.#limits = limits;
  }

  get lineCount(): number {
    return this.#lineCount;
  }

  /** No line more belongs into this chunk. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The line after those that were collected is longer than any may be. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /** Gives how many bytes of the piece belong here: the others are for the next chunk. */
  add(piece: Uint8Array): number {
    const taken = this.#findLines(piece);
    this.#append(taken === piece.length ? piece : piece.subarray(0, taken));
    return taken;
  }

  #findLines(piece: Uint8Array): number {
    const { lineBytes, chunkLines, chunkBytes } = this.#limits;
    // Before the piece, where its first line began in an earlier one.
    let begin = this.#linesLength - this.#length;
    for (;;) {
      const lineFeed = piece.indexOf(LINE_FEED, Math.max(0, begin));
      const end = lineFeed === -1 ? piece.length : lineFeed;
      this.#isTooLong = end - begin > lineBytes;
      this.#isFull = this.#lineCount > 0 && this.#length + end >= chunkBytes;
      if (this.#isTooLong || this.#isFull) return Math.max(0, begin);
      if (lineFeed === -1) return end;
      begin = lineFeed + 1;
      this.#linesLength = this.#length + begin;
      this.#lineCount += 1;
      this.#isFull = this.#lineCount === chunkLines;
      if (this.#isFull) return begin;
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

  /** No more bytes come: what was begun is a line too. */
  endLine(): void {
    if (this.#length > this.#linesLength) this.add(Uint8Array.of(LINE_FEED));
  }

  /** The whole lines, in memory of their own. What was begun stays for the next chunk. */
  take(): LineChunk {
    const chunk = { bytes: this.#bytes.subarray(0, this.#linesLength), lineCount: this.#lineCount };
    const begun = this.#bytes.slice(this.#linesLength, this.#length);
    this.#sizeExpected = this.#linesLength * MARGIN;
    this.#bytes = begun;
    this.#length = begun.length;
    this.#linesLength = 0;
    this.#lineCount = 0;
    this.#isFull = false;
    return chunk;
  }
}
