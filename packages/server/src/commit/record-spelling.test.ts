// Record names in Unicode: stored in NFC without misleading characters, and found in either spelling.
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestAppOn } from '../../../../test/support/server.ts';
import { ENGINES, inTransaction, openStoreAt, preparedLocation } from '../../../../test/support/store.ts';

import { fillChecksums } from './row-checksum-fill.write.ts';

const world = { orgName: 'ada', repoName: 'world' };
const COMPOSED = 'Place/caf\u00e9';
const DECOMPOSED = 'Place/cafe\u0301';

describe.each(ENGINES)('names of records on %s', (engine) => {
  const prepare = async () => {
    const location = await preparedLocation(engine);
    const { app, store } = createTestAppOn(await openStoreAt(location));
    const call = caller(app, await createOwnerToken(store));
    const commit = (...operations: object[]) => call('commit.submit', { ...world, operations } as never);
    await call('repo.create', { orgName: 'ada', name: 'world' });
    const fields = { label: 'string', 'near?': 'wref' };
    await commit({ kind: 'shape', name: 'Place', data: { fields } });
    const read = async (name: string) => (await call('thing.get', { ...world, wref: name })).data();
    return { location, call, commit, read };
  };

  it('are stored in NFC, and found in either spelling, in the same commit too', async () => {
    const { call, commit, read } = await prepare();
    const made = await commit(
      { name: DECOMPOSED, data: { label: 'one' } },
      { name: 'Place/bar', data: { label: 'two', near: DECOMPOSED } },
      { operation: 'revise', name: DECOMPOSED, data: { label: 'three' } },
    );
    expect(made.message).toBeUndefined();
    expect(await read(COMPOSED)).toMatchObject({ name: COMPOSED, data: { label: 'three' } });
    expect(await read(DECOMPOSED)).toEqual(await read(COMPOSED));
    expect((await commit({ name: DECOMPOSED, data: { label: 'again' } })).code).toBe('ALREADY_EXISTS');
    await commit({ operation: 'revise', name: DECOMPOSED, data: { label: 'four', near: `${DECOMPOSED}@v1` } });
    expect(await read(COMPOSED)).toMatchObject({ data: { label: 'four', near: `${COMPOSED}@v1` } });
    await commit({ operation: 'rename', name: 'Place/bar', newName: 'Place/Ba\u0308r' });
    expect(await read('Place/B\u00e4r')).toMatchObject({ name: 'Place/B\u00e4r' });

    await call('repo.create', { orgName: 'ada', name: 'moon' });
    const operations = [
      { kind: 'shape', name: 'Note', data: { fields: { on: 'wref' } } },
      { name: 'Note/a', data: { on: `wh:ada/world/${DECOMPOSED}` } },
    ];
    const elsewhere = await call('commit.submit', { orgName: 'ada', repoName: 'moon', operations } as never);
    expect(elsewhere.message).toBeUndefined();
  });

  it('of earlier versions stay as they are, and are found before their NFC form', async () => {
    const { location, commit, read } = await prepare();
    await commit({ name: 'Place/old', data: { label: 'old' } });
    await inTransaction(location, async (tx) => {
      for (const table of ['record', 'name']) {
        await tx.query(`update ${table} set name = $1 where name = 'old'`, ['cafe\u0301']);
      }
      await fillChecksums(tx);
    });
    expect(await read(DECOMPOSED)).toMatchObject({ name: DECOMPOSED, data: { label: 'old' } });
    await commit({ name: COMPOSED, data: { label: 'new' } });
    expect(await read(DECOMPOSED)).toMatchObject({ data: { label: 'old' } });
    expect(await read(COMPOSED)).toMatchObject({ data: { label: 'new' } });
    await commit({ operation: 'revise', name: DECOMPOSED, data: { label: 'older', near: DECOMPOSED } });
    expect(await read(DECOMPOSED)).toMatchObject({ data: { label: 'older', near: `${DECOMPOSED}@v1` } });
    expect(await read(COMPOSED)).toMatchObject({ data: { label: 'new' } });
  });

  it('hold no character that misleads, and joiners only where they shape letters', async () => {
    const { commit } = await prepare();
    const add = (local: string) => commit({ name: `Place/${local}`, data: { label: 'x' } });
    for (const [local, character] of [
      ['ab\u202ecd', 'U+202E'],
      ['a\u200bb', 'U+200B'],
      ['a\u2066b', 'U+2066'],
      ['a\u00adb', 'U+00AD'],
      ['a\u0378b', 'U+0378'],
      ['a\u{e0041}b', 'U+E0041'],
      ['a\u200d', 'U+200D'],
      ['1\u200c2', 'U+200C'],
      ['a\ufe0f', 'U+FE0F'],
    ] as const) {
      const { code, message } = await add(local);
      expect([character, code]).toEqual([character, 'VALIDATION_ERROR']);
      expect(message).toContain(`it contains ${character}, an invisible or unassigned character.`);
    }
    expect((await add('ab\u202ecd')).message).toContain(String.raw`"Place/ab\u{202e}cd" is not`);
    await add('plain');
    const renamed = await commit({ operation: 'rename', name: 'Place/plain', newName: 'Place/pl\u200bain' });
    expect(renamed.message).toContain('it contains U+200B');
    const minted = await commit({ name: 'Place/\u202e$1', data: { label: 'x' } });
    expect(minted.message).toContain('it contains U+202E');
    for (const local of [
      '\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
      '\u0d28\u0d4d\u200d\u0d28',
      '\u2764\ufe0f',
      '\u00e9',
    ]) {
      expect([local, (await add(local)).message]).toEqual([local, undefined]);
    }
  });
});
