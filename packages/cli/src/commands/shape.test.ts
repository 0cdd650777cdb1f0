// `cairn shape` against a real server.
import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
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
