import { expect, it } from 'vitest';
import { cairn, openRepository } from '../../../test/support/cli.ts';

it('a record that others refer to is retracted with a note of how many they are', async () => {
  const { run, json, client, environment } = await openRepository('sqlite');
  await json('shape', 'create', 'Maker', '--fields', '{}');
  await json('shape', 'create', 'Part', '--fields', '{"maker?":"wref","tester?":"wref"}');
  const maker = (name: string) => ({ name, data: {} });
  const part = (name: string, data: object) => ({ name, data });
  const submit = (operations: object[]) => client.commit.submit('ada', 'world', { operations });
  const makers = ['alone', 'one', 'two', 'many', 'quiet', 'json', 'blind'];
  await submit(makers.map((name) => maker(`Maker/${name}`)));
  await submit([
    part('Part/a', { maker: 'Maker/one', tester: 'Maker/one' }),
    part('Part/b', { maker: 'Maker/two', tester: 'Maker/quiet' }),
    part('Part/c', { maker: 'Maker/two', tester: 'Maker/json' }),
    part('Part/d', { maker: 'Maker/blind' }),
    ...Array.from({ length: 501 }, (_, index) => part(`Part/m${index}`, { maker: 'Maker/many' })),
  ]);
  const retract = (name: string, ...flags: string[]) => run(['commit', 'submit', '--retract', name, ...flags]);
  expect(await retract('Maker/alone')).toMatchObject({ code: 0, stderr: '' });
  const one = '1 record still refers to Maker/one: cairn thing refs Maker/one --direction in\n';
  expect((await retract('Maker/one', '--dry-run')).stderr).toContain(one);
  expect(await retract('Maker/one')).toMatchObject({ code: 0, stderr: one });
  expect((await retract('Maker/two')).stderr).toBe(
    '2 records still refer to Maker/two: cairn thing refs Maker/two --direction in\n',
  );
  expect((await retract('Maker/many')).stderr).toMatch(/^At least 500 records still refer to Maker\/many: /);
  expect((await retract('Maker/quiet', '--quiet')).stderr).toBe('');
  expect((await retract('Maker/json', '--json')).stderr).toBe('');
  const refs = await run(['thing', 'refs', 'Maker/two', '--direction', 'in']);
  expect(refs.stdout).toContain('Part/b');
  // Callers with write but no read permission are told nothing.
  const scopes = [{ resource: 'ada/world', permissions: ['repo:write' as const] }];
  const { token } = await client.token.create('writer', { scopes });
  const blind = await cairn(['commit', 'submit', '--retract', 'Maker/blind'], { ...environment, CAIRN_TOKEN: token });
  expect(blind).toMatchObject({ code: 0, stderr: '' });
});
