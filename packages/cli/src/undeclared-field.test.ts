import { expect, it } from 'vitest';
import { cairn, openRepository } from '../../../test/support/cli.ts';

const HINT = 'Location declares no field "lable"; it was stored anyway. Did you mean "label"?\n';

it('a field that no shape declares is told in a sentence, once, with what was meant', async () => {
  const { run, json, environment, client } = await openRepository('sqlite');
  await json('shape', 'create', 'Location', '--fields', '{"x?":"number","label?":"string","at?":{"y":"number"}}');
  await json('shape', 'create', 'Belief', '--fields', '{"safe":"boolean"}');
  const add = (name: string, data: object) => ['commit', 'submit', '--add', name, '--data', JSON.stringify(data)];
  expect(await run(add('Location/a', { lable: 'A' }))).toMatchObject({ code: 0, stderr: HINT });
  expect((await run(add('Location/b', { label: 'B', at: { y: 1 } }))).stderr).toBe('');
  const deeper = await run(add('Location/c', { zzzz: 1, at: { y: 1, z: 2 } }));
  expect(deeper.stderr.split('\n').toSorted()).toEqual([
    '',
    'Location declares no field "at.z"; it was stored anyway.',
    'Location declares no field "zzzz"; it was stored anyway.',
  ]);
  const dry = await run([...add('Location/d', { lable: 'D' }), '--dry-run']);
  expect(dry.stderr).toContain('"lable"; it would be stored anyway. Did you mean "label"?\n');
  const many = Array.from({ length: 3 }, (_, index) => ({ name: `Location/m${index}`, data: { lable: 'M' } }));
  expect((await run(['commit', 'submit', '--ops', JSON.stringify(many)])).stderr).toBe(HINT);
  const fields = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`other${index}`, 1]));
  expect((await run(add('Location/e', fields))).stderr).toContain('… and 2 more fields; --json shows all.');
  const said = ['assertion', 'add', 'Belief/a', '--about', 'Location/a', '--data', '{"safe":true,"sfae":1}'];
  expect((await run(said)).stderr).toContain('Belief declares no field "sfae"');
  expect((await run([...add('Location/f', { lable: 'F' }), '--json'])).stderr).toBe('');
  expect((await run([...add('Location/g', { lable: 'G' }), '--quiet'])).stderr).toBe('');
  // Callers with write but no read permission learn of the field, but not what the shape has.
  const scopes = [{ resource: 'ada/world', permissions: ['repo:write' as const] }];
  const { token } = await client.token.create('writer', { scopes });
  const blind = await cairn(add('Location/h', { lable: 'H' }), { ...environment, CAIRN_TOKEN: token });
  expect(blind).toMatchObject({
    code: 0,
    stderr: 'Location declares no field "lable"; it was stored anyway.\n',
  });
});

it('a field that is to be shown and that no shape declares is told, with what was meant', async () => {
  const { run, json, client } = await openRepository('sqlite');
  await json('shape', 'create', 'Part', '--fields', '{"price?":"number","at?":{"x":"number"}}');
  await json('shape', 'create', 'Maker', '--fields', '{"label?":"string"}');
  const operations = [
    { name: 'Part/a', data: { price: 1, extra: 2 } },
    { name: 'Maker/a', data: { label: 'A' } },
  ];
  await client.commit.submit('ada', 'world', { operations });
  const list = (fields: string, ...flags: string[]) => run(['thing', 'list', '--fields', fields, ...flags]);
  const part = ['--shape', 'Part'];
  expect(await list('prcie', ...part)).toMatchObject({
    code: 0,
    stderr: 'Part declares no field "prcie". Did you mean "price"?\n',
  });
  expect((await list('zzzzzz', ...part)).stderr).toBe('Part declares no field "zzzzzz". It has at, price.\n');
  for (const fields of ['price', 'price,at.x', 'extra']) expect((await list(fields, ...part)).stderr).toBe('');
  expect((await list('label,price')).stderr).toBe('');
  expect((await list('lable')).stderr).toBe('None of Maker, Part declares a field "lable". Did you mean "label"?\n');
  const none = await run(['thing', 'query', '--fields', 'prcie', '--where', 'price:gt:9', ...part]);
  expect(none.stderr).toBe('No results.\nPart declares no field "prcie". Did you mean "price"?\n');
  expect((await list('prcie', ...part, '--json')).stderr).toBe('');
  expect((await list('prcie', ...part, '--quiet')).stderr).toBe('');
  expect((await list('prcie', '--shape', 'Parts')).stderr).toBe(
    'No results.\nThere is no shape "Parts" here; did you mean "Part"?\n',
  );
});
