import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { runCairn } from '../../../test/support/cli.ts';
import { callsIn, openStory } from '../../../test/support/cli-story.ts';
import { testFolder } from '../../../test/support/server.ts';
import { EXAMPLES, examplesOf } from './examples.ts';
import { processIo } from './io.ts';
import { createProgram } from './program.ts';
import { pathOf } from './wrong-call.ts';

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

const nameOf = (command: Command) => pathOf(command).replace(/^cairn ?/, '');
const openProgram = () => createProgram({ ...processIo, setExitCode: () => {} });

describe('examples', () => {
  it('are there for every command, and for none that is not there', () => {
    const commands = allCommands(openProgram());
    expect(commands.filter((command) => examplesOf(command).length === 0).map(nameOf)).toEqual([]);
    const verbs = commands.filter(({ commands: below }) => below.length === 0).map(nameOf);
    expect(new Set(Object.keys(EXAMPLES))).toEqual(new Set(verbs));
  });

  it('are in the help', async () => {
    for (const command of allCommands(openProgram())) {
      const path = nameOf(command);
      // The server parses everything after `serve`.
      if (path === 'serve') continue;
      const { code, stdout } = await runCairn([...path.split(' ').filter(Boolean), '--help'], {});
      expect({ path, code }).toEqual({ path, code: 0 });
      expect(stdout).toContain(`Examples:\n  ${examplesOf(command)[0]}\n`);
    }
  });

  it('can be read by the program, as calls of the command that they stand for', async () => {
    for (const { path, example, args } of callsIn(testFolder())) {
      // Only the component knows its methods.
      if (args[0] === 'word-count') continue;
      const program = openProgram();
      let called: Command | undefined;
      for (const command of allCommands(program)) {
        if (command.commands.length > 0) continue;
        command.action((...given) => {
          called = given.at(-1);
        });
      }
      const read = await program
        .parseAsync([...args], { from: 'user' })
        .then(() => called && nameOf(called))
        .catch((error: Error) => (called === undefined && /--yes/.test(error.message) ? path : error.message));
      expect.soft({ example, read }).toEqual({ example, read: path });
    }
  });
});

it('examples, one after the other, do what they say', async () => {
  const { calls, run, codeOf } = await openStory();
  for (const call of calls) {
    const { code, stderr } = await run(call);
    const { example } = call;
    const expected = codeOf(call);
    expect
      .soft({ example, code, stderr: code === expected ? '' : stderr })
      .toEqual({ example, code: expected, stderr: '' });
  }
  expect(calls.length).toBeGreaterThan(120);
});
