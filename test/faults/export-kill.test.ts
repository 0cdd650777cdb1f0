// The server is killed while it builds an export. The next server resumes the build, and the file is complete.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createToken, EVERYTHING } from '../../packages/server/src/account/account.ts';
import { openStore, type Store } from '../../packages/server/src/store.ts';
import { parseExport } from '../support/export.ts';
import { sha256Of } from '../support/export-job.ts';
import { addTestRepository } from '../support/repository.ts';
import { settingsOf, startServerProcess, type TestProcess } from '../support/server.ts';
import { ENGINES, testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';

const RECORDS = amount('EXPORT_KILL_RECORDS', { short: 40, long: 80 });
const RECORD_BYTES = 900_000;

describe.each(ENGINES)('kill -9 of a server that builds an export on %s', (engine) => {
  it('costs time, and no byte of it', async () => {
    const location = await testLocation(engine);
    const settings = settingsOf(location);
    const store = await openStore(location);
    const { commit } = await addTestRepository(store, 'acme');
    await commit([{ kind: 'shape', name: 'Page', data: { fields: {} } }]);
    for (let n = 0; n < RECORDS; n++) {
      await commit([{ name: `Page/${n}`, data: { text: String(n % 10).repeat(RECORD_BYTES) } }]);
    }
    const bearer = { authorization: `Bearer ${await tokenOf(store)}` };
    await store.close();
    const folder = join(settings.CAIRN_DATA ?? '', 'blobs');
    const drafts = () => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.part')) : []);

    const first = serve(settings);
    const minted = await fetch(`${await exportOf(first)}?prefer=async`, { headers: bearer });
    const { exportToken } = (await minted.json()) as { exportToken: string };
    await expect.poll(() => drafts().length, { interval: 1 }).toBe(1);
    first.child.kill('SIGKILL');
    await first.ended();
    expect(drafts()).toHaveLength(1);

    const path = await exportOf(serve(settings));
    const redeem = () => fetch(`${path}?token=${exportToken}`, { headers: bearer });
    expect((await redeem()).status).toBe(202);
    await expect.poll(async () => (await redeem()).status, { interval: 200 }).toBe(200);
    const complete = (await (await redeem()).json()) as Record<'url' | 'contentSha256' | 'recordCount', string>;
    const bytes = new Uint8Array(await (await fetch(complete.url)).arrayBuffer());
    // Fetched before the whole file is checked, which takes longer than the server keeps an idle connection.
    const stream = await (await fetch(path, { headers: bearer })).text();
    expect(sha256Of(bytes)).toBe(complete.contentSha256);
    const built = parseExport(new TextDecoder().decode(bytes));
    expect([built.recordCount, built.lines.length]).toEqual([RECORDS + 1, complete.recordCount]);
    const streamed = parseExport(stream);
    expect(sha256Of(built.lines.join('\n'))).toBe(sha256Of(streamed.lines.join('\n')));
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/-2$/)]);
  });
});

async function tokenOf(store: Store): Promise<string> {
  const { token } = await createToken(store, { email: 'acme@example.com', name: 'all', scopes: EVERYTHING });
  return token;
}

function serve(settings: Record<string, string>): TestProcess {
  const environment = { PORT: '0', CAIRN_LOG_LEVEL: 'silent', ...settings };
  return startServerProcess(environment);
}

async function exportOf(server: TestProcess): Promise<string> {
  const [, url = ''] = await server.printed(/is at (\S+) /);
  return `${url}/api/repos/acme/world/export`;
}
