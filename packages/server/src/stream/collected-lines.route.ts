// Lines out of bytes that come cut anywhere. A line end is one byte that no other character holds, so that lines are found
// without decoding. What comes is copied at once into the memory that the chunk is given away in: pieces of a few bytes,
// each kept as an object, would take many times their size.
import type { LineChunk } from './submission.ts';

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
