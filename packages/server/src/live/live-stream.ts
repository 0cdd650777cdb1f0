// One live stream: the answer that it is written to, and how far it has been told. What it does not take is not kept for
// it: it stays where it is, and is told of all that it missed at once when it takes more.
import type { Writable } from 'node:stream';
import type { CairnError } from '@cairn/protocol/errors';
import { revokedEvent } from './event.ts';
import type { Listener } from './source.ts';

export class LiveStream<Who extends Listener> {
  readonly listener: Who;
  /** All up to this sequence has been told, or is not for this listener. */
  toldSeq: number;
  readonly #answer: Writable;
  #fullSince: number | undefined;

  constructor(listener: Who, { answer, toldSeq }: { answer: Writable; toldSeq: number }) {
    this.listener = listener;
    this.toldSeq = toldSeq;
    this.#answer = answer;
  }

  get isOpen(): boolean {
    return !this.#answer.destroyed && !this.#answer.writableEnded;
  }

  /** Whether it takes no more for now. */
  get isFull(): boolean {
    return this.#answer.writableNeedDrain;
  }

  get takesMore(): boolean {
    return this.isOpen && !this.isFull;
  }

  /** How long it has taken nothing. */
  get fullForMs(): number {
    return this.#fullSince === undefined ? 0 : performance.now() - this.#fullSince;
  }

  write(bytes: Uint8Array): void {
    if (!this.#answer.write(bytes)) this.#fullSince ??= performance.now();
  }

  drained(): void {
    this.#fullSince = undefined;
  }

  /** Without a reason when the server stops: then whoever listens comes again. */
  end(reason?: CairnError): void {
    // Whoever takes nothing does not take the end either, and would hold it for ever.
    if (this.isFull) this.#answer.destroy();
    else if (reason === undefined) this.#answer.end();
    else this.#answer.end(revokedEvent(reason));
  }

  cut(): void {
    this.#answer.destroy();
  }
}
