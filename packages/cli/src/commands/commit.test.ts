import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { testFolder } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

describe.each(UPPER_ENGINES)('cairn commit submit on %s', (engine) => {
  it('says how a collection is added', async () => {
    const { run } = await openRepository(engine);
    const { code, stderr } = await run(['commit', 'submit', '--add', 'Arc/to the hut', '--data', '{}']);
    expect(code).toBe(2);
    expect(stderr).toContain("cairn collection add --type arc --name 'to the hut' --member WREF --member WREF");
  });

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
    expect(stderr).toMatch(/^ {2}line 1, Part\/a: skipExisting must be true or false\.$/m);
    expect(stderr).toMatch(/^ {2}line 2, Part\/b: An add has no field atRepoSeq\. /m);
    expect(stderr).toContain('or use --no-atomic');
    expect(stderr).not.toMatch(/--skip-existing|--at/);
    const alone = await run(['commit', 'submit', '--no-atomic', '--file', '-'], lines.join('\n'));
    expect(alone.stderr).toContain('Line 1, Part/a: skipExisting must be true or false.');
  });

  it('says that a revise takes the whole data, where a field is missing', async () => {
    const { run, json } = await openRepository(engine);
    await json('shape', 'create', 'Part', '--fields', '{"price":"number","label?":"string"}');
    const submit = (verb: string, data: string) => run(['commit', 'submit', verb, 'Part/a', '--data', data]);
    expect((await submit('--add', '{}')).stderr).not.toContain('as a whole');
    expect((await submit('--add', '{"price":1}')).code).toBe(0);
    expect((await submit('--revise', '{"label":"x"}')).stderr).toContain('A revise replaces all data');
    expect((await submit('--revise', '{"price":"x"}')).stderr).not.toContain('as a whole');
  });

  it('refuses what is no operation, with its place', async () => {
    const { run } = await openRepository(engine);
    const refused = await run(['commit', 'submit', '--ops', '[3]']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('An operation must be an object') });
  });
});

describe('what a commit is made of', () => {
  it('is read from a file or from standard input, by every flag of JSON', async () => {
    const { run, json } = await openRepository('sqlite');
    const folder = testFolder();
    const write = (name: string, value: unknown) => {
      writeFileSync(join(folder, name), JSON.stringify(value, null, 2));
      return `@${join(folder, name)}`;
    };
    const fields = write('fields.json', { 'price?': 'number' });
    await json('shape', 'create', 'Part', '--fields', fields);
    const data = write('data.json', { price: 3 });
    await json('commit', 'submit', '--add', 'Part/a', '--data', data);
    await json('assertion', 'add', 'Part/note', '--about', 'Part/a', '--data', data);
    expect((await run(['commit', 'submit', '--revise', 'Part/a', '--data', '-'], '{"price":4}')).code).toBe(0);
    expect((await run(['assertion', 'revise', 'Part/note', '--data', '-'], '{"price":5}')).code).toBe(0);
    await json('commit', 'submit', '--ops', write('ops.json', [{ name: 'Part/b', data: {} }]));
    expect((await run(['commit', 'submit', '--ops', '-'], '{"name":"Part/c","data":{}}')).code).toBe(0);
    const webhook = ['--webhook-url', 'https://example.com/hook'];
    await json('subscription', 'create', 'parts', '--filter', write('filter.json', { shape: ['Part'] }), ...webhook);
    expect(await json('thing', 'get', 'Part/a')).toMatchObject({ data: { price: 4 } });
    expect(await json('thing', 'count', '--shape', 'Part')).toMatchObject({ count: 4 });
    const stderrOf = async (...args: string[]) => {
      const { code, stderr } = await run(['commit', 'submit', ...args], '{"price":');
      return [code, stderr];
    };
    const none = join(folder, 'none.json');
    expect(await stderrOf('--add', 'Part/x', '--data', `@${none}`)).toEqual([
      2,
      expect.stringContaining('Cannot read'),
    ]);
    const cut = 'Error: Standard input: This is not JSON: expected a value at column 10, but found the end.\n';
    expect(await stderrOf('--add', 'Part/x', '--data', '-')).toEqual([2, cut]);
    expect(await stderrOf('--add', 'Part/x', '--file', none)).toEqual([2, expect.stringContaining('--data @FILE')]);
    expect(await stderrOf('--add', 'Part/x')).toEqual([2, expect.stringContaining('--data @FILE')]);
  });

  it('is a list, a line each, one operation, or an object with operations, on as many lines as it takes', async () => {
    const { run, json } = await openRepository('sqlite');
    await json('shape', 'create', 'Part', '--fields', '{}');
    let count = 0;
    const add = () => {
      count += 1;
      return { name: `Part/${count}`, data: {} };
    };
    const pretty = (value: unknown) => JSON.stringify(value, null, 2);
    const submit = (input: string, ...flags: string[]) => run(['commit', 'submit', '--file', '-', ...flags], input);
    for (const input of [
      pretty([add(), add()]),
      JSON.stringify([add()]),
      `${JSON.stringify(add())}\n\n${JSON.stringify(add())}\n`,
      JSON.stringify(add()),
      `\n${pretty(add())}\n`,
      pretty({ operations: [add(), add()] }),
      JSON.stringify({ operations: [add()] }),
    ]) {
      expect.soft({ input, ...(await submit(input)) }).toMatchObject({ input, code: 0, stderr: '' });
    }
    await json('commit', 'submit', '--ops', JSON.stringify({ operations: [add()] }));
    expect(await json('thing', 'count', '--shape', 'Part')).toEqual(expect.objectContaining({ count }));
    const more = await submit(pretty({ message: 'Two', operations: [add()] }));
    expect(more).toMatchObject({ code: 2, stderr: expect.stringContaining('"message" beside its operations') });
    const list = await submit(pretty({ records: [add()] }));
    expect(list).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a list of operations') });
  });

  it('is told one place, where it is no JSON', async () => {
    const { run } = await openRepository('sqlite');
    const stderrOf = async (input: string) => (await run(['commit', 'submit', '--file', '-'], input)).stderr;
    expect(await stderrOf('{"name":"Part/a","data":{}}\n\n{"name":"Part/b","data":{}\n')).toBe(
      'Error: Line 3 of standard input: This is not JSON: expected "," or "}" at column 27, but found the end.\n',
    );
    expect(await stderrOf('{\n  "operations": [\n    {"name":"Part/a" "data":{}}\n  ]\n}\n')).toBe(
      'Error: Standard input: This is not JSON: expected "," or "}" at line 3, column 22, but found "\\"".\n',
    );
  });
});
