import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

async function caves(engine: (typeof UPPER_ENGINES)[number]) {
  const { run, json } = await openRepository(engine);
  await json('shape', 'create', 'Location', '--fields', '{"x":"number"}');
  await json('shape', 'create', 'Belief', '--fields', '{"safe":"boolean"}');
  await json('commit', 'submit', '--add', 'Location/cave', '--data', '{"x":3}');
  return { run, assertion: (...args: string[]) => json('assertion', ...args), json };
}

const SAFE = ['--data', '{"safe":true}'];

describe.each(UPPER_ENGINES)('cairn assertion on %s', (engine) => {
  it('says something about a record, revises it and takes it back', async () => {
    const { run, assertion, json } = await caves(engine);
    expect(
      await assertion('add', 'Belief/cave', '--about', 'Location/cave', ...SAFE, '--message', 'As I was told'),
    ).toMatchObject({ repoSeq: 4, operations: [{ kind: 'assertion', name: 'Belief/cave', status: 'applied' }] });
    expect(await json('thing', 'get', 'Belief/cave')).toMatchObject({ aboutWref: 'Location/cave@v1' });
    expect(await json('commit', 'get', '4')).toMatchObject({ message: 'As I was told' });
    const pin = ['--expected-version', '1'];
    expect(await assertion('revise', 'Belief/cave', '--data', '{"safe":false}', ...pin)).toMatchObject({
      operations: [{ operation: 'revise', version: 2 }],
    });
    const late = await run(['assertion', 'revise', 'Belief/cave', ...SAFE, ...pin]);
    expect(late).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('(CONFLICT)') });
    await assertion('retract', 'Belief/cave', '--reason', 'hearsay', '--expected-version', '2');
    expect(await json('thing', 'get', 'Belief/cave', '--include-retracted')).toMatchObject({ reason: 'hearsay' });
  });

  it('reads the data from a file or standard input, and has the flags of a commit', async () => {
    const { run, assertion, json } = await caves(engine);
    const add = ['add', 'Belief/cave', '--about', 'Location/cave'];
    const tried = await run(['assertion', ...add, '--file', '-', '--dry-run'], '{"safe":true}');
    expect(tried).toMatchObject({ code: 0, stderr: 'A dry run: nothing was written.\n' });
    const id = ['--submission-id', '5f0c2d5e-3b1a-4a57-9d49-0d8f2f6f4c11'];
    const first = await assertion(...add, ...SAFE, ...id, '--committer', 'Location/cave');
    expect(await assertion(...add, ...SAFE, ...id, '--committer', 'Location/cave')).toEqual(first);
    expect(await json('thing', 'get', 'Belief/cave')).toMatchObject({ repoSeq: 4, committerWref: 'Location/cave@v1' });
    expect((await run(['assertion', ...add, ...SAFE])).code).toBe(5);
    expect(await assertion(...add, ...SAFE, '--skip-existing')).toMatchObject({ operations: [{ status: 'noop' }] });
  });

  it('changes assertions alone, about what exists', async () => {
    const { run } = await caves(engine);
    const said = async (...args: string[]) => (await run(['assertion', ...args])).stderr;
    expect(await said('add', 'Belief/x', '--about', 'Location/x', ...SAFE)).toContain('There is no record Location/x.');
    expect(await said('revise', 'Location/cave', '--data', '{"x":4}')).toContain('has the kind thing, not assertion');
    expect(await said('retract', 'Location/cave')).toContain('has the kind thing, not assertion');
  });
});

const [CAVE, HUT] = [
  ['--member', 'Location/cave'],
  ['--member', 'Location/hut'],
];

interface Written {
  readonly operations: readonly { name: string }[];
}

async function places(engine: (typeof UPPER_ENGINES)[number]) {
  const { run, json } = await openRepository(engine);
  await json('shape', 'create', 'Location', '--fields', '{}');
  const operations = ['cave', 'hut'].map((name) => ({ name: `Location/${name}`, data: {} }));
  await json('commit', 'submit', '--ops', JSON.stringify(operations));
  return { run, collection: (...args: string[]) => json('collection', ...args), json };
}

describe.each(UPPER_ENGINES)('cairn collection on %s', (engine) => {
  it('groups records by each type of collection, in the order of the flags where it means something', async () => {
    const { collection, json } = await places(engine);
    const [cave, hut] = ['Location/cave@v1', 'Location/hut@v1'];
    const data = {
      arc: { from: hut, to: cave },
      bond: { ends: [cave, hut] },
      set: { members: [cave, hut] },
      list: { items: [hut, cave] },
      pair: { first: hut, second: cave },
    };
    for (const [type, expected] of Object.entries(data)) {
      const { operations } = (await collection('add', '--type', type, '--name', 'both', ...HUT, ...CAVE)) as Written;
      const item = await json('thing', 'get', operations[0]?.name ?? '');
      expect(item).toMatchObject({ collection: type, data: expected });
    }
  });

  it('finds one without a name again, and revises and retracts by name', async () => {
    const { run, collection, json } = await places(engine);
    const made = (await collection('add', '--type', 'set', ...CAVE, ...HUT)) as Written;
    expect(await collection('add', '--type', 'set', ...HUT, ...CAVE)).toMatchObject({
      operations: [{ name: made.operations[0]?.name, status: 'noop' }],
    });
    await collection('add', '--type', 'arc', '--name', 'way', ...CAVE, ...HUT);
    const pin = ['--expected-version', '1'];
    await collection('revise', 'Arc/way', ...HUT, ...CAVE, ...pin, '--message', 'The other way');
    expect(await json('thing', 'get', 'Arc/way')).toMatchObject({ version: 2, data: { from: 'Location/hut@v1' } });
    expect((await run(['collection', 'retract', 'Arc/way', ...pin])).code).toBe(5);
    await collection('retract', 'Arc/way', '--reason', 'overgrown');
    expect(await run(['thing', 'get', 'Arc/way'])).toMatchObject({ code: 4 });
    const taken = ['collection', 'add', '--type', 'arc', '--name', 'way', ...CAVE, ...HUT];
    expect((await run(taken)).code).toBe(5);
    expect(await json(...taken, '--skip-existing')).toMatchObject({ operations: [{ status: 'noop' }] });
  });

  it('changes collections alone, of as many members as they have', async () => {
    const { run } = await places(engine);
    const said = async (...args: string[]) => (await run(['collection', ...args])).stderr;
    expect(await said('add', '--type', 'arc', ...CAVE)).toContain('has 2 members, not 1');
    expect(await said('add', '--type', 'bond', ...CAVE, ...CAVE)).toContain('Location/cave@v1 appears twice');
    expect(await said('revise', 'Location/cave', ...HUT)).toContain('has the kind thing, not collection');
    expect(await said('retract', 'Location/cave')).toContain('has the kind thing, not collection');
  });
});
