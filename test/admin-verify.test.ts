// `cairn admin verify` as an operator uses it, with the server running: on sound data and on damaged data.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { connect, createRepository, serve, startWriting, stop, temporaryFolder } from './support/backup.ts';
import { settingsOf, startCairn } from './support/server.ts';
import { testLocation, UPPER_ENGINES } from './support/store.ts';
import { IS_LONG } from './support/suite.ts';

async function verify(environment: Record<string, string>, ...args: string[]) {
  const cli = startCairn(['admin', 'verify', ...args], environment);
  const { code } = await cli.ended();
  return { code, output: cli.output() };
}

describe.each(UPPER_ENGINES)('cairn admin verify on %s', (engine) => {
  it('finds nothing wrong beside a server that writes, and says so', async () => {
    const location = await testLocation(engine);
    const settings = settingsOf(location);
    const token = await createRepository(location);
    const server = serve(settings);
    const writing = await startWriting(await connect(server, token));
    await writing.reach(50);
    for (let run = 0; run < (IS_LONG ? 3 : 1); run++) {
      expect(await verify(settings)).toEqual({
        code: 0,
        output: expect.stringContaining('1 repository was checked. Everything is as it was written.'),
      });
    }
    await writing.stop();
    await stop(server);
    const found = await verify(settings, 'ada/world', '--json');
    expect(JSON.parse(found.output)).toEqual({ repositories: 1, purged: 0, differences: 0, told: [] });
    expect(await verify(settings, 'ada/none')).toEqual({
      code: 4,
      output: expect.stringContaining('There is no repository ada/none here.'),
    });
  });
});

describe('cairn admin verify', () => {
  it('says what differs, and ends with 1', async () => {
    const location = await testLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    const token = await createRepository(location);
    const server = serve(settingsOf(location));
    const client = await connect(server, token);
    await client.shape.create('ada', 'world', 'Note', { fields: { text: 'string' } });
    await client.commit.submit('ada', 'world', { operations: [{ name: 'Note/a', data: { text: 'as it was' } }] });
    await stop(server);
    const data = temporaryFolder();
    mkdirSync(data, { recursive: true });
    copyFileSync(location.file, join(data, 'cairn.db'));
    const damaging = new DatabaseSync(join(data, 'cairn.db'));
    damaging.exec(`update version set data = replace(data, 'as it was', 'as it is') where record_id = 2`);
    damaging.close();
    const { code, output } = await verify({ CAIRN_DATA: data });
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining('ada/world: record 2: version 1: its hash does not match its data'),
    });
    expect(output).toContain('1 repository was checked, and 1 thing differs.');
  });
});
