// Modules that only some servers or requests need are loaded on first use. Loading them at every start would cost
// memory and time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT, settingsOf } from './support/server.ts';
import { testLocation } from './support/store.ts';

const LATER = [
  '@modelcontextprotocol/server',
  'koa',
  'nodemailer',
  'oidc-provider',
  'pg',
  '@bradenmacdonald/s3-lite-client',
];

it('a server that starts loads no package before it is needed', async () => {
  const location = await testLocation('sqlite');
  const server = fork(join(ROOT, 'run.mjs'), [join(ROOT, 'packages/server/src/main.ts')], {
    execArgv: ['--import', join(import.meta.dirname, 'support/loaded-packages.mjs')],
    env: { ...process.env, ...settingsOf(location), PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await once(server, 'exit');
  });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (text: Buffer) => (output += text));
  await expect.poll(() => /is at (\S+) /.exec(output)?.[1], { timeout: 60_000 }).toBeDefined();
  const url = /is at (\S+) /.exec(output)?.[1] ?? '';
  const loaded = async () => {
    server.send('which');
    const [names] = (await once(server, 'message')) as [string[]];
    return names;
  };
  await fetch(`${url}/health/ready`);
  const atFirst = await loaded();
  expect(atFirst).toContain('zod');
  expect(atFirst.filter((name) => LATER.includes(name))).toEqual([]);
  await fetch(`${url}/.well-known/openid-configuration`);
  expect(await loaded()).toContain('oidc-provider');
});
