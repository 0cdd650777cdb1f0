import { describe, expect, it } from 'vitest';
import { cairn, openRepository } from '../../../../test/support/cli.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

describe.each(UPPER_ENGINES)('cairn shape on %s', (engine) => {
  it('renames a shape with its records', async () => {
    const { run, json } = await openRepository(engine);
    for (const name of ['Location', 'Belief']) await json('shape', 'create', name, '--fields', '{"x?":"wref"}');
    await json('commit', 'submit', '--add', 'Location/cave', '--data', '{"x":"Location"}');
    expect(
      await json('shape', 'rename', 'Location', 'Place', '--message', 'A wider word', '--expected-version', '1'),
    ).toMatchObject({ name: 'Place', indexes: [] });
    expect(await json('commit', 'get', '4')).toMatchObject({ message: 'A wider word' });
    expect(await json('thing', 'get', 'Place/cave')).toMatchObject({ data: { x: 'Place@v1' } });
    expect((await run(['shape', 'view', 'Location'])).code).toBe(4);
    expect((await run(['shape', 'rename', 'Place', 'Belief'])).code).toBe(5);
    expect((await run(['shape', 'rename', 'Place', 'Arc'])).stderr).toContain('Arc is a built-in shape.');
  });
});

const NOTE =
  'The field "maker" refers to records of the shape "Makr", which does not exist yet. Did you mean "Maker"?\n';

it('a field that names a shape which is not there is told, with what was meant', async () => {
  const { run, json, client, environment } = await openRepository('sqlite');
  await json('shape', 'create', 'Maker', '--fields', '{}');
  await json('shape', 'create', 'Gone', '--fields', '{}');
  await json('shape', 'retract', 'Gone');
  const create = (name: string, fields: object) => ['shape', 'create', name, '--fields', JSON.stringify(fields)];
  const wref = (shape: string | string[]) => ({ type: 'wref', shape });
  expect(await run(create('Part', { 'maker?': wref('Makr') }))).toMatchObject({ code: 0, stderr: NOTE });
  const revised = await run([
    'shape',
    'revise',
    'Part',
    '--fields',
    JSON.stringify({ maker: wref('Makr'), x: 'number' }),
  ]);
  expect(revised).toMatchObject({ code: 0, stderr: NOTE });
  const deep = { made: { 'by?': { type: 'array', items: wref(['Maker', 'Zzzzzz']) } }, also: [wref('Makers')] };
  expect((await run(create('Deep', deep))).stderr).toBe(
    [
      'The field "made.by" refers to records of the shape "Zzzzzz", which does not exist yet.',
      'The field "also" refers to records of the shape "Makers", which does not exist yet. Did you mean "Maker"?',
      '',
    ].join('\n'),
  );
  // The shape itself, a retracted one, and one that every repository has.
  const known = { self: wref('Known'), gone: wref('Gone'), maker: wref('Maker'), shape: 'string', arc: wref('Arc') };
  expect((await run(create('Known', known))).stderr).toBe('');
  expect((await run([...create('Json', { maker: wref('Makr') }), '--json'])).stderr).toBe('');
  expect((await run([...create('Quiet', { maker: wref('Makr') }), '--quiet'])).stderr).toBe('');
  // A caller who may write but not read learns nothing about existing shapes.
  const scopes = [{ resource: 'ada/world', permissions: ['repo:write' as const] }];
  const { token } = await client.token.create('writer', { scopes });
  const blind = await cairn(create('Blind', { maker: wref('Makr') }), { ...environment, CAIRN_TOKEN: token });
  expect(blind).toMatchObject({ code: 0, stderr: '' });
});
