// `npm run dev`: starts a server with a demo repository and a token. It uses a new temporary folder, so that the demo
// always shows what this checkout can do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { createAccount, createToken, EVERYTHING } from '../packages/server/src/account/account.ts';
import { readConfig, startExitCode, startProblem } from '../packages/server/src/config.ts';
import { createLog } from '../packages/server/src/log.ts';
import { startServer } from '../packages/server/src/server.ts';
import { writeValley } from '../packages/web/src/features/home/valley.ts';
import { buildWeb } from './build-web.ts';

if (process.argv.includes('--help')) {
  console.log(
    'Serves a demo repository from a temporary folder, and prints a token for it. Takes the flags of npm start.',
  );
  process.exit();
}

await buildWeb();
const data = mkdtempSync(join(tmpdir(), 'cairn-dev-'));
process.on('exit', () => rmSync(data, { recursive: true, force: true }));

const config = readConfig(process.argv.slice(2), { ...process.env, CAIRN_DATA: data, CAIRN_DATABASE_URL: '' });
const log = createLog(config.logLevel);
// On a terminal, the requests that fill the demo would push the greeting away.
if (process.stdout.isTTY && log.isLevelEnabled('warn')) log.level = 'warn';
const server = await startServer(config, log, { checkOutput: true }).catch((error: unknown) => {
  console.error(startProblem(error));
  process.exit(startExitCode(error));
});
const { store, url } = server;

const [email, password] = ['demo@example.com', 'demo-demo-demo'];
await createAccount(store, { email, name: 'demo', password, operator: true });
const { token } = await createToken(store, { email, name: 'dev', scopes: EVERYTHING });
const client = new CairnClient({ url, token });
await writeValley(client, 'demo', { visibility: 'public' });
await client.repo.create('demo', 'notebook', { description: 'For yourself alone' });
console.error(`
Cairn is at ${url}, with the repositories demo/valley and demo/notebook. Open it in a browser, and sign in as
${email} with the password ${password} to see both. Or try:

  export CAIRN_URL=${url} CAIRN_TOKEN=${token} CAIRN_REPO=demo/valley
  npx cairn commit log
  npx cairn thing history Location/cave
  npx cairn thing get Location/bridge --at 2
  npx cairn thing about Location/cave
  npx cairn commit submit --add Location/hut --data '{"x":1,"y":2,"danger":0}'

The log of later requests follows. Ctrl-C stops the server and deletes the demo.
`);
log.level = config.logLevel;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await server.stop();
    process.exit(0);
  });
}
