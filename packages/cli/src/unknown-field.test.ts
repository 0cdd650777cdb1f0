// What the command says of a field that it is asked to show and that nobody declares.
import { expect, it } from 'vitest';
import { openRepository } from '../../../test/support/cli.ts';

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
  expect(none.stderr).toBe('There are none.\nPart declares no field "prcie". Did you mean "price"?\n');
  expect((await list('prcie', ...part, '--json')).stderr).toBe('');
  expect((await list('prcie', ...part, '--quiet')).stderr).toBe('');
  expect((await list('prcie', '--shape', 'Parts')).stderr).toBe(
    'There are none.\nThere is no shape "Parts" here; did you mean "Part"?\n',
  );
});
