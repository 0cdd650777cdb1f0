// Whether those who listen still may. Each of them is asked for once, however many streams they have.
import { CairnError } from '@cairn/protocol/errors';
import type { LiveStream } from './live-stream.ts';
import type { Listener, LiveSource, Sight } from './source.ts';

/** By the key of the listener. Streams of those who may not listen any more are ended. */
export async function checkRights<Who extends Listener, Seen extends Sight>(
  source: LiveSource<Who, Seen>,
  streams: readonly LiveStream<Who>[],
): Promise<Map<string, Seen>> {
  const listeners = new Map(streams.map(({ listener }) => [listener.key, listener]));
  const checked = await source.check([...listeners.values()]);
  const outcomes = new Map([...listeners.keys()].map((key, index) => [key, checked[index]]));
  for (const stream of streams) {
    const outcome = outcomes.get(stream.listener.key);
    if (outcome instanceof CairnError && stream.isOpen) stream.end(outcome);
  }
  const rights = new Map<string, Seen>();
  for (const [key, outcome] of outcomes) {
    if (outcome !== undefined && !(outcome instanceof CairnError)) rights.set(key, outcome);
  }
  return rights;
}
