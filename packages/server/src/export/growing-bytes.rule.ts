// Bytes put together from texts, in one piece of memory from the beginning: pieces to be joined later are garbage that the
// collector counts for little.

const BYTES_AT_FIRST = 1024 * 1024;

export class GrowingBytes {
  #bytes = new ArrayBuffer(BYTES_AT_FIRST);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(text: string): void {
    const size = Buffer.byteLength(text);
    if (this.#length + size > this.#bytes.byteLength) {
      this.#bytes = this.#bytes.transfer(2 * (this.#length + size));
    }
    Buffer.from(this.#bytes, this.#length, size).write(text);
    this.#length += size;
  }

  /** All of it; nothing can be added afterwards. */
  taken(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.transfer(this.#length));
  }
}
