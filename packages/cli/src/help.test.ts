import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { cairn, openRepository } from '../../../test/support/cli.ts';
import { smallManifest } from '../../../test/support/manifest.ts';
import { DESCRIPTIONS } from './help.ts';
import { processIo } from './io.ts';
import { createProgram } from './program.ts';
import { pathOf } from './wrong-call.ts';

function verbsOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(verbsOf);
}

const openVerbs = () => verbsOf(createProgram({ ...processIo, setExitCode: () => {} }));
const nameOf = (command: Command) => pathOf(command).replace(/^cairn /, '');

describe('the help of a command', () => {
  it('says in sentences what the command does', () => {
    const verbs = openVerbs();
    const without = verbs.filter((command) => !/^[A-Z`].*\.$/s.test(command.description())).map(nameOf);
    expect(without).toEqual([]);
    expect(verbs.map(nameOf)).toEqual(expect.arrayContaining(Object.keys(DESCRIPTIONS)));
  });

  it('names the flags that every command takes', async () => {
    for (const path of ['commit submit', 'repo checkpoint get', 'use']) {
      const { stdout } = await cairn([...path.split(' '), '--help']);
      expect(stdout).toContain('\n  --json --format --url --profile --repo --quiet --no-color\n');
    }
  });

  it.each([
    ['a verb', ['help', 'thing', 'get'], 'Usage: cairn thing get|view '],
    ['a verb below a verb', ['help', 'repo', 'checkpoint', 'get'], 'Usage: cairn repo checkpoint get '],
    ['a verb by its alias', ['help', 'thing', 'list'], 'Usage: cairn thing head|list '],
    ['a noun', ['help', 'thing'], 'Usage: cairn thing '],
    ['a noun that asks for it', ['thing', 'help', 'get'], 'Usage: cairn thing get|view '],
    ['everything', ['help'], 'Usage: cairn '],
    ['a verb, behind a flag', ['--url', 'http://127.0.0.1:1', 'help', 'thing', 'get'], 'Usage: cairn thing get|view '],
  ])('is shown for %s: %j', async (_, args, usage) => {
    expect(await cairn(args)).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(usage) });
  });

  it.each([
    [['help', 'thign', 'get'], "Unknown command 'thign'. Did you mean thing? See cairn --help."],
    [['thign', '--help'], "Unknown command 'thign'. Did you mean thing? See cairn --help."],
    [['help', 'thing', 'gte'], "Unknown command 'gte'. Did you mean get? See cairn thing --help."],
  ])('is not made up: %j', async (args, message) => {
    expect(await cairn(args)).toEqual({ code: 2, stdout: '', stderr: `Error: ${message}\n` });
  });

  it('is shown for the method of a component', async () => {
    const { run, client } = await openRepository('sqlite');
    const cli = { methods: [{ name: 'count', method: 'GET' as const, credentialSet: 'keys' }] };
    const credentials = [{ name: 'keys', requiredKeys: [{ key: 'CLI_SIGNING_SECRET' }] }];
    const manifest = { ...smallManifest({ name: 'small' }), credentials, cli };
    await client.component.register('ada', 'small', { manifest });
    await run(['component', 'install', 'ada/small', '--json']);
    expect(await run(['help', 'small', 'count'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: cairn small count'),
    });
  });
});
