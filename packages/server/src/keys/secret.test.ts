import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENGINES, openTestStore } from '../../../../test/support/store.ts';
import { checkSecret, deriveKey, openSecret, SecretError, stageKey } from './secret.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('the key file', () => {
  it('is made once, readable by its owner alone', async () => {
    const [store, folder] = [await openTestStore('sqlite'), join(temporaryFolder(), 'data')];
    const first = await openSecret(store, { given: undefined, folder });
    expect(first.length).toBeGreaterThanOrEqual(43);
    expect(await openSecret(store, { given: undefined, folder })).toBe(first);
    expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['secret.key']);
  });

  it('is one for all that start at once', async () => {
    const [store, folder] = [await openTestStore('sqlite'), temporaryFolder()];
    const secrets = await Promise.all(Array.from({ length: 8 }, () => openSecret(store, { given: undefined, folder })));
    expect(new Set(secrets).size).toBe(1);
    expect(readFileSync(join(folder, 'secret.key'), 'utf8').trim()).toBe(secrets[0]);
  });

  it('gets its name at the next start, when the first one was cut short', async () => {
    const [store, folder] = [await openTestStore('sqlite'), temporaryFolder()];
    const source = { given: undefined, folder };
    const staged = stageKey(folder);
    expect(await openSecret(store, source)).toBe(staged);
    renameSync(join(folder, 'secret.key'), join(folder, 'secret.key.next'));
    expect(await openSecret(store, source)).toBe(staged);
    expect(readdirSync(folder)).toEqual(['secret.key']);
  });

  it('is refused beside a database that is empty, and left as it is', async () => {
    const folder = temporaryFolder();
    const secret = await openSecret(await openTestStore('sqlite'), { given: undefined, folder });
    const empty = openSecret(await openTestStore('sqlite'), { given: undefined, folder });
    await expect(empty).rejects.toThrow(/^The database is empty, but .*secret\.key belongs to a database with data/);
    expect(readFileSync(join(folder, 'secret.key'), 'utf8').trim()).toBe(secret);
  });

  it('is taken from a node that makes it between the reads of this one', async () => {
    const [store, folder] = [await openTestStore('sqlite'), temporaryFolder()];
    const source = { given: undefined, folder };
    let made: string | undefined;
    const query: typeof store.database.query = async (sql, params) => {
      const rows = await store.database.query<never>(sql, params);
      made ??= await openSecret(store, source);
      return rows;
    };
    const late = { ...store, database: { ...store.database, query } };
    expect(await openSecret(late, source)).toBe(made);
  });

  it('is not made when a secret is given, or beside a database that has another', async () => {
    const [store, folder] = [await openTestStore('sqlite'), join(temporaryFolder(), 'data')];
    expect(await openSecret(store, { given: 'given', folder })).toBe('given');
    await expect(openSecret(store, { given: undefined, folder })).rejects.toThrow('belongs to another secret');
    expect(() => statSync(folder)).toThrow('ENOENT');
  });

  it('is refused when it is damaged, not replaced', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret.key'), 'short');
    await expect(openSecret(await openTestStore('sqlite'), { given: undefined, folder })).rejects.toThrow(SecretError);
  });
});

it('gives another key for each purpose', () => {
  expect(deriveKey('s', 'a')).toHaveLength(32);
  expect(deriveKey('s', 'a')).toEqual(deriveKey('s', 'a'));
  expect(deriveKey('s', 'a')).not.toEqual(deriveKey('s', 'b'));
  expect(deriveKey('s', 'a')).not.toEqual(deriveKey('t', 'a'));
});

describe.each(ENGINES)('the fingerprint on %s', (engine) => {
  it('refuses a node with another secret, and does not hold the secret', async () => {
    const store = await openTestStore(engine);
    await checkSecret(store, 'the secret of this server');
    await checkSecret(store, 'the secret of this server');
    await expect(checkSecret(store, 'another')).rejects.toThrow('Set CAIRN_SECRET to the secret of the other nodes');
    const rows = await store.database.query('select value from server_fact');
    expect(JSON.stringify(rows)).not.toContain('the secret of');
  });
});
