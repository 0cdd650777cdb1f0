// Tests docs/accounts.md against a server: its settings, its pages, and its commands in order.
import { expect, it } from 'vitest';
import { readConfig } from '../packages/server/src/config.ts';
import { SETTINGS } from '../packages/server/src/settings.ts';
import { openSignedIn } from './support/cli-login.ts';
import { blocksOf, readPage } from './support/page-example.ts';

const PAGE = readPage('docs/accounts.md');
const lines = blocksOf(PAGE, 'sh').split('\n');

it('the settings of docs/accounts.md are ones that a server takes', () => {
  const given = lines.flatMap((line) => {
    const [, name = '', value = ''] = /^(CAIRN_\w+)='([^']*)'/.exec(line) ?? [];
    return name === '' ? [] : [[name, value] as const];
  });
  expect(given.map(([name]) => name)).toEqual(expect.arrayContaining(['CAIRN_OIDC_ISSUER', 'CAIRN_SMTP_URL']));
  const config = readConfig([], Object.fromEntries(given));
  expect(JSON.stringify(config)).toContain('https://login.example.com');
  const known = SETTINGS.map(({ env }) => env);
  const named = new Set([...PAGE.matchAll(/`(CAIRN_\w+)/g)].map(([, name = '']) => name));
  expect([...named].filter((name) => !known.includes(name))).toEqual([]);
});

it('the commands of docs/accounts.md do what they say', async () => {
  const { run, signIn } = await openSignedIn('sqlite');
  const commands = lines.filter((line) => line.startsWith('cairn ')).map((line) => line.replace(/ *#.*/, ''));
  expect(commands.length).toBeGreaterThan(3);
  for (const command of commands) {
    await signIn();
    const { items } = JSON.parse((await run('--json', 'auth', 'sessions')).stdout);
    const [{ id }] = items;
    const [, ...args] = command.replace('ID', id).split(' ');
    const { code, stderr } = await run(...args);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
    const ended = (await run('auth', 'sessions')).code === 3;
    expect([command, ended]).toEqual([command, command.includes('end-session')]);
  }
});

it('the pages that docs/accounts.md lists are there', async () => {
  const { url } = await openSignedIn('sqlite');
  const rows = PAGE.split('\n').filter((line) => line.startsWith('| `/auth/'));
  const paths = rows.flatMap((row) => [...row.matchAll(/`(\/auth\/[\w-]+)`/g)].map(([, path = '']) => path));
  expect(paths).toContain('/auth/account');
  for (const path of paths) {
    const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } });
    expect([path, answer.headers.get('content-type')]).toEqual([path, expect.stringContaining('text/html')]);
  }
});
