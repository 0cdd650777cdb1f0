// A small repository for the graph in the explorer, and helpers that wait for it.
import type { CairnClient } from '@cairn/sdk';
import type { Page } from '../tools/chromium.ts';

/** A chain of connected rooms, and a note about the first. The second commit adds the last room. */
export async function fillHouse(client: CairnClient) {
  await client.repo.create('ada', 'house', { visibility: 'public' });
  await client.commit.submit('ada', 'house', {
    operations: [
      { kind: 'shape', name: 'Room', data: { fields: { label: 'string', 'next?': 'wref' } } },
      { kind: 'shape', name: 'Note', data: { fields: { text: 'string' } } },
      { name: 'Room/6', data: { label: 'The sixth' } },
      ...[5, 4, 3, 2, 1].map((room) => ({
        name: `Room/${room}`,
        data: { label: `Room number ${room}`, next: `Room/${room + 1}` },
      })),
      { name: 'Note/first', about: 'Room/1', data: { text: 'A good room' } },
    ],
  });
  await client.commit.submit('ada', 'house', {
    operations: [{ name: 'Room/0', data: { label: 'The hall', next: 'Room/1' } }],
  });
}

export async function fillCrowd(client: CairnClient) {
  await client.repo.create('ada', 'crowd', { visibility: 'public' });
  await client.commit.submit('ada', 'crowd', {
    operations: [
      { kind: 'shape', name: 'Person', data: { fields: {} } },
      { kind: 'shape', name: 'Note', data: { fields: { by: 'wref' } } },
      { name: 'Person/mara', data: {} },
      ...Array.from({ length: 602 }, (_, note) => ({ name: `Note/${note}`, data: { by: 'Person/mara' } })),
    ],
  });
}

/** A tree of parts whose names are longer than the space between nodes. */
export async function fillLongNames(client: CairnClient) {
  const name = (part: number) => `Part/a-name-that-is-long-for-a-part-${part}`;
  await client.repo.create('ada', 'parts', { visibility: 'public' });
  await client.commit.submit('ada', 'parts', {
    operations: [
      { kind: 'shape', name: 'Part', data: { fields: { 'of?': 'wref' } } },
      ...Array.from({ length: 120 }, (_, part) => ({
        name: name(part),
        data: part === 0 ? {} : { of: name(Math.floor(part / 4)) },
      })),
    ],
  });
}

export const settled = (page: Page) => page.locator('.graph-canvas[data-settled="true"]').waitFor();
export const has = (page: Page, counts: string) => page.locator('.walk-bar').getByText(counts).waitFor();
