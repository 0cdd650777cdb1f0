// `cairn commit submit` with one operation by flags, against a real server.
import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { ENGINES } from '../../../../test/support/store.ts';

describe.each(ENGINES)('cairn commit submit on %s', (engine) => {
  it('writes an assertion and a rename by flags', async () => {
    const { run, json } = await openRepository(engine);
    await json('shape', 'create', 'Location', '--fields', '{}');
    const submit = (...args: string[]) => json('commit', 'submit', ...args);
    await submit('--add', 'Location/cave', '--data', '{}');
    expect(await submit('--add', 'Location/note', '--about', 'Location/cave', '--data', '{}')).toMatchObject({
      operations: [{ kind: 'assertion', status: 'applied' }],
    });
    const rename = ['--rename', 'Location/cave', '--new-name', 'Location/cavern'];
    expect((await run(['commit', 'submit', ...rename, '--expected-version', '2'])).code).toBe(5);
    expect(await submit(...rename, '--expected-version', '1')).toMatchObject({
      operations: [{ operation: 'rename', name: 'Location/cavern', submittedName: 'Location/cave' }],
    });
    expect(await json('thing', 'get', 'Location/note')).toMatchObject({ aboutWref: 'Location/cavern@v1' });
    const shown = await run(['commit', 'submit', '--rename', 'Location/cavern', '--new-name', 'Location/hole']);
    expect(shown.stdout).toMatch(/ rename +thing +Location\/hole +Location\/cavern +1 +applied$/m);
  });

  it('refuses what is no operation, with its place', async () => {
    const { run } = await openRepository(engine);
    const refused = await run(['commit', 'submit', '--ops', '[3]']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('An operation is an object') });
  });
});
