import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TEST_SECRET } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, testFolder } from '../../../../test/support/server.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { openCredentials } from '../action/delivery/credential-set.ts';
import type { Engine } from '../engine/database.ts';
import { deriveKeys } from '../server.ts';
import { adoptKey, openSecret, stageKey } from './secret.ts';
import { rotateSecret } from './signing-keys.ts';

const SET = { orgName: 'acme', name: 'hooks' };

async function prepare(engine: Engine) {
  const { app, store } = await createTestApp(engine);
  const owner = caller(app, await createOwnerToken(store));
  (await owner('org.create', { name: 'acme' })).data();
  (await owner('credential.create', SET)).data();
  const keys = { WEBHOOK_BEARER_TOKEN: 'a token', WEBHOOK_API_KEY: 'a key' };
  (await owner('credential.setKeys', { ...SET, keys })).data();
  const rows = await store.database.query<{ id: string; home: number }>(
    'select credential_set_id as id, repo_id as home from credential_set',
  );
  const open = async (secret: string) => {
    const found = await openCredentials(
      { store, keys: deriveKeys(secret) },
      {
        ...{ homeId: rows[0]?.home ?? 0, credentialSetId: rows[0]?.id ?? '', actor: 'subscription:s' },
        ...{ target: 'webhook', origin: 'https://a.example', details: {} },
      },
    );
    if ('code' in found) throw new Error(found.code);
    return found.headersFor({ id: 'run_1', at: new Date(), body: '' });
  };
  return { store, owner, keys, open };
}

const HEADERS = { authorization: 'Bearer a token', 'x-api-key': 'a key' };
const NEW_SECRET = 'the secret of the server after it was rotated';

describe.each(ENGINES)('another secret on %s', (engine) => {
  it('opens what the one before has sealed, which itself opens nothing more', async () => {
    const { store, owner, open } = await prepare(engine);
    const source = { given: TEST_SECRET, folder: testFolder() };
    await openSecret(store, source);
    expect(await open(TEST_SECRET)).toEqual(HEADERS);
    expect(await rotateSecret(store, { from: TEST_SECRET, to: NEW_SECRET })).toEqual({ credentialValues: 2 });
    expect(await open(NEW_SECRET)).toEqual(HEADERS);
    await expect(open(TEST_SECRET)).rejects.toThrow();
    await openSecret(store, { ...source, given: NEW_SECRET });
    await expect(openSecret(store, source)).rejects.toThrow('belongs to another secret');
    const [entry] = (await owner('audit.list', { orgName: 'ada', action: 'admin.rotateSecret' })).data().items;
    expect(entry).toMatchObject({ actor: 'operator', target: 'server', details: { credentialValues: 2 } });
  });

  it('lets no node that still has the one before seal anything', async () => {
    const { store, owner, keys, open } = await prepare(engine);
    await openSecret(store, { given: TEST_SECRET, folder: testFolder() });
    await rotateSecret(store, { from: TEST_SECRET, to: NEW_SECRET });
    const refusal = await owner('credential.setKeys', { ...SET, keys });
    expect([refusal.status, refusal.code]).toEqual([503, 'UNAVAILABLE']);
    expect(await open(NEW_SECRET)).toEqual(HEADERS);
  });

  it('comes whole or not at all', async () => {
    const { store, open } = await prepare(engine);
    await openSecret(store, { given: TEST_SECRET, folder: testFolder() });
    const rotation = { from: 'not the fingerprint', to: 'another', values: [] };
    await expect(store.write.rotateSecret(rotation)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(rotateSecret(store, { from: NEW_SECRET, to: TEST_SECRET })).rejects.toThrow();
    expect(await open(TEST_SECRET)).toEqual(HEADERS);
  });
});

describe.each(ENGINES)('a new key file on %s', (engine) => {
  async function begin() {
    const { store } = await createTestApp(engine);
    const source = { given: undefined, folder: testFolder() };
    const file = join(source.folder, 'secret.key');
    return { store, source, file, before: await openSecret(store, source) };
  }

  it('takes the place of the old one', async () => {
    const { store, source, file, before } = await begin();
    const staged = stageKey(source.folder);
    await rotateSecret(store, { from: before, to: staged });
    adoptKey(source.folder);
    expect([await openSecret(store, source), readFileSync(file, 'utf8').trim()]).toEqual([staged, staged]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.next`)).toBe(false);
  });

  it('is taken up at the next start when a crash came after the database was changed', async () => {
    const { store, source, file, before } = await begin();
    const staged = stageKey(source.folder);
    await rotateSecret(store, { from: before, to: staged });
    expect(await openSecret(store, source)).toBe(staged);
    expect(readFileSync(file, 'utf8').trim()).toBe(staged);
  });

  it('is nothing when a crash came before, and another follows', async () => {
    const { store, source, before } = await begin();
    const lost = stageKey(source.folder);
    expect(await openSecret(store, source)).toBe(before);
    const staged = stageKey(source.folder);
    expect(staged).not.toBe(lost);
    await rotateSecret(store, { from: before, to: staged });
    expect(await openSecret(store, source)).toBe(staged);
  });
});
