// Sends streams in sequence, with a delay between lines. The SDK resumes after cuts by itself. If it gives up, this
// writer resumes the same stream, like a command that is run again.
import { setTimeout as pause } from 'node:timers/promises';
import { Author } from './author.ts';
import type { Sent } from './repository-model.ts';
import { ask, type Place } from './world.ts';

export interface StreamWriterOptions {
  readonly place: Place;
  readonly index: number;
  readonly linePaceMs: number;
}

const LINES_MAX = 400;
/** Marks commits that come from streams. */
export const STREAM_MESSAGE = 'a stream';

interface Line {
  readonly operation: object;
  readonly sent: Sent;
  readonly madeAt: number;
}

export class StreamWriter {
  readonly #options: StreamWriterOptions;
  readonly #author: Author;
  #streams = 0;

  constructor(options: StreamWriterOptions) {
    const { place, index } = options;
    this.#options = options;
    this.#author = new Author({ model: place.model, random: place.world.random, id: `s${index}`, index });
  }

  async step(): Promise<void> {
    const { world, model } = this.#options.place;
    const streamId = `${this.#author.id}-${++this.#streams}`;
    const lines: Line[] = [];
    const acknowledged = { offset: 0 };
    const source = (offset: number) => this.#lines(lines, offset);
    const onProgress = ({ offset, repoSeq }: { offset: number; repoSeq: number }) => {
      for (const { sent, madeAt } of lines.slice(acknowledged.offset, offset)) {
        model.acknowledgeLine(sent, repoSeq);
        world.meter.answered('stream line', performance.now() - madeAt);
      }
      acknowledged.offset = Math.max(acknowledged.offset, offset);
    };
    const options = { streamId, message: STREAM_MESSAGE, close: true, onProgress, signal: world.signal };
    const send = () => world.client.repo.stream(model.orgName, model.repoName, source, options);
    const result = await ask(world, 'stream', send);
    onProgress(result);
    const { offset, applied, noop, error } = result;
    if (offset !== lines.length || applied !== lines.length || noop + error > 0) {
      const said = JSON.stringify({ offset, applied, noop, error });
      world.findings.add('lost', `${model.name}: stream ${streamId} of ${lines.length} lines ended with ${said}`);
    }
  }

  /** Yields the lines composed earlier, and then new ones. */
  async *#lines(lines: Line[], offset: number): AsyncGenerator<object, void> {
    const { world } = this.#options.place;
    for (let at = offset; at < LINES_MAX; at++) {
      if (at === lines.length) {
        // A stream that was opened needs at least one line.
        if (!world.isGoing && at > 0) return;
        await pause(world.random.below(1 + 2 * this.#options.linePaceMs));
        lines.push(this.#made());
      }
      yield lines[at]?.operation ?? {};
    }
  }

  #made(): Line {
    const { world, model } = this.#options.place;
    // Each line stands alone, so several lines may change the same record.
    this.#author.begin();
    const { operation, change } = (world.random.once(3) ? this.#author.revise() : undefined) ?? this.#author.add();
    const sent = model.send({ message: '', changes: change === undefined ? [] : [change], operationCount: 1 });
    return { operation, sent, madeAt: performance.now() };
  }
}
