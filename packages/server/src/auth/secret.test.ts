import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ENGINES, openTestStore } from '../../../../test/support/store.ts';
import { checkSecret, deriveKey, loadSecret, SecretError } from './secret.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('the key file', () => {
  it('is made once, readable by its owner alone', () => {
    const folder = join(temporaryFolder(), 'data');
    const first = loadSecret({ given: undefined, folder });
    expect(first.length).toBeGreaterThanOrEqual(43);
    expect(loadSecret({ given: undefined, folder })).toBe(first);
    expect(statSync(join(folder, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  it('is not made when a secret is given', () => {
    const folder = join(temporaryFolder(), 'data');
    expect(loadSecret({ given: 'given', folder })).toBe('given');
    expect(() => statSync(folder)).toThrow('ENOENT');
  });

  it('is refused when it is damaged, not replaced', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'secret.key'), 'short');
    expect(() => loadSecret({ given: undefined, folder })).toThrow(SecretError);
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
    await expect(checkSecret(store, 'another')).rejects.toThrow('Set CAIRN_SECRET to the one of the other nodes');
    const rows = await store.database.query('select value from server_fact');
    expect(JSON.stringify(rows)).not.toContain('the secret of');
  });
});
