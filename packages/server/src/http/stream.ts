// A body that is made while it is sent.
import type { EdgeContext } from './env.ts';
import { logFault, toCairnError } from './error.ts';

type Piece = Uint8Array<ArrayBuffer>;
type Pieces = Pick<AsyncGenerator<Piece>, 'next' | 'return'>;

/** Makes the next piece only when the client has taken the one before; a client that goes away ends the work. */
export function streamOf(c: EdgeContext, pieces: Pieces): ReadableStream<Piece> {
  const sent = new SentPieces(c);
  return new ReadableStream(
    {
      pull: async (controller) => {
        sent.release();
        try {
          const { done, value } = await pieces.next();
          if (done) return controller.close();
          sent.add(value);
          controller.enqueue(value);
        } catch (thrown) {
          cut(c, controller, thrown);
        }
      },
      cancel: async () => {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * The status is sent, and says that all is well: who reads can tell only by the connection, which ends before its time.
 * It ends here, because the adapter would tell of whatever is thrown on the console, past the log.
 */
function cut(c: EdgeContext, controller: ReadableStreamDefaultController, thrown: unknown): void {
  logFault(c, toCairnError(thrown));
  const outgoing = c.env?.outgoing;
  if (outgoing === undefined) {
    controller.error(thrown);
    return;
  }
  outgoing.destroy();
  controller.close();
}

/**
 * Gives memory back as soon as it is sent. Left to the garbage collector, which counts it for little, tens of megabytes
 * would pile up for each stream before anything is collected.
 */
class SentPieces {
  readonly #outgoing: EdgeContext['env']['outgoing'];
  #pieces: Piece[] = [];

  constructor(c: EdgeContext) {
    // None when the app is called without a server: then nobody can tell how long a piece is needed.
    this.#outgoing = c.env?.outgoing;
  }

  add(piece: Piece): void {
    if (this.#outgoing !== undefined) this.#pieces.push(piece);
  }

  /** Whoever asks for the next piece has written those before; once nothing waits to be sent, they are with the system. */
  release(): void {
    if (!this.#outgoing?.headersSent || this.#outgoing.writableLength > 0) return;
    for (const { buffer } of this.#pieces.splice(0)) buffer.transfer(0);
  }
}
