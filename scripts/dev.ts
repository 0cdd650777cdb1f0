// `npm run dev`: a server with a demo repository and a token, in a temporary folder of its own, so that the demo always
// shows what this checkout can do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { pino } from 'pino';
import { readConfig } from '../packages/server/src/config.ts';
import { createAccount, createToken, EVERYTHING } from '../packages/server/src/operations/account.ts';
import { startServer } from '../packages/server/src/server.ts';

const data = mkdtempSync(join(tmpdir(), 'cairn-dev-'));
process.on('exit', () => rmSync(data, { recursive: true, force: true }));

const config = readConfig(process.argv.slice(2), { ...process.env, CAIRN_DATA: data, CAIRN_DATABASE_URL: '' });
const server = await startServer(config, pino({ level: config.logLevel, base: null }), { checkOutput: true });
const { store, url } = server;

const email = 'demo@example.com';
await createAccount(store, { email, name: 'demo', password: 'demo-demo-demo', operator: true });
const { token } = await createToken(store, { email, name: 'dev', scopes: EVERYTHING });
const { repo } = new CairnClient({ url, token });
await repo.create('demo', 'world', { visibility: 'public', description: 'A small world to try things on' });
await repo.create('demo', 'notebook', { description: 'For yourself alone' });

console.error(`Cairn is at ${url}, with the repositories demo/world and demo/notebook. Try:

  export CAIRN_URL=${url} CAIRN_TOKEN=${token}
  npx cairn repo list
  npx cairn repo view demo/world
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await server.stop();
    process.exit(0);
  });
}
