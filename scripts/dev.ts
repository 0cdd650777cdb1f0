// `npm run dev`: a server with a demo repository and a token, in a folder of its own. Made anew at each start, so that
// the demo always shows what this checkout can do.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../packages/server/src/config.ts';
import { createAccount, createToken, EVERYTHING } from '../packages/server/src/operations/account.ts';
import { startServer } from '../packages/server/src/server.ts';

const data = join(import.meta.dirname, '../data/dev');
rmSync(data, { recursive: true, force: true });

const config = readConfig(process.argv.slice(2), { ...process.env, CAIRN_DATA: data, CAIRN_DATABASE_URL: '' });
const server = await startServer(config, pino({ level: config.logLevel, base: null }), { checkOutput: true });
const { store, url } = server;

const email = 'demo@example.com';
await createAccount(store, { email, name: 'demo', password: 'demo-demo-demo', operator: true });
const { token } = await createToken(store, { email, name: 'dev', scopes: EVERYTHING });
await store.write('createRepository', {
  orgName: 'demo',
  name: 'world',
  description: 'A small world to try things on',
  visibility: 'public',
});

console.error(`Cairn is at ${url}, with the repository demo/world. Try:

  export CAIRN_URL=${url} CAIRN_TOKEN=${token}
  npx cairn --repo demo/world repo view
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await server.stop();
    process.exit(0);
  });
}
