// `npm run dev`: a server with a demo repository and a token, in a temporary folder of its own, so that the demo always
// shows what this checkout can do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { readConfig } from '../packages/server/src/config.ts';
import { createAccount, createToken, EVERYTHING } from '../packages/server/src/operations/account.ts';
import { startServer } from '../packages/server/src/server.ts';
import { createDevLog } from './dev-log.ts';

if (process.argv.includes('--help')) {
  console.log(
    'Serves a demo repository from a folder that is thrown away, and prints a token for it. Flags are those of npm start.',
  );
  process.exit();
}

const data = mkdtempSync(join(tmpdir(), 'cairn-dev-'));
process.on('exit', () => rmSync(data, { recursive: true, force: true }));

const config = readConfig(process.argv.slice(2), { ...process.env, CAIRN_DATA: data, CAIRN_DATABASE_URL: '' });
const { log, tellAll } = createDevLog({ level: config.logLevel, isTerminal: process.stdout.isTTY });
const server = await startServer(config, log, { checkOutput: true });
const { store, url } = server;

const email = 'demo@example.com';
await createAccount(store, { email, name: 'demo', password: 'demo-demo-demo', operator: true });
const { token } = await createToken(store, { email, name: 'dev', scopes: EVERYTHING });
const { repo, shape, commit } = new CairnClient({ url, token });
await repo.create('demo', 'world', { visibility: 'public', description: 'A small world to try things on' });
await repo.create('demo', 'notebook', { description: 'For yourself alone' });
await shape.create('demo', 'world', 'Location', {
  description: 'A place that one can walk to',
  fields: {
    x: 'number',
    y: 'number',
    'label?': 'string',
    danger: { type: 'number', minimum: 0, maximum: 1, indexed: true },
  },
});
await commit.submit('demo', 'world', {
  message: 'The valley',
  operations: [
    { name: 'Content/Readme', data: { content: '# A small world\n\nTwo places, and what became of them.\n' } },
    { name: 'Location/cave', data: { x: 3, y: 4, label: 'The old cave', danger: 0.2 } },
    { name: 'Location/bridge', data: { x: 5, y: 1, danger: 0.1 } },
  ],
});
await commit.submit('demo', 'world', {
  message: 'After the storm',
  operations: [
    { operation: 'revise', name: 'Location/cave', data: { x: 3, y: 4, label: 'The old cave', danger: 0.9 } },
    { operation: 'retract', name: 'Location/bridge', reason: 'washed away' },
  ],
});
await shape.create('demo', 'world', 'Belief', { fields: { safe: 'boolean' } });
await commit.submit('demo', 'world', {
  message: 'What is said about it',
  operations: [{ name: 'Belief/cave', about: 'Location/cave', data: { safe: false } }],
});

console.error(`
Cairn is at ${url}, with the repositories demo/world and demo/notebook. Try:

  export CAIRN_URL=${url} CAIRN_TOKEN=${token} CAIRN_REPO=demo/world
  npx cairn commit log
  npx cairn thing history Location/cave
  npx cairn thing get Location/bridge --at 2
  npx cairn thing get Belief/cave
  npx cairn commit submit --add Location/hut --data '{"x":1,"y":2,"danger":0}'

What it is asked from now on is logged below. Ctrl-C ends it, and throws the demo away.
`);
tellAll();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await server.stop();
    process.exit(0);
  });
}
