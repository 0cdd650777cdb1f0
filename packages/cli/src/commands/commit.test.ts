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

  it('tells people the line and the record that was refused, and programs the index from 0', async () => {
    const { run, json } = await openRepository(engine);
    await json('shape', 'create', 'Part', '--fields', '{"price":"number"}');
    const lines = ['{"name":"Part/a","data":{"price":1}}', '', '{"name":"Part/b","data":{"price":"x"}}'].join('\n');
    const submit = (...flags: string[]) => run(['commit', 'submit', '--file', '-', ...flags], lines);
    const refused = await submit();
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('the first, line 3, Part/b: ') });
    expect(refused.stderr).not.toMatch(/operation \d/);
    const { error } = JSON.parse((await submit('--json')).stderr);
    expect(error).toMatchObject({
      message: expect.stringContaining('the first, operation 1 (counted from 0), Part/b: '),
      details: { operations: [{ index: 1, name: 'Part/b' }] },
    });
    expect(error.details.operations[0]).not.toHaveProperty('place');
    expect(await submit('--no-atomic')).toMatchObject({ code: 6, stderr: expect.stringContaining('Line 3, Part/b: ') });
    const both = await run(['commit', 'submit', '--file', '-'], `\n${lines}\n{"name":"Part/$1","data":{}}`);
    expect(both.stderr).toContain('  line 4, Part/b: ');
    expect(both.stderr).toMatch(/^ {2}line 5/m);
    const list = JSON.stringify([
      { name: 'Part/c', data: { price: 1 } },
      { name: 'Part/$1', data: { price: 1 } },
      { name: 'Part/$1', data: { price: 2 } },
    ]);
    const listed = await run(['commit', 'submit', '--file', '-'], list);
    expect(listed.stderr).toContain('the first, operation 2 (counted from 0)');
    const tokens = await run(
      ['commit', 'submit', '--file', '-'],
      `\n{"name":"Part/$1","data":{"price":1}}\n{"name":"Part/$1","data":{"price":2}}`,
    );
    expect(tokens.stderr).toContain('$1 is used by line 2 already');
  });

  it('calls the fields of JSON as they are written there, and what helps by its flag', async () => {
    const { run, json } = await openRepository(engine);
    await json('shape', 'create', 'Part', '--fields', '{"price":"number"}');
    const lines = [
      { name: 'Part/a', data: { price: 1 }, skipExisting: 'yes' },
      { name: 'Part/b', data: { price: 1 }, atRepoSeq: 3 },
    ].map((line) => JSON.stringify(line));
    const { stderr } = await run(['commit', 'submit', '--file', '-'], lines.join('\n'));
    expect(stderr).toMatch(/^ {2}line 1, Part\/a: skipExisting is true or false\.$/m);
    expect(stderr).toMatch(/^ {2}line 2, Part\/b: add has no field atRepoSeq\. /m);
    expect(stderr).toContain('or use --no-atomic');
    expect(stderr).not.toMatch(/--skip-existing|--at/);
    const alone = await run(['commit', 'submit', '--no-atomic', '--file', '-'], lines.join('\n'));
    expect(alone.stderr).toContain('Line 1, Part/a: skipExisting is true or false.');
  });

  it('says that a revise takes the whole data, where a field is missing', async () => {
    const { run, json } = await openRepository(engine);
    await json('shape', 'create', 'Part', '--fields', '{"price":"number","label?":"string"}');
    const submit = (verb: string, data: string) => run(['commit', 'submit', verb, 'Part/a', '--data', data]);
    expect((await submit('--add', '{}')).stderr).not.toContain('as a whole');
    expect((await submit('--add', '{"price":1}')).code).toBe(0);
    expect((await submit('--revise', '{"label":"x"}')).stderr).toContain('A revise replaces the data as a whole');
    expect((await submit('--revise', '{"price":"x"}')).stderr).not.toContain('as a whole');
  });

  it('refuses what is no operation, with its place', async () => {
    const { run } = await openRepository(engine);
    const refused = await run(['commit', 'submit', '--ops', '[3]']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('An operation is an object') });
  });
});
