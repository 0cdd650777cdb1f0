import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

async function world(engine: (typeof UPPER_ENGINES)[number]) {
  const repository = await openRepository(engine);
  const { json } = repository;
  await json('shape', 'create', 'Location', '--fields', '{"next?":"wref"}');
  await json('shape', 'create', 'Belief', '--fields', '{"safe":"boolean"}');
  const operations = [
    { name: 'Location/cave', data: {} },
    { name: 'Location/hut', data: { next: 'Location/cave' } },
    { name: 'Belief/safe', about: 'Location/cave', data: { safe: true } },
    { type: 'arc', name: 'way', members: ['Location/cave', 'Location/hut'] },
  ];
  await json('commit', 'submit', '--ops', JSON.stringify(operations));
  return repository;
}

describe.each(UPPER_ENGINES)('cairn thing on %s', (engine) => {
  it('renames; what refers to the record follows, and older sequences keep its name', async () => {
    const { run, json } = await world(engine);
    const renamed = await json(
      ...['thing', 'rename', 'Location/cave', 'Location/cavern', '--message', 'It grew', '--expected-version', '1'],
    );
    expect(renamed).toMatchObject({ name: 'Location/cavern', version: 1 });
    expect(await json('commit', 'get', '4')).toMatchObject({
      message: 'It grew',
      operations: [{ operation: 'rename' }],
    });
    expect(await json('thing', 'get', 'Location/hut')).toMatchObject({ data: { next: 'Location/cavern@v1' } });
    expect(await json('thing', 'get', 'Belief/safe')).toMatchObject({ aboutWref: 'Location/cavern@v1' });
    expect(await json('thing', 'get', 'Belief/safe', '--at', '3')).toMatchObject({ aboutWref: 'Location/cave@v1' });
    expect((await run(['thing', 'get', 'Location/cave'])).code).toBe(4);
    expect((await run(['thing', 'rename', 'Location/cave', 'Location/x'])).code).toBe(4);
    expect((await run(['thing', 'rename', 'Location/hut', 'Location/cavern'])).code).toBe(5);
    expect((await run(['thing', 'rename', 'Location/hut', 'Location/x', '--expected-version', '9'])).code).toBe(5);
    const shape = await run(['thing', 'rename', 'Location', 'Place']);
    expect(shape).toMatchObject({ code: 2, stderr: expect.stringContaining('Use cairn shape rename for shapes.') });
  });

  it('shows people what a record refers to, and leaves identities out of lists', async () => {
    const { run } = await world(engine);
    const assertion = (await run(['thing', 'get', 'Belief/safe'])).stdout;
    expect(assertion).toMatch(/^aboutWref +Location\/cave@v1$/m);
    expect(assertion).toMatch(/^aboutDurableId +[0-9A-Z]{26}@v1$/m);
    const arc = (await run(['thing', 'get', 'Arc/way'])).stdout;
    expect(arc).toMatch(/^collection +arc$/m);
    expect(arc).toMatch(/^data +\{"from":"Location\/cave@v1","to":"Location\/hut@v1"\}$/m);
    expect(arc).toMatch(/\nrefs\n {2}\/from {2}[0-9A-Z]{26}@v1\n {2}\/to {4}[0-9A-Z]{26}@v1\n$/);
    const both = (await run(['thing', 'get', 'Belief/safe', 'Arc/way'])).stdout;
    expect(both).toMatch(/^Belief\/safe +Location\/cave@v1 +\{"safe":true\} .* assertion +true$/m);
    expect(both).toMatch(/^wref +aboutWref +data +createdBy +versionCreatedAt +version +kind +active$/m);
    const some = await run(['thing', 'get', 'Location/hut', 'Location/none']);
    expect(some).toMatchObject({ code: 4, stderr: expect.stringContaining('There is no record Location/none ') });
    expect(some.stdout).toMatch(/^Location\/hut +\{"next":"Location\/cave@v1"\} .* thing +true$/m);
    expect(some.stdout).toMatch(/^Location\/none +missing$/m);
    expect(both).not.toMatch(/refs|aboutDurableId|[0-9A-Z]{26}/);
    const many = Array.from({ length: 21 }, () => ['--member', 'Location/cave']).flat();
    await run(['collection', 'add', '--type', 'list', '--name', 'long', ...many]);
    expect((await run(['thing', 'get', 'List/long'])).stdout).toContain('\n  … and 1 more; --json shows all\n');
    const history = (await run(['thing', 'history', 'Arc/way'])).stdout;
    expect(history).toMatch(/^ +1 +\{"from":"Location\/cave@v1","to":"Location\/hut@v1"\} /m);
  });
});
