import { describe, expect, it } from 'vitest';
import { cairn, openRepository } from '../../../test/support/cli.ts';

async function world() {
  const repository = await openRepository('sqlite');
  const { json, client } = repository;
  await json('shape', 'create', 'Location', '--fields', '{"x?":"number"}');
  await json('shape', 'create', 'Secret', '--fields', '{}');
  const names = ['Location/cave', 'Location/hut', 'Location/Inn', 'Secret/code'];
  await client.commit.submit('ada', 'world', { operations: names.map((name) => ({ name, data: {} })) });
  return repository;
}

describe('a name that is not there', () => {
  it('is told what is near to it, wherever a record is named', async () => {
    const { run } = await world();
    for (const [args, hint] of [
      [['thing', 'get', 'Location/cavee'], 'Did you mean Location/cave?'],
      [['thing', 'get', 'location/cave'], 'Did you mean Location/cave?'],
      [['thing', 'get', 'Location/inn@v1'], 'Did you mean Location/Inn?'],
      [['thing', 'get', 'cave'], 'Did you mean Location/cave?'],
      [['thing', 'get', 'Loction/huts'], 'Did you mean Location/hut?'],
      [['thing', 'get', 'location'], 'Did you mean Location?'],
      [['thing', 'history', 'cave'], 'Did you mean Location/cave?'],
      [['thing', 'refs', 'cave'], 'Did you mean Location/cave?'],
      [['thing', 'graph', 'cave'], 'Did you mean Location/cave?'],
      [['thing', 'diff', 'cave', '--since', '1'], 'Did you mean Location/cave?'],
      [['thing', 'rename', 'Location/cavee', 'Location/x'], 'Did you mean Location/cave?'],
      [['thing', 'about', 'Location/cavee'], 'Did you mean Location/cave?'],
      [['thing', 'query', '--about', 'Location/cavee'], 'Did you mean Location/cave?'],
      [['thing', 'count', '--about', 'Location/cavee'], 'Did you mean Location/cave?'],
      [['commit', 'submit', '--retract', 'Location/cavee'], 'Did you mean Location/cave?'],
      [['assertion', 'revise', 'Location/cavee', '--data', '{}'], 'Did you mean Location/cave?'],
      [['shape', 'view', 'Locatoin'], 'Did you mean Location?'],
      [['shape', 'history', 'location'], 'Did you mean Location?'],
      [['shape', 'retract', 'Locations'], 'Did you mean Location?'],
      [['shape', 'rename', 'Locations', 'Place'], 'Did you mean Location?'],
      [['shape', 'revise', 'Locations', '--fields', '{}'], 'Did you mean Location?'],
    ] as const) {
      const { code, stderr } = await run(args);
      expect.soft({ args, code, hint: stderr.split('\n')[1] }).toEqual({ args, code: 4, hint });
    }
  });

  it('of the shape of a new record is told what is near to it', async () => {
    const { run } = await world();
    const { code, stderr } = await run(['commit', 'submit', '--add', 'Locatoin/mill', '--data', '{}']);
    expect([code, stderr.split('\n')[1]]).toEqual([1, 'Did you mean Location/mill?']);
    for (const args of [
      ['assertion', 'add', 'Secret/x', '--about', 'Location/cavee', '--data', '{}'],
      ['collection', 'add', '--type', 'set', '--member', 'Location/hut', '--member', 'Location/cavee'],
    ]) {
      const refused = await run(args);
      expect([refused.code, refused.stderr.split('\n')[1]]).toEqual([1, 'Did you mean Location/cave?']);
    }
    await run(['shape', 'retract', 'Secret']);
    const retracted = await run(['commit', 'submit', '--add', 'Secret/x', '--data', '{}']);
    expect(retracted.stderr).not.toContain('Did you mean');
  });

  it('in the data of a record, or among many operations, is told what is near to it', async () => {
    const { run, json } = await world();
    await json('shape', 'create', 'Path', '--fields', '{"to?":"wref","via?":["wref"],"about?":"wref"}');
    const submit = async (operations: object[], ...flags: string[]) => {
      const { code, stderr } = await run(['commit', 'submit', '--ops', JSON.stringify(operations), ...flags]);
      return [code, stderr.trim().split('\n').at(-1)];
    };
    const add = (data: object, name = 'Path/a') => ({ name, data });
    expect(await submit([add({ to: 'Location/cavee' })])).toEqual([1, 'Did you mean Location/cave?']);
    expect(await submit([add({ about: 'Location/cavee' })])).toEqual([1, 'Did you mean Location/cave?']);
    expect(await submit([add({ via: ['Location/hut', 'Location/huts'] })])).toEqual([1, 'Did you mean Location/hut?']);
    expect(await submit([add({ to: 'Location/cavee', via: ['Location/huts', 'Location/zzzzzz'] })])).toEqual([
      1,
      'Instead of Location/cavee, did you mean Location/cave? Instead of Location/huts, did you mean Location/hut?',
    ]);
    const both = [{ operation: 'retract', name: 'Location/cavee' }, add({}, 'Pathh/a')];
    const meant = 'Instead of Location/cavee, did you mean Location/cave? Instead of Pathh/a, did you mean Path/a?';
    expect(await submit(both)).toEqual([4, expect.stringContaining(meant)]);
    expect(await submit(both, '--no-atomic')).toEqual([1, meant]);
    expect(await submit([add({ to: 'Location/zzzzzz' })])).toEqual([1, expect.not.stringContaining('did you mean')]);
    const args = ['commit', 'submit', '--add', 'Path/a', '--data', '{"to":"Location/cavee"}', '--json'];
    expect(JSON.parse((await run(args)).stderr).error.hint).toBe('Did you mean Location/cave?');
    const alone = ['commit', 'submit', '--no-atomic', '--ops', JSON.stringify(both), '--json'];
    expect((await run(alone)).stderr).toBe('');
  });

  it('is told that it is not there, where nothing is near', async () => {
    const { run } = await world();
    for (const args of [
      ['thing', 'get', 'Location/zzzzzz'],
      ['thing', 'about', 'Location/zzzzzz'],
    ]) {
      const { code, stderr } = await run(args);
      expect([code, stderr]).toEqual([4, 'Error: There is no record Location/zzzzzz in ada/world. (NOT_FOUND)\n']);
    }
    expect((await run(['shape', 'view', 'Zzzzzz'])).stderr).toBe(
      'Error: There is no shape Zzzzzz in ada/world. (NOT_FOUND)\n',
    );
  });

  it('is told the present name after a rename', async () => {
    const { run, json } = await world();
    await json('thing', 'rename', 'Location/cave', 'Location/grotto');
    for (const verb of ['get', 'about', 'history']) {
      const { stderr } = await run(['thing', verb, 'Location/cave']);
      expect(stderr).toBe(
        'Error: There is no record Location/cave in ada/world. (NOT_FOUND)\nIt was renamed: ask for Location/grotto.\n',
      );
    }
  });

  it('is told which versions there are, where it is the version that is missing', async () => {
    const { run } = await world();
    const { code, stderr } = await run(['thing', 'get', 'Location/cave@v9']);
    expect([code, stderr.split('\n')[1]]).toEqual([
      4,
      'Location/cave has versions up to 1: cairn thing history Location/cave',
    ]);
  });

  it('among several is named, with what is near to it', async () => {
    const { run } = await world();
    const { code, stderr } = await run(['thing', 'get', 'Location/cave', 'Location/huts']);
    expect([code, stderr]).toEqual([
      4,
      'There is no record Location/huts that you can read. Did you mean Location/hut?\n',
    ]);
  });

  it('is told by a hint in JSON too', async () => {
    const { run } = await world();
    const { stderr } = await run(['--json', 'thing', 'get', 'cave']);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'NOT_FOUND',
        message: 'There is no record cave in ada/world.',
        hint: 'Did you mean Location/cave?',
      },
    });
  });

  it('is told nothing of records that the caller may not read', async () => {
    const { environment, client } = await world();
    const { token } = await client.token.create('narrow', {
      scopes: [{ resource: 'ada/world', permissions: ['repo:read'], refs: ['Location/**'] }],
    });
    const run = (...args: string[]) => cairn(args, { ...environment, CAIRN_TOKEN: token });
    for (const name of ['Secret/cod', 'code', 'secret/code', 'Secret/code']) {
      expect(await run('thing', 'get', name)).toEqual({
        code: 4,
        stdout: '',
        stderr: `Error: There is no record ${name} in ada/world. (NOT_FOUND)\n`,
      });
    }
    expect((await run('shape', 'view', 'Secrets')).stderr).not.toContain('Did you mean');
    expect((await run('thing', 'get', 'hut')).stderr).toContain('Did you mean Location/hut?');
  });
});

it('what exists already is told in the words of the command', async () => {
  const { run } = await world();
  const shape = await run(['shape', 'create', 'Location', '--fields', '{}']);
  expect(shape).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('cairn shape revise Location --fields JSON'),
  });
  const ops = JSON.stringify([{ name: 'Location/cave', data: {} }]);
  const alone = await run(['commit', 'submit', '--no-atomic', '--ops', ops]);
  expect(alone.stderr).toContain('or --skip-existing to leave it');
  const both = JSON.stringify([
    { name: 'Location/cave', data: {} },
    { name: 'Location/hut', data: {} },
  ]);
  const { stderr } = await run(['commit', 'submit', '--ops', both]);
  expect(stderr).toContain('operation 1, Location/hut: Location/hut exists already');
  expect(stderr).not.toContain('skipExisting');
});

const NONE = 'No results.\n';

it('a list of a shape that is not there is told apart from one that is empty', async () => {
  const { run, json, client } = await openRepository('sqlite');
  await json('shape', 'create', 'Location', '--fields', '{"x?":"number"}');
  await json('shape', 'create', 'Gone', '--fields', '{}');
  await json('shape', 'retract', 'Gone');
  // Waits for the search index, since the output would also mention that it lags behind.
  const isRead = async () => {
    const { repoSeq, searchedThrough = repoSeq } = await client.thing.search('ada', 'world', 'cave');
    return searchedThrough === repoSeq;
  };
  await expect.poll(isRead).toBe(true);
  const hint = 'There is no shape "Locatoin" here; did you mean "Location"?\n';
  for (const args of [
    ['thing', 'list', '--shape', 'Locatoin'],
    ['thing', 'query', '--shape', 'Locatoin'],
    ['thing', 'search', 'cave', '--shape', 'Locatoin'],
    ['thing', 'count', '--shape', 'Locatoin'],
    ['thing', 'changes', '--since', '0', '--shape', 'Locatoin'],
    ['assertion', 'list', '--shape', 'Locatoin'],
    ['collection', 'list', '--shape', 'Locatoin'],
    ['thing', 'list', '--shape', 'Locatoin', '--all'],
  ]) {
    const { code, stderr } = await run(args);
    const said = args[1] === 'count' ? hint : `${NONE}${hint}`;
    expect.soft({ args, code, stderr }).toEqual({ args, code: 0, stderr: said });
    expect.soft(await run([...args, '--json'])).toMatchObject({ code: 0, stderr: '' });
  }
  for (const [shape, said] of [
    ['Location', NONE],
    ['Gone', NONE],
    ['Zzzzzz', `${NONE}There is no shape "Zzzzzz" here.\n`],
  ] as const) {
    expect(await run(['thing', 'list', '--match', 'A/*', '--shape', shape])).toMatchObject({ code: 0, stderr: said });
  }
  const later = await run(['thing', 'list', '--shape', 'Gone', '--at', '1']);
  expect(later).toMatchObject({ code: 0, stderr: `${NONE}There is no shape "Gone" here.\n` });
  const where = await run(['thing', 'query', '--shape', 'Locatoin', '--where', 'x:gte:2']);
  expect(where).toMatchObject({ code: 2, stderr: expect.stringContaining('\nDid you mean --shape Location?\n') });
  const known = await run(['thing', 'query', '--shape', 'Location', '--where', 'y:gte:2']);
  expect(known.stderr).not.toContain('Did you mean --shape');
});
