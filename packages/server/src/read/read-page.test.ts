// Pages that end early because of their size: the rest comes with the next page.
import type { RecordPage } from '@cairn/protocol/read';
import { describe, expect, it } from 'vitest';
import { ReadScene } from '../../../../test/support/read/scene.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const RECORDS = 30;
const LETTERS = 1_000;

async function prepare(engine: (typeof UPPER_ENGINES)[number]): Promise<ReadScene> {
  const scene = await ReadScene.start(engine, { CAIRN_LIMIT_ANSWER_BYTES: '5000' });
  await scene.createRepository('large');
  const numbers = Array.from({ length: RECORDS }, (_, index) => index);
  await scene.commit('large', [
    { kind: 'shape', name: 'Text', data: { fields: { text: 'string', 'n?': 'number' } } },
    { name: 'Text/subject', data: { text: '' } },
    ...numbers.map((n) => ({ name: `Text/t${n}`, about: 'Text/subject', data: { text: 'x'.repeat(LETTERS), n } })),
    { name: 'Text/huge', about: 'Text/subject', data: { text: 'y'.repeat(20 * LETTERS) } },
  ]);
  return scene;
}

async function pagesOf(scene: ReadScene, path: string): Promise<RecordPage[]> {
  const pages: RecordPage[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { status, text } = await scene.get(`${path}${cursor === '' ? '' : `&cursor=${cursor}`}`, scene.owner);
    expect(status, text).toBe(200);
    const page = JSON.parse(text) as RecordPage;
    pages.push(page);
    cursor = page.nextCursor;
  }
  return pages;
}

describe.each(UPPER_ENGINES)('large answers on %s', (engine) => {
  it.each(['created', '-created', 'updated', '-updated', 'name'])('go on with the next page, by %s', async (order) => {
    const scene = await prepare(engine);
    for (const list of ['head?kind=assertion', 'about/Text%2Fsubject?includeRetracted=true']) {
      const pages = await pagesOf(scene, `ada/large/${list}&order=${order}&limit=500`);
      const sizes = pages.map(({ items }) => JSON.stringify(items.map(({ data }) => data)).length);
      expect(pages.length).toBeGreaterThan(RECORDS / 6);
      expect(sizes.filter((size) => size > 6_000)).toHaveLength(1);
      const names = pages.flatMap(({ items }) => items.map(({ name }) => name));
      expect(names).toHaveLength(RECORDS + 1);
      expect(new Set(names).size).toBe(RECORDS + 1);
    }
  });

  it('are not cut where only small fields are asked for', async () => {
    const scene = await prepare(engine);
    const pages = await pagesOf(scene, 'ada/large/head?kind=assertion&fields=n&limit=500');
    expect(pages.flatMap(({ items }) => items)).toHaveLength(RECORDS + 1);
    expect(pages[0]?.items[3]?.data).toEqual({ n: 3 });
  });
});
