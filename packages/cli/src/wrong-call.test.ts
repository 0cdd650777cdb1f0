import { nearest } from '@cairn/protocol/nearest';
import { describe, expect, it } from 'vitest';
import { cairn } from '../../../test/support/cli.ts';

describe('a mistyped call', () => {
  it.each([
    ['a noun', ['thign', 'list'], "Unknown command 'thign'. Did you mean thing? See cairn --help."],
    ['a noun in the plural', ['repos'], 'Did you mean repo?'],
    ['an alias', ['sbu', 'list'], 'Did you mean sub?'],
    ['a verb', ['repo', 'exprot'], "Unknown command 'exprot'. Did you mean export? See cairn repo --help."],
    ['a verb below a verb', ['repo', 'checkpoint', 'creat'], 'Did you mean create? See cairn repo checkpoint --help.'],
    ['a verb of another program', ['org', 'show', 'acme'], 'Did you mean view? See cairn org --help.'],
    ['a verb of another noun', ['credential', 'rm', 'x'], 'Did you mean delete?'],
    ['a word of another program for a noun', ['record', 'list'], 'Did you mean thing?'],
    ['what there is a commit for', ['thing', 'delete', 'A/a'], 'cairn commit submit --retract NAME'],
    ['what there is a commit for too', ['thing', 'add', 'A/a'], 'cairn commit submit --add NAME --data JSON.'],
    ['a verb that is near to another', ['thing', 'set', 'A/a'], 'cairn commit submit --revise NAME --data JSON.'],
    ['a flag of commits', ['commit', 'add', 'A/a'], 'cairn commit submit --add NAME --data JSON.'],
    ['a verb that the noun has by another name', ['assertion', 'delete', 'A/a'], 'Did you mean retract?'],
    [
      'a write without its noun',
      ['add', 'A/a'],
      'Say which one: cairn assertion add, cairn collection add, cairn commit submit --add NAME --data JSON.',
    ],
    [
      'a shape without its flag',
      ['thing', 'list', 'Cave'],
      "Too many arguments for 'list'. Expected 0 arguments but got 1: Cave. Did you mean --shape Cave? See cairn thing list",
    ],
    [
      'a second condition without its flag',
      ['thing', 'query', '--shape', 'Part', '--where', 'price:gte:3', 'price:lt:9'],
      'but got 1: price:lt:9. Repeat the flag for each condition: --where price:lt:9. See cairn thing query --help.',
    ],
    [
      'one more word than a list with a shape takes',
      ['thing', 'query', '--shape', 'Part', 'bolt'],
      "Too many arguments for 'query'. Expected 0 arguments but got 1: bolt. See cairn thing query --help.",
    ],
    [
      'a verb of one noun alone',
      ['whoami'],
      "Unknown command 'whoami'. Did you mean cairn auth whoami? See cairn --help.",
    ],
    ['a verb that one noun has as an alias', ['list'], ' cairn thing list, cairn assertion list, '],
    ['a verb without its noun', ['archive'], 'Say which one: cairn org archive, cairn repo archive.'],
    [
      'set-up, with the link as a word',
      ['setup', 'http://localhost:8787/auth/setup?code=abc'],
      "Did you mean --code 'http://localhost:8787/auth/setup?code=abc'? See cairn setup --help.",
    ],
    [
      'set-up below a noun',
      ['auth', 'setup'],
      "Unknown command 'setup'. Did you mean cairn setup --code LINK, with the link that the server printed? See cairn auth",
    ],
    ['set-up by the word of other programs', ['init'], 'Did you mean cairn setup --code LINK, '],
    [
      'a server',
      ['server'],
      'Did you mean cairn serve? To create the first owner of a running server: cairn setup --code LINK. See cairn --help.',
    ],
    ['a command that has no noun, below one', ['auth', 'doctor'], 'Did you mean cairn doctor?'],
    [
      'a global flag',
      ['--jsn', 'org', 'list'],
      "Unknown option '--jsn'. Did you mean --json? See cairn org list --help.",
    ],
    ['a flag', ['thing', 'list', '--shap', 'A'], 'Did you mean --shape? See cairn thing list --help.'],
    ['a choice of a flag', ['thing', 'list', '--kind', 'asertion'], 'Did you mean assertion?'],
    ['a choice of an argument', ['repo', 'content', 'get', 'agent'], 'Did you mean agents?'],
    ['a format', ['--format', 'jsnol', 'org', 'list'], 'Did you mean jsonl?'],
    ['a scope', ['token', 'create', 'x', '--scope', 'repo:raed'], 'Did you mean repo:read?'],
    ['a role', ['token', 'create', 'x', '--scope', 'role:ownr'], 'Did you mean role:owner?'],
  ])('of %s ends with 2, and says what was meant', async (_, args, message) => {
    expect(await cairn(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('of something far from everything guesses nothing', async () => {
    const { stderr } = await cairn(['thing', 'list', '--kind', 'zzz']);
    expect(stderr).not.toContain('Did you mean');
  });

  it('is one line of JSON with --json', async () => {
    const { code, stderr } = await cairn(['--json', 'repo', 'exprot']);
    expect([code, JSON.parse(stderr).error]).toEqual([
      2,
      { code: 'USAGE', message: expect.stringContaining('Did you mean export?') },
    ]);
  });
});

describe('the nearest word', () => {
  it.each([
    ['lits', ['list', 'get'], ['list']],
    ['ge', ['get', 'set'], ['get']],
    ['et', ['get', 'set'], ['get', 'set']],
    ['LIST', ['list'], ['list']],
    ['x', ['on', 'off'], []],
    ['', ['on', 'off'], []],
  ])('to %s of %j is %j', (word, candidates, near) => {
    expect(nearest(word, candidates)).toEqual(near);
  });
});
