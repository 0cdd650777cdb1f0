// What the command says of a list that is empty because no shape has the name.
import { expect, it } from 'vitest';
import { openRepository } from '../../../test/support/cli.ts';

const NONE = 'There are none.\n';

it('a list of a shape that is not there is told apart from one that is empty', async () => {
  const { run, json, client } = await openRepository('sqlite');
  await json('shape', 'create', 'Location', '--fields', '{"x?":"number"}');
  await json('shape', 'create', 'Gone', '--fields', '{}');
  await json('shape', 'retract', 'Gone');
  // What a search has not read yet is told too.
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
