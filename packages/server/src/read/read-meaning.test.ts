// Cases of list reads that random worlds rarely produce.
import { describe, expect, it } from 'vitest';
import { ReadScene } from '../../../../test/support/read/scene.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { buildIndexes } from '../shape/index-build.job.ts';

async function prepare(engine: (typeof ENGINES)[number], operations: readonly object[]): Promise<ReadScene> {
  const scene = await ReadScene.start(engine);
  await scene.createRepository('one');
  await scene.commit('one', operations);
  return scene;
}

const shape = (fields: object) => ({ kind: 'shape', name: 'Item', data: { fields } });

describe.each(ENGINES)('list reads on %s', (engine) => {
  it('compare a reference from before with no text, whether its field is indexed, and the index built, or not', async () => {
    const scene = await prepare(engine, [
      shape({ 'to?': 'wref', 'by?': 'wref' }),
      { name: 'Item/a', data: {} },
      { name: 'Item/b', data: { to: 'Item/a', by: 'Item/a' } },
    ]);
    const later = { 'to?': { type: 'string', indexed: true }, 'by?': 'string' };
    await scene.commit('one', [{ ...shape(later), operation: 'revise' }]);
    const names = async (where: string) => await scene.names(`ada/one/head?shape=Item&where=${where}`, scene.owner);
    for (const state of ['building', 'ready']) {
      if (state === 'ready') await buildIndexes(scene.store);
      for (const field of ['to', 'by']) {
        for (const condition of ['prefix:Item', 'eq:Item/a@v1', 'gte:A', 'lt:Z', 'in:Item/a@v1']) {
          const about = [state, field, condition];
          expect([...about, await names(`${field}:${condition}`)]).toEqual([...about, []]);
        }
        expect([state, field, await names(`${field}:exists`)]).toEqual([state, field, ['Item/b']]);
        expect([state, field, await names(`${field}:ne:Item/a@v1`)]).toEqual([state, field, ['Item/a', 'Item/b']]);
      }
    }
  });

  it('resolve collections that are active, and retracted ones where what is retracted is asked for', async () => {
    const scene = await prepare(engine, [
      shape({}),
      { name: 'Item/x', data: {} },
      { name: 'Set/s', type: 'set', members: ['Item/x'] },
      { name: 'Item/said', about: 'Set/s', data: {} },
    ]);
    await scene.commit('one', [{ operation: 'retract', name: 'Set/s' }]);
    const about = 'ada/one/about/Item%2Fx?resolveCollections=true';
    expect(await scene.names(`${about}&atRepoSeq=1`, scene.owner)).toEqual(['Item/said']);
    expect(await scene.names(about, scene.owner)).toEqual([]);
    expect(await scene.names(`${about}&includeRetracted=true`, scene.owner)).toEqual(['Item/said']);
  });
});
