import { expect, it } from 'vitest';
import { cairn, openRepository } from '../../../test/support/cli.ts';

interface Case {
  readonly code: number;
  readonly why: string;
  readonly args: readonly string[];
  readonly environment?: Record<string, string>;
}

const AWAY = { CAIRN_URL: 'http://127.0.0.1:1' };
const NOBODY = { CAIRN_TOKEN: '' };

const CASES: readonly Case[] = [
  { code: 0, why: 'done', args: ['org', 'list'] },
  { code: 0, why: 'help was asked for', args: ['thing', '--help'] },
  { code: 0, why: 'nothing to show', args: ['thing', 'list', '--shape', 'Room', '--match', 'Room/zzz*'] },
  {
    code: 1,
    why: 'refused: the data does not fit',
    args: ['commit', 'submit', '--add', 'Room/b', '--data', '{"x":"y"}'],
  },
  {
    code: 1,
    why: 'refused: no right to',
    args: ['repo', 'delete', 'ada/world', '--yes'],
    environment: { CAIRN_TOKEN: 'READER' },
  },
  { code: 1, why: 'refused: JSON that is no operation', args: ['commit', 'submit', '--ops', '[3]'] },
  { code: 1, why: 'the same for programs', args: ['commit', 'submit', '--ops', '[3]', '--json'] },
  { code: 2, why: 'no such command', args: ['thing', 'frob'] },
  { code: 2, why: 'no verb', args: ['thing'] },
  { code: 2, why: 'no such flag', args: ['thing', 'list', '--frob'] },
  { code: 2, why: 'an argument is missing', args: ['thing', 'get'] },
  { code: 2, why: 'a name that cannot be', args: ['repo', 'create', 'ada/.world'] },
  {
    code: 2,
    why: 'a name that cannot be, of a record',
    args: ['commit', 'submit', '--add', '1Room/a', '--data', '{}'],
  },
  { code: 2, why: 'no condition', args: ['thing', 'query', '--shape', 'Room', '--where', 'x:foo:3'] },
  { code: 2, why: 'a condition on no field', args: ['thing', 'query', '--shape', 'Room', '--where', 'y:gt:3'] },
  { code: 2, why: 'a condition without a shape', args: ['thing', 'query', '--where', 'x:gt:3'] },
  { code: 2, why: 'no glob', args: ['thing', 'list', '--match', '[['] },
  { code: 2, why: 'no order', args: ['thing', 'list', '--order', 'size'] },
  { code: 2, why: 'more than a page has', args: ['thing', 'list', '--limit', '1000'] },
  { code: 2, why: 'no cursor', args: ['thing', 'list', '--cursor', 'zzz'] },
  { code: 2, why: 'a sequence that is not there yet', args: ['thing', 'list', '--at', '999'] },
  { code: 2, why: 'the same of an export', args: ['repo', 'export', '-', '--at', '999'] },
  { code: 2, why: 'no id of a stream', args: ['stream', 'status', 'not/good'] },
  { code: 2, why: 'a file that is not there', args: ['commit', 'submit', '--file', '/none.json'] },
  { code: 2, why: 'no confirmation', args: ['repo', 'delete', 'ada/world'] },
  { code: 3, why: 'a token that is not taken', args: ['thing', 'list'], environment: { CAIRN_TOKEN: 'stale' } },
  { code: 3, why: 'no token', args: ['commit', 'submit', '--add', 'Room/b', '--data', '{}'], environment: NOBODY },
  { code: 4, why: 'no such record', args: ['thing', 'get', 'Room/none'] },
  { code: 4, why: 'one of several records', args: ['thing', 'get', 'Room/a', 'Room/none'] },
  { code: 4, why: 'no such repository', args: ['repo', 'view', 'ada/none'] },
  { code: 4, why: 'one that may not be seen', args: ['repo', 'view', 'ada/private'], environment: NOBODY },
  { code: 5, why: 'it is there already', args: ['repo', 'create', 'ada/world'] },
  {
    code: 5,
    why: 'somebody was faster',
    args: ['commit', 'submit', '--revise', 'Room/a', '--data', '{"x":2}', '--expected-version', '7'],
  },
  { code: 5, why: 'archived', args: ['shape', 'create', 'A', '--fields', '{}', '--repo', 'ada/archived'] },
  {
    code: 6,
    why: 'partly applied',
    args: [
      'commit',
      'submit',
      '--no-atomic',
      '--ops',
      '[{"name":"Room/c","data":{"x":1}},{"name":"Room/d","data":{"x":"y"}}]',
    ],
  },
  { code: 7, why: 'no server', args: ['thing', 'list'], environment: AWAY },
  { code: 7, why: 'no server to diagnose', args: ['doctor'], environment: AWAY },
];

it('tells a script what happened', async () => {
  const { environment, client, json } = await openRepository('sqlite');
  for (const name of ['private', 'archived']) await json('repo', 'create', `ada/${name}`);
  await json('repo', 'archive', 'ada/archived');
  await json('repo', 'visibility', 'ada/world', 'public', '--yes');
  await json('shape', 'create', 'Room', '--fields', '{"x":"number"}');
  await json('commit', 'submit', '--add', 'Room/a', '--data', '{"x":1}');
  const scopes = [{ permissions: ['repo:read' as const] }];
  const { token } = await client.token.create('reader', { scopes });
  const asked = async ({ args, environment: own = {} }: Case) => {
    const all = { ...environment, ...own };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    const { code } = await cairn(args, own.CAIRN_TOKEN === 'READER' ? { ...given, CAIRN_TOKEN: token } : given);
    return code;
  };
  const found: [number, string][] = [];
  for (const row of CASES) found.push([await asked(row), row.why]);
  expect(found).toEqual(CASES.map(({ code, why }) => [code, why]));
  expect(new Set(CASES.map(({ code }) => code))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]));
});
