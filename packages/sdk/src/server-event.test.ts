import { array, assert, asyncProperty, integer } from 'fast-check';
import { expect, it } from 'vitest';
import { type ServerEvent, serverEvents } from './server-event.ts';

async function eventsIn(bytes: Uint8Array, cuts: readonly number[]): Promise<ServerEvent[]> {
  async function* chunks() {
    const ends = [...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
    let begin = 0;
    for (const end of ends) {
      yield bytes.subarray(begin, end);
      begin = end;
    }
  }
  const events: ServerEvent[] = [];
  for await (const event of serverEvents(chunks())) events.push(event);
  return events;
}

const TEXT = [
  ...[': a comment', '', 'event: ready', 'data: {"repoSeq":1}', ''],
  ...['id: 7', 'event:invalidate', 'data: {"a":', 'data:  "größer 🪨"}', ': in between', ''],
  ...['event: nothing said', '', 'data', '', 'unknown: field', 'data: last', '', 'data: half of one'],
];

const EVENTS = [
  { event: 'ready', data: '{"repoSeq":1}', id: undefined },
  { event: 'invalidate', data: '{"a":\n "größer 🪨"}', id: '7' },
  { event: 'message', data: '', id: '7' },
  { event: 'message', data: 'last', id: '7' },
];

it.each(['\n', '\r\n', '\r'])('are found where lines end with %j', async (lineEnd) => {
  const bytes = Buffer.from(`\uFEFF${TEXT.join(lineEnd)}`);
  await assert(
    asyncProperty(array(integer({ min: 0, max: 10_000 }), { maxLength: 40 }), async (cuts) => {
      expect(await eventsIn(bytes, cuts)).toEqual(EVENTS);
    }),
    { numRuns: 300 },
  );
});
