// Reads that an index must bound: the plans of their statements on both engines.
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../test/support/procedure.ts';
import { openPlanReader, recorded } from '../../../../test/support/query-plan.ts';
import { createOwnerToken, createTestAppOn } from '../../../../test/support/server.ts';
import { ENGINES, openTestStore } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const address = { orgName: 'ada', repoName: 'world' };
const fields = {
  label: 'string',
  score: { type: 'number', indexed: true },
  status: { type: 'string', indexed: true },
  room: { type: 'wref', indexed: true },
};

async function prepare(engine: Engine) {
  const { store, take } = recorded(await openTestStore(engine));
  const { app } = createTestAppOn(store);
  const token = await createOwnerToken(store);
  const call = caller(app, token);
  await call('org.create', { name: 'ada' });
  await call('repo.create', { orgName: 'ada', name: 'world', visibility: 'private' });
  const write = async (operations: object[]) => (await call('commit.submit', { ...address, operations })).data();
  await write([
    { kind: 'shape', name: 'Room', data: { fields: {} } },
    { kind: 'shape', name: 'Sensor', data: { fields } },
    { kind: 'shape', name: 'Claim', data: { fields: {} } },
    { name: 'Room/a', data: {} },
  ]);
  const sensors = Array.from({ length: 3_000 }, (_, n) => ({
    name: `Sensor/s${n}`,
    data: { label: `sensor ${n}`, score: n / 3_000, status: n % 2 === 0 ? 'open' : 'done', room: 'Room/a' },
  }));
  await write(sensors);
  await write(Array.from({ length: 60 }, (_, n) => ({ name: `Claim/c${n}`, about: 'Sensor/s7', data: {} })));
  take();
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await app.request(path, { headers: { authorization: `Bearer ${token}`, ...headers } });
    return { status: answer.status, body: await answer.text(), tag: answer.headers.get('etag') ?? '', run: take() };
  };
  return { store, get };
}

const repo = '/api/repos/ada/world';
const procedure = (name: string, input: object) =>
  `/trpc/${name}?input=${encodeURIComponent(JSON.stringify({ ...address, ...input }))}`;

const BOUNDED: readonly string[] = [
  procedure('thing.get', { wref: 'Sensor/s5' }),
  procedure('thing.get', { wref: 'Sensor/s5', atRepoSeq: 2 }),
  procedure('thing.history', { wref: 'Sensor/s5' }),
  procedure('thing.names', { wref: 'Sensor/s5' }),
  procedure('thing.refs', { wref: 'Sensor/s5' }),
  procedure('thing.refs', { wref: 'Room/a', limit: 20 }),
  `${repo}/head?match=Sensor/s5`,
  `${repo}/head?shape=Sensor`,
  `${repo}/head?shape=Sensor&order=-created`,
  `${repo}/head?shape=Sensor&order=updated`,
  `${repo}/head?shape=Sensor&order=-updated`,
  `${repo}/head?order=-updated`,
  `${repo}/head?order=-created`,
  `${repo}/head?shape=Sensor&order=name`,
  `${repo}/head?order=name`,
  `${repo}/head?shape=Sensor&atRepoSeq=2`,
  `${repo}/head?match=Sensor/s12*&order=name`,
  `${repo}/head?match=Sensor/s12*`,
  `${repo}/head?match=Sensor/*&order=name`,
  `${repo}/head?match=Sensor/*`,
  `${repo}/query?shape=Sensor&where=score:gte:0.99`,
  `${repo}/query?shape=Sensor&where=score:gte:0.99&order=-updated`,
  `${repo}/query?shape=Sensor&where=score:eq:0.5`,
  `${repo}/query?shape=Sensor&where=status:eq:open`,
  `${repo}/query?shape=Sensor&where=status:eq:open&atRepoSeq=2`,
  `${repo}/query?shape=Sensor&where=status:in:open,lost`,
  `${repo}/query?shape=Sensor&where=room:eq:Room/a@v1`,
  `${repo}/about/Sensor%2Fs7`,
  `${repo}/about/Sensor%2Fs7?order=-created`,
  `${repo}/about/Sensor%2Fs7?depth=2`,
];

describe.each(ENGINES)('reads that an index bounds, on %s', (engine) => {
  it('look at no table from end to end, and sort no more than a page', async () => {
    const { store, get } = await prepare(engine);
    const plans = await openPlanReader(store);
    const problems: Record<string, string[]> = {};
    for (const path of BOUNDED) {
      const { status, body, run } = await get(path);
      expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
      const wrong = await plans.problems(run);
      if (wrong.length > 0) problems[path] = wrong;
    }
    expect(problems).toEqual({});
  });

  it('touch no data when the caller has the answer already', async () => {
    const { get } = await prepare(engine);
    for (const path of [
      `${repo}/head?shape=Sensor`,
      `${repo}/query?shape=Sensor&where=score:gte:0.99`,
      `${repo}/about/Sensor%2Fs7`,
    ]) {
      const { tag } = await get(path);
      const { status, run } = await get(path, { 'if-none-match': tag });
      const data = run.filter(({ sql }) =>
        /\b(?:from|join) (?:record|version|name|ref|field_index|"commit")\b/.test(sql),
      );
      expect([path, status, data]).toEqual([path, 304, []]);
    }
  });

  it('run as many statements for many wrefs, and for a large page, as for a few', async () => {
    const { get } = await prepare(engine);
    const statements = async (path: string) => {
      const { status, body, run } = await get(path);
      expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
      return new Set(run.map(({ sql }) => sql.replaceAll(/\$\d+/g, '$'))).size;
    };
    const among = (count: number) => Array.from({ length: count }, () => 'Room/a').join(',');
    const query = `${repo}/query?shape=Sensor&order=name&limit=5&where=room:in:`;
    const few = await get(query + among(2));
    const many = await get(query + among(90));
    expect(many.run.length).toBe(few.run.length);
    expect(await statements(`${repo}/head?shape=Sensor&limit=500`)).toBe(
      await statements(`${repo}/head?shape=Sensor&limit=2`),
    );
  });

  it('run on the main thread, and the others beside it', async () => {
    const { get } = await prepare(engine);
    for (const path of BOUNDED.filter((each) => !each.includes('depth='))) {
      const { run } = await get(path);
      expect([path, run.some(({ beside }) => beside)]).toEqual([path, false]);
    }
    for (const path of [
      `${repo}/query?shape=Sensor&where=label:eq:none`,
      `${repo}/head?match=**none`,
      `${repo}/head?count=true`,
    ]) {
      const { status, run } = await get(path);
      expect([path, status, run.some(({ beside }) => beside)]).toEqual([path, 200, true]);
    }
  });
});
