import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { type ComponentCli, componentCommand } from './component-method.ts';
import type { Session } from './session.ts';

const CLI = {
  description: 'Counts\u001b[31m words.',
  methods: [
    {
      name: 'count',
      description: 'How many there are.',
      method: 'GET',
      requiresPermission: 'repo:write',
      args: [
        { name: 'text', type: 'string', required: true },
        { name: 'min-length', type: 'integer', min: 1, max: 50, default: 1, description: 'Longer ones.' },
        { name: 'minLength', type: 'number' },
        { name: 'unit', type: 'string', enum: ['C', 'F'] },
        { name: 'exact', type: 'boolean' },
        { name: 'format', type: 'string', description: 'Of the answer.' },
      ],
    },
    { name: 'nothing', method: 'POST' },
  ],
} as unknown as ComponentCli;

async function call(...args: string[]) {
  const sent: unknown[] = [];
  let shown = '';
  let printed = '';
  const like = new Command().exitOverride().configureOutput({
    writeOut: (text) => {
      printed += text;
    },
    outputError: () => {},
  });
  const session = {
    client: {
      component: {
        exec: async (...given: unknown[]) => ({ status: 200, body: `a\u001b[2Jb${sent.push(...given.slice(3))}` }),
      },
    },
    print: (_: unknown, people: string) => {
      shown = people;
    },
  } as unknown as Session;
  const called = { orgName: 'ada', repoName: 'world', component: 'acme/word-count', cli: CLI };
  const command = componentCommand('word-count', like, { called, open: () => session });
  const error = await command.parseAsync(args, { from: 'user' }).then(
    () => '',
    (thrown: Error) => thrown.message,
  );
  return { sent, shown, printed, error };
}

describe('methods of a component', () => {
  it('take arguments by their types, also those that are called alike', async () => {
    const { sent, shown } = await call('count', '--text', 'a b', '--min-length', '2', '--minLength', '-0.5', '--exact');
    expect(sent).toEqual(['count', { text: 'a b', 'min-length': 2, minLength: -0.5, exact: true }]);
    expect(shown).toBe('a[2Jb2');
    const named = await call('count', '--arg', 'text=a=b', '--arg', 'format=x', '--exact', 'false');
    expect(named.sent).toEqual(['count', { text: 'a=b', format: 'x', exact: false }]);
    expect((await call('nothing')).sent).toEqual(['nothing', {}]);
  });

  it('name all that is wrong, and send nothing', async () => {
    const { sent, error } = await call(
      'count',
      '--min-length',
      '0',
      '--minLength',
      'x',
      '--unit',
      'K',
      '--exact',
      'toString',
      '--arg',
      'txet=1',
    );
    expect(sent).toEqual([]);
    for (const problem of [
      '--text is required',
      '--min-length must be at least 1',
      '--minLength takes a number',
      '--unit must be one of C, F',
      '--exact takes true or false',
      'there is no argument txet: it takes text, min-length',
    ]) {
      expect(error).toContain(problem);
    }
    expect((await call('count', '--text', 'a', '--min-length', '1.5')).error).toContain('takes a whole number');
    expect((await call('count', '--text', 'a', '--min-length', '51')).error).toContain('at most 50');
    expect((await call('count', '--arg', 'text')).error).toContain('--arg NAME=VALUE');
  });

  it('suggest what may have been meant', async () => {
    expect((await call('count', '--txt', 'a')).error).toContain('(Did you mean --text?)');
    expect((await call('cuont')).error).toContain('(Did you mean count?)');
  });

  it('have help that is made from the manifest', async () => {
    expect((await call('--help')).printed).toMatch(/Counts \[31m words\..*count.*How many there are/s);
    const { printed } = await call('count', '--help');
    expect(printed).toMatch(/--min-length <integer> +Longer ones\. \(at least 1; at most 50; default: 1\)/);
    expect(printed).toMatch(/--text <string> +\(required\)/);
    expect(printed).toMatch(/--exact \[boolean\] +\(true or false\)$/m);
    expect(printed).toContain('--arg format=<string>  Of the answer.');
    expect(printed).toContain('Needs repo:write on the repository.');
  });
});
