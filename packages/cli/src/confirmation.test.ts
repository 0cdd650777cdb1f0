// Confirmation of commands that are hard to undo. There is no server: a confirmed command exits with 7.
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { runCairn } from '../../../test/support/cli.ts';
import { CONFIRMED } from './confirmation.ts';
import { processIo } from './io.ts';
import { createProgram } from './program.ts';
import { pathOf } from './wrong-call.ts';

const CALLS: Readonly<Record<string, { args: readonly string[]; answer: string }>> = {
  'admin distribute': { args: [], answer: 'y' },
  'admin purge': { args: ['acme/world', 'Login/one'], answer: 'acme/world' },
  'admin revoke-token': { args: ['--email', 'a@b.c', '--name', 'n'], answer: 'y' },
  'admin rotate-secret': { args: [], answer: 'y' },
  'component teardown': { args: ['acme/x'], answer: 'y' },
  'component unregister': { args: ['acme/x'], answer: 'yes' },
  'credential delete': { args: ['hooks'], answer: 'Y' },
  'credential revoke': { args: ['hooks'], answer: 'y' },
  'credential unset': { args: ['hooks', 'KEY'], answer: 'y' },
  'org archive': { args: ['acme'], answer: 'acme' },
  'org remove-member': { args: ['acme', 'bob'], answer: 'y' },
  'repo checkpoint delete': { args: ['monday'], answer: 'y' },
  'repo delete': { args: ['acme/world'], answer: 'acme/world' },
  'repo import': { args: ['acme/world', '--abort'], answer: 'y' },
  'repo transfer': { args: ['acme/world', 'other'], answer: 'acme/world' },
  'repo visibility': { args: ['acme/world', 'public'], answer: 'y' },
  'subscription delete': { args: ['signals'], answer: 'y' },
  'token revoke': { args: ['ci'], answer: 'y' },
};

const ENVIRONMENT = { CAIRN_URL: 'http://127.0.0.1:1', CAIRN_REPO: 'acme/world' };

function call(path: string, more: readonly string[] = []) {
  const { args } = CALLS[path] ?? { args: [] };
  return [...path.split(' '), ...args, ...more];
}

function atTerminal(args: readonly string[], answer: string | undefined) {
  const stdin = Readable.from(answer === undefined ? [] : [Buffer.from(`${answer}\n`)]);
  return runCairn(args, { environment: ENVIRONMENT, isTerminal: true, stdin });
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

describe('a confirmation', () => {
  it('is tried here for every command that needs one', () => {
    expect(Object.keys(CALLS)).toEqual(Object.keys(CONFIRMED));
  });

  it('is needed by every command whose verb takes something away', () => {
    const program = createProgram({ ...processIo, setExitCode: () => {} });
    const verbs = allCommands(program)
      .map((command) => pathOf(command).replace(/^cairn ?/, ''))
      .filter((path) => /\b(delete|destroy|remove|revoke|unset|teardown|unregister|transfer|purge)/.test(path));
    expect(verbs.filter((path) => !(path in CONFIRMED))).toEqual([]);
    expect(verbs.length).toBeGreaterThan(8);
  });

  it.each(Object.keys(CALLS))('of cairn %s is --yes where there is no terminal, or JSON is asked for', async (path) => {
    const refused = { code: 2, stdout: '', stderr: expect.stringMatching(/This .*\. To confirm, add --yes\./) };
    expect(await runCairn(call(path), { environment: ENVIRONMENT })).toMatchObject(refused);
    expect(await atTerminal(call(path, ['--json']), 'y')).toMatchObject(refused);
  });

  it.each(Object.entries(CALLS))('of cairn %s is asked for at a terminal', async (path, { answer }) => {
    for (const other of ['n', '', 'no', undefined, `${answer}x`]) {
      expect(await atTerminal(call(path), other)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^This .*\.\n(Continue\? \[y\/N\]|Type .* to continue:) (\n)?Error: Nothing was done\.\n$/,
        ),
      });
    }
  });

  it.each(Object.entries(CALLS).filter(([path]) => !path.startsWith('admin')))(
    'of cairn %s, once given, lets it go on',
    async (path, { answer }) => {
      expect((await atTerminal(call(path), answer)).code).toBe(7);
      expect((await runCairn(call(path, ['--yes']), { environment: ENVIRONMENT })).code).toBe(7);
    },
  );

  it('is not needed for what can be undone', async () => {
    for (const args of [
      ['repo', 'visibility', 'acme/world', 'private'],
      ['repo', 'archive', 'acme/world'],
    ]) {
      expect((await runCairn(args, { environment: ENVIRONMENT })).code).toBe(7);
    }
  });
});
