// Export flow control: pages are read no faster than the client takes them, all as of one sequence.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import {
  commit,
  createExportable,
  exportAll,
  parseExport,
  requestExport,
  WORLD,
} from '../../../../test/support/export.ts';
import { grantOn } from '../../../../test/support/grant.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { commitInput } from '../../../../test/support/repository.ts';
import { createTestAppOn } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';
import type { Engine } from '../engine/database.ts';
import type { Store } from '../store.ts';

const PAGES = 12;
const LONG = 'x'.repeat(300_000);

async function createCounted(engine: Engine) {
  const { store, session } = await createExportable(engine);
  const owner = caller(createTestAppOn(store).app, session);
  for (let n = 0; n < PAGES; n++) {
    const long = ['a', 'b'].map((half) => ({ name: `Room/${half}${n}`, data: { LONG } }));
    await commit(owner, [...long, { name: `Room/short-${n}`, data: { n } }]);
  }
  const counted = { pages: 0 };
  const exports: Store['exports'] = {
    ...store.exports,
    page: (request) => {
      counted.pages++;
      return store.exports.page(request);
    },
  };
  const { app } = createTestAppOn({ ...store, exports });
  return { app, store, owner, session, counted };
}

/** Commits during the read of a stream. PostgreSQL takes a minute for 10,000 in one repository. */
const FURTHER = { sqlite: IS_LONG ? 10_000 : 2_000, postgres: 1_000 };

describe.each(UPPER_ENGINES)('the flow of an export on %s', (engine) => {
  const further = Number(process.env.CAIRN_TEST_EXPORT_COMMITS ?? FURTHER[engine]);

  it(verifies('reads no more than is taken, and stops when nobody takes more', '4.2/sync-streamed'), async () => {
    const { app, session, counted } = await createCounted(engine);
    const { body } = await requestExport(app, { token: session });
    const reader = body?.getReader();
    const text = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(parseExport(await text()).header).toMatchObject({ type: 'header' });
    expect(await text()).toContain('"type":"record"');
    await reader?.cancel();
    const ahead = counted.pages;
    expect(ahead).toBeLessThan(PAGES);
    await pause(300);
    expect(counted.pages).toBeLessThanOrEqual(ahead + 1);
    const before = counted.pages;
    await exportAll({ app, session });
    expect(counted.pages - before).toBeGreaterThanOrEqual(PAGES);
  });

  it(verifies('shows nothing of what is committed meanwhile', '4.2/at-commit-during-stream'), async () => {
    const { app, owner, session } = await createCounted(engine);
    const before = await exportAll({ app, session });
    const { body } = await requestExport(app, { token: session });
    let text = '';
    let n = 0;
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(chunk);
      await commit(owner, [
        { operation: 'revise', name: `Room/b${PAGES - 1}`, data: { n } },
        { operation: 'rename', name: n === 0 ? 'Room/a11' : `Room/renamed-${n - 1}`, newName: `Room/renamed-${n}` },
        { name: `Room/new-${n}`, data: {} },
      ]);
      n++;
    }
    expect(n).toBeGreaterThan(PAGES);
    expect(parseExport(text).lines).toEqual(before.lines);
    expect(parseExport(text).recordCount).toBe(before.recordCount);
  });

  it(`is the same before ${further.toLocaleString('en')} further commits and while they happen`, {
    timeout: 300_000,
  }, async () => {
    const { app, session, store } = await createCounted(engine);
    const before = await exportAll({ app, session });
    const grant = await grantOn(store, WORLD);
    const { body } = await requestExport(app, { token: session });
    let text = '';
    let commits = 0;
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(chunk);
      if (commits >= further) continue;
      const some = Array.from({ length: further / 10 }, (_, n) => furtherOperations(commits + n));
      commits += some.length;
      await Promise.all(some.map((operations) => store.write.commit(commitInput(grant, operations))));
    }
    expect(commits).toBe(further);
    expect((await grantOn(store, WORLD)).repository.repoSeq).toBe(before.header.atRepoSeq + further);
    expect(parseExport(text).lines).toEqual(before.lines);
    expect(parseExport(text).recordCount).toBe(before.recordCount);
    expect((await exportAll({ app, session }, `atRepoSeq=${before.header.atRepoSeq}`)).lines).toEqual(before.lines);
  });
});

function furtherOperations(n: number): object[] {
  const name = `Room/b${n % PAGES}`;
  const renamed = n < PAGES ? `Room/a${n}` : `Room/short-${n % PAGES}`;
  return [
    n % 2 === 0 ? { operation: 'revise', name, data: { n } } : { name: `Room/new-${n}`, data: { n } },
    { operation: 'rename', name: renamed, newName: 'Room/meanwhile' },
    { operation: 'rename', name: 'Room/meanwhile', newName: renamed },
  ];
}
