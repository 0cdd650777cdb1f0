import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { waitForSearch } from '../../../../test/support/search-wait.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

/** Sequence 1 has shapes, three places and assertions about them. Sequence 2 revises one and retracts one. */
async function openWorld(engine: (typeof UPPER_ENGINES)[number]) {
  const repository = await openRepository(engine);
  const submit = (operations: object[]) => repository.json('commit', 'submit', '--ops', JSON.stringify(operations));
  await submit([
    { kind: 'shape', name: 'Location', data: { fields: { x: 'number', 'label?': 'string' } } },
    { kind: 'shape', name: 'Belief', data: { fields: { safe: 'boolean' } } },
    { name: 'Location/cave', data: { x: 1, label: 'A deep cave' } },
    { name: 'Location/hut', data: { x: 2 } },
    { name: 'Location/inn', data: { x: 3 } },
    { name: 'Belief/cave', about: 'Location/cave', data: { safe: false } },
    { type: 'arc', name: 'way', members: ['Location/cave', 'Location/hut'] },
    { name: 'Belief/way', about: 'Arc/way', data: { safe: true } },
  ]);
  await submit([
    { operation: 'revise', name: 'Location/hut', data: { x: 5 } },
    { operation: 'retract', name: 'Location/inn' },
  ]);
  const lines = async (...args: string[]) => {
    const { code, stdout, stderr } = await repository.run(args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout.trimEnd().split('\n');
  };
  return { ...repository, lines, submit };
}

describe.each(UPPER_ENGINES)('lists of cairn thing on %s', (engine) => {
  it('print with --json what the SDK answers', async () => {
    const { json, client } = await openWorld(engine);
    const { thing } = client;
    const filter = ['--shape', 'Location', '--where', 'x:gte:1', '--where', 'x:lt:5', '--order', 'name'];
    const options = { shape: 'Location', where: ['x:gte:1', 'x:lt:5'], order: 'name' as const };
    expect(await json('thing', 'head')).toEqual(await thing.head('ada', 'world'));
    expect(await json('thing', 'list', ...filter)).toEqual(await thing.head('ada', 'world', options));
    expect(await json('thing', 'query', ...filter, '--fields', 'x,label', '--limit', '1', '--at', '1')).toEqual(
      await thing.query('ada', 'world', { ...options, fields: ['x', 'label'], limit: 1, atRepoSeq: 1 }),
    );
    const label = { fieldPath: 'label', op: 'in' as const, rhs: ['A deep cave', 'one, or another'] };
    const written = ['--shape', 'Location', '--where', 'x:lt:5', '--where', JSON.stringify([label])];
    expect(await json('thing', 'query', ...written)).toEqual(
      await thing.query('ada', 'world', { shape: 'Location', where: ['x:lt:5', label] }),
    );
    expect(await json('thing', 'query', '--match', 'Loc*/i*', '--include-retracted', '--kind', 'thing')).toMatchObject({
      items: [{ name: 'Location/inn', active: false }],
    });
    const about = { resolveCollections: true, role: 'from', depth: 2 } as const;
    const aboutFlags = ['--resolve-collections', '--role', 'from', '--depth', '2'];
    const beliefs = await thing.about('ada', 'world', 'Location/cave', about);
    expect(beliefs.items).toHaveLength(2);
    expect(await json('thing', 'about', 'Location/cave', ...aboutFlags)).toEqual(beliefs);
    expect(await json('thing', 'query', '--about', 'Location/cave', ...aboutFlags)).toEqual(beliefs);
    const count = await thing.count('ada', 'world', { about: 'Location/cave', ...about });
    expect(count).toEqual({ repoSeq: 2, count: 2 });
    expect(await json('thing', 'count', '--about', 'Location/cave', ...aboutFlags)).toEqual(count);
    expect(await json('thing', 'query', '--about', 'Location/cave', ...aboutFlags, '--count')).toEqual(count);
    expect(await json('assertion', 'list')).toEqual(await thing.head('ada', 'world', { kind: 'assertion' }));
    expect(await json('collection', 'list')).toEqual(await thing.head('ada', 'world', { kind: 'collection' }));
  });

  it('show people tables, and how to see more', async () => {
    const { run, lines } = await openWorld(engine);
    const [header, cave, hut, ...others] = await lines('thing', 'list', '--shape', 'Location');
    expect(header).toMatch(/^wref +kind +version +repoSeq +data$/);
    expect(cave).toMatch(/^Location\/cave +thing +1 +1 +\{"label":"A deep cave","x":1\}$/);
    expect(hut).toMatch(/^Location\/hut +thing +2 +2 +\{"x":5\}$/);
    expect(others).toEqual([]);
    const retracted = await lines('thing', 'head', '--shape', 'Location', '--include-retracted');
    expect(retracted.at(-1)).toMatch(/^Location\/inn +thing +2 +2 +false /);
    expect((await lines('thing', 'about', 'Location/cave')).at(-1)).toMatch(/^Belief\/cave +Location\/cave@v1 +1 +1 /);
    expect(await lines('thing', 'count', '--kind', 'thing')).toEqual(['repoSeq  2', 'count    2']);
    const first = await run(['thing', 'list', '--limit', '1']);
    const [, cursor = ''] = /^There are more: --cursor (\S+)\n$/.exec(first.stderr) ?? [];
    expect((await run(['thing', 'list', '--limit', '1', '--cursor', cursor])).stdout).toMatch(/^Belief +shape/m);
    expect((await run(['--format', 'jsonl', 'thing', 'list', '--shape', 'Location'])).stdout.split('\n')).toHaveLength(
      3,
    );
  });

  it('show everything with --all, in every format', async () => {
    const { json, run, lines, submit, client } = await openWorld(engine);
    await submit(Array.from({ length: 1_001 }, (_, x) => ({ name: `Location/${x}`, data: { x } })));
    const args = ['thing', 'query', '--match', 'Location/*', '--order', 'name', '--all'];
    const listed = (await json(...args)) as { repoSeq: number; items: { name: string }[] };
    expect(Object.keys(listed)).toEqual(['repoSeq', 'items']);
    expect(listed.repoSeq).toBe(3);
    expect(listed.items).toHaveLength(1_003);
    const printed = (await run(['--format', 'jsonl', ...args])).stdout.trimEnd().split('\n');
    expect(printed.map((line) => JSON.parse(line))).toEqual(listed.items);
    expect(await lines(...args)).toHaveLength(1_004);
    const { nextCursor = '' } = await client.thing.query('ada', 'world', { match: 'Location/*', order: 'name' });
    expect(await json(...args, '--cursor', nextCursor)).toEqual({ ...listed, items: listed.items.slice(50) });
  });

  it('search words, and show where they stand', async () => {
    const { json, lines, client } = await openWorld(engine);
    const search = () => client.thing.search('ada', 'world', 'deep cave');
    await waitForSearch(search);
    expect(await json('thing', 'search', 'deep', 'cave')).toEqual(await search());
    expect(await json('thing', 'query', '--q', 'deep cave')).toEqual(await search());
    const [header, found, ...others] = await lines('thing', 'search', 'deep cave', '--shape', 'Location');
    expect(header).toMatch(/^wref +kind +version +repoSeq +snippet$/);
    expect(found).toMatch(/^Location\/cave +thing +1 +1 +\/label: A deep cave$/);
    expect(others).toEqual([]);
  });

  it('say in words of the command what is wrong', async () => {
    const { run } = await openWorld(engine);
    const refused = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(['thing', ...args]);
      expect([code, stdout]).toEqual([2, '']);
      return stderr;
    };
    expect(await refused('head', '--where', 'x:gte:3')).toContain('--where: Conditions need --shape');
    expect(await refused('head', '--shape', 'Location', '--where', 'y:gte:3')).toContain('declares no field "y".');
    expect(await refused('head', '--shape', 'Location', '--where', '[{]')).toContain('begins like JSON and is none');
    expect(await refused('head', '--shape', 'Location', '--where', '[3]')).toContain('"fieldPath"');
    expect(await refused('query', '--resolve-collections')).toContain('--resolve-collections needs --about');
    expect(await refused('head', '--at', '99')).toContain('99 does not exist yet');
    expect(await refused('head', '--cursor', 'forged')).toContain('cursor');
    for (const limit of ['0', '501']) {
      expect(await refused('head', '--limit', limit)).toContain('Write a whole number from 1 to 500, or use --all.');
      expect(await refused('history', 'Location/cave', '--limit', limit)).toContain('from 1 to 500; --cursor goes on');
    }
    expect(await refused('graph', 'Location/cave', '--depth', '6')).toContain('Write a whole number from 1 to 5.');
    expect(await refused('about', 'Location/cave', '--depth', '4')).toContain('Write a whole number from 1 to 3.');
    expect((await run(['thing', 'about', 'Location/none'])).code).toBe(4);
  });
});
