// Failing backups and restores, and what they leave behind. test/backup.test.ts has those of a running server.
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { type Migration, migrate, readMigrations } from '../engine/migration.ts';
import { openSqliteWriter } from '../engine/sqlite/sqlite.ts';
import { openSecret } from '../keys/secret.ts';
import { openStore } from '../store.ts';
import { backUp, type OnProgress } from './backup.ts';
import { restore } from './restore.ts';

const SECRET = 'a secret of more than thirty-two characters';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function createData(secret?: string) {
  const home = temporaryFolder();
  const data = join(home, 'data');
  mkdirSync(join(data, 'blobs', '7'), { recursive: true });
  copyFileSync(inject('sqliteTemplate'), join(data, 'cairn.db'));
  const store = await openStore({ engine: 'sqlite', file: join(data, 'cairn.db') });
  await openSecret(store, { given: secret, folder: data });
  await store.close();
  writeFileSync(join(data, 'blobs', '7', 'first'), 'a'.repeat(100_000));
  writeFileSync(join(data, 'blobs', 'second'), '');
  return { home, data, folder: join(home, 'backup'), other: join(home, 'other') };
}

interface Given {
  readonly data: string;
  readonly folder: string;
  readonly secret?: string | undefined;
  readonly onProgress?: OnProgress;
}

const request = ({ data, folder, secret, onProgress = () => {} }: Given) => {
  return { data, folder, secret, onProgress, blobs: join(data, 'blobs') };
};

async function createBackup(secret?: string) {
  const places = await createData(secret);
  const result = await backUp(request({ ...places, secret }));
  const into = (data: string, given?: string) => restore(request({ data, folder: places.folder, secret: given }));
  return { ...places, result, into };
}

const below = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();

it('copies everything that cannot be made anew, for its owner alone, and puts it back', async () => {
  const { data, folder, other, result, into } = await createBackup();
  expect(below(data)).toContain('usage.db');
  const files = ['blobs/7/first', 'blobs/second', 'cairn.db', 'secret.key'];
  expect(below(folder)).toEqual(['blobs', 'blobs/7', ...files, 'manifest.json'].sort());
  for (const path of ['', ...below(folder)]) {
    const found = statSync(join(folder, path));
    expect([path, found.mode & 0o777]).toEqual([path, found.isDirectory() ? 0o700 : 0o600]);
  }
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ format: 'cairn-backup', version: 1, engine: 'sqlite', createdAt: result.createdAt });
  expect(manifest.files.map(({ path }: { path: string }) => path).sort()).toEqual(files);
  expect(result).toMatchObject({ folder, files: 4, secretIncluded: true, integrity: 'ok' });
  expect(await into(other)).toMatchObject({ data: other, files: 4, bytes: result.bytes, secretNeeded: false });
  expect(below(other)).toEqual(['blobs', 'blobs/7', ...files].sort());
  for (const file of files) expect(readFileSync(join(other, file))).toEqual(readFileSync(join(folder, file)));
});

it('leaves out a secret that the settings have, and asks for it again', async () => {
  const { home, folder, result, into } = await createBackup(SECRET);
  expect(result.secretIncluded).toBe(false);
  expect(below(folder)).not.toContain('secret.key');
  expect(await into(join(home, 'one'))).toMatchObject({ secretNeeded: true });
  expect(await into(join(home, 'two'), SECRET)).toMatchObject({ secretNeeded: false });
  await expect(into(join(home, 'three'), 'x'.repeat(40))).rejects.toThrow(
    /CAIRN_SECRET is not the secret of the server/,
  );
  expect(below(join(home, 'three'))).toEqual(['blobs']);
});

it('makes no backup with a secret that does not fit, or of a damaged database', async () => {
  const { home, data, folder } = await createData();
  await expect(backUp(request({ data, folder, secret: SECRET }))).rejects.toThrow(/belongs to another secret/);
  const key = readFileSync(join(data, 'secret.key'));
  rmSync(join(data, 'secret.key'));
  await expect(backUp(request({ data, folder }))).rejects.toThrow(/put its secret\.key/);
  writeFileSync(join(data, 'secret.key'), key);
  const bytes = readFileSync(join(data, 'cairn.db'));
  bytes.fill(1, 4_096 * 5, 4_096 * 5 + 500);
  writeFileSync(join(data, 'cairn.db'), bytes);
  await expect(backUp(request({ data, folder }))).rejects.toThrow(/cairn\.db is damaged/);
  writeFileSync(join(data, 'cairn.db'), 'no database at all, though of some length'.repeat(100));
  await expect(backUp(request({ data, folder }))).rejects.toThrow(/cairn\.db is damaged/);
  expect(readdirSync(home)).toEqual(['data']);
});

it('makes no backup where there is something, where there is no folder, or among the blobs', async () => {
  const { home, data } = await createData();
  const to = (folder: string) => backUp(request({ data, folder }));
  writeFileSync(join(home, 'taken'), '');
  await expect(to(join(home, 'taken'))).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
  await expect(to(data)).rejects.toThrow(/exists already\. Choose a new folder/);
  await expect(to(join(home, 'no', 'where'))).rejects.toThrow(/Create it, or check that its disk is mounted/);
  await expect(to(join(home, 'taken', 'below'))).rejects.toThrow(/taken/);
  await expect(to(join(data, 'blobs', 'new'))).rejects.toThrow(/Choose a folder elsewhere/);
  expect(readdirSync(home).sort()).toEqual(['data', 'taken']);
});

it('takes it that a blob is deleted while it copies', async () => {
  const { data, folder } = await createData();
  const deleteSecond = () => rmSync(join(data, 'blobs', 'second'), { force: true });
  const result = await backUp(request({ data, folder, onProgress: deleteSecond }));
  expect(result.files).toBe(3);
  expect(below(join(folder, 'blobs'))).toEqual(['7', '7/first']);
});

it('copies blobs that come while it copies the database, and those that go then', async () => {
  const { data, folder } = await createData();
  const change = (step: string) => {
    if (!step.startsWith('checking')) return;
    writeFileSync(join(data, 'blobs', 'third'), 'new');
    writeFileSync(join(data, 'blobs', 'fourth.part'), 'half');
    rmSync(join(data, 'blobs', 'second'), { force: true });
  };
  await backUp(request({ data, folder, onProgress: change }));
  expect(below(join(folder, 'blobs'))).toEqual(['7', '7/first', 'second', 'third']);
});

it('finds blobs in another folder, and puts them into another', async () => {
  const { home, data, folder, other } = await createData();
  const [blobs, moved] = [join(data, 'blobs'), join(home, 'elsewhere', 'blobs')];
  await backUp({ ...request({ data, folder }), blobs });
  await restore({ ...request({ data: other, folder }), blobs: moved });
  expect(below(moved)).toEqual(below(blobs));
  expect(below(other)).toEqual(['cairn.db', 'secret.key']);
  const again = restore({ ...request({ data: join(home, 'third'), folder }), blobs: moved });
  await expect(again).rejects.toThrow(/of a server: \S+elsewhere/);
});

it('leaves the blobs of a bucket there', async () => {
  const { home, data, folder, other } = await createData();
  const second = join(home, 'second');
  const inBucket = { ...request({ data, folder }), blobs: undefined };
  expect(await backUp(inBucket)).toMatchObject({ files: 2, blobsIncluded: false });
  expect(await restore({ ...inBucket, data: other })).toMatchObject({ files: 2, blobsIncluded: false });
  expect(below(other)).toEqual(['cairn.db', 'secret.key']);
  expect(await backUp(request({ data, folder: second }))).toMatchObject({ blobsIncluded: true });
  const mixed = restore({ ...inBucket, folder: second, data: join(home, 'third') });
  await expect(mixed).rejects.toThrow(/CAIRN_BLOBS names a bucket\. Restore without CAIRN_BLOBS/);
});

it.each([
  [
    'is cut',
    'cairn.db',
    (file: string) => truncateSync(file, 8_192),
    /cairn\.db is damaged.*it has 8192 bytes instead of/,
  ],
  ['is longer', 'secret.key', (file: string) => appendFileSync(file, ' '), /secret\.key is damaged/],
  ['is missing', 'blobs/7/first', (file: string) => rmSync(file), /first is damaged.*it is missing/],
  ['has another byte', 'blobs/7/first', flipByte, /first is damaged.*SHA-256/],
  ['has another byte', 'cairn.db', flipByte, /cairn\.db is damaged.*SHA-256/],
  ['is cut', 'manifest.json', (file: string) => truncateSync(file, 100), /manifest\.json is damaged.*not JSON/],
  ['is empty', 'manifest.json', (file: string) => truncateSync(file), /manifest\.json is damaged.*not JSON/],
  ['is missing', 'manifest.json', (file: string) => rmSync(file), /is not a backup, because it has no manifest\.json/],
])('restores nothing when a file %s: %s', async (_how, path, change, message) => {
  const { folder, other, into } = await createBackup();
  change(join(folder, path));
  await expect(into(other)).rejects.toThrow(message);
  const left = statSync(other, { throwIfNoEntry: false }) === undefined ? [] : below(other);
  expect(left.filter((path) => path !== 'blobs')).toEqual([]);
});

function flipByte(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

it.each([
  [
    'a newer schema',
    { schemaVersion: 9_999 },
    /schema version 9999, but this Cairn knows only versions up to \d+\. Use Cairn \d/,
  ],
  ['a newer form', { version: 2 }, /has version 2, but this Cairn knows version 1/],
  ['another engine', { engine: 'postgres' }, /manifest\.json is damaged.*engine/],
  ['no database', { files: [] }, /does not list cairn\.db/],
  ['a way out', { files: [{ path: 'blobs/../../x', bytes: 0, sha256: '0'.repeat(64) }] }, /not a path in a backup/],
  ['another file', { files: [{ path: '.profile', bytes: 0, sha256: '0'.repeat(64) }] }, /not a path in a backup/],
])('restores nothing when the manifest has %s', async (_what, change, message) => {
  const { folder, other, into } = await createBackup();
  const file = join(folder, 'manifest.json');
  const { sha256: _, ...manifest } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...manifest, ...change }));
  await expect(into(other)).rejects.toThrow(message);
  expect(statSync(other, { throwIfNoEntry: false })).toBeUndefined();
});

async function createOldData(migrations: Migration[]) {
  const home = temporaryFolder();
  const data = join(home, 'data');
  mkdirSync(data);
  const database = openSqliteWriter(join(data, 'cairn.db'));
  await migrate(database, migrations);
  await database.close();
  return { data, folder: join(home, 'backup'), other: join(home, 'other') };
}

it('leaves an older database as it is; the server that is started on it brings it up to date', async () => {
  const known = readMigrations();
  const { data, folder, other } = await createOldData(known.slice(0, -1));
  const before = readFileSync(join(data, 'cairn.db'));
  expect(await backUp(request({ data, folder }))).toMatchObject({ schemaVersion: known.length - 1 });
  expect(readFileSync(join(data, 'cairn.db'))).toEqual(before);
  expect(await restore(request({ data: other, folder }))).toMatchObject({ schemaVersion: known.length - 1 });
  const store = await openStore({ engine: 'sqlite', file: join(other, 'cairn.db') });
  expect(store.schemaVersion).toBe(known.length);
  await store.close();
});

it('restores nothing that another build of Cairn has made', async () => {
  const [first, ...others] = readMigrations();
  if (first === undefined) throw new Error('there are no migrations');
  const { data, folder, other } = await createOldData([{ ...first, checksum: 'another' }, ...others]);
  await backUp(request({ data, folder }));
  await expect(restore(request({ data: other, folder }))).rejects.toThrow(/another build of Cairn/);
  expect(below(other)).toEqual(['blobs']);
});

it('restores only where no server has its data, and beside the secret that fits', async () => {
  const { home, data, folder, other, into } = await createBackup();
  await expect(into(data)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringMatching(/cairn\.db.*Set CAIRN_DATA to an empty folder/),
  });
  mkdirSync(other);
  writeFileSync(join(other, 'search.db-wal'), '');
  await expect(into(other)).rejects.toThrow(/of a server: \S+search\.db-wal\./);
  rmSync(join(other, 'search.db-wal'));
  writeFileSync(join(other, 'secret.key'), 'y'.repeat(40));
  await expect(into(other)).rejects.toThrow(/secret\.key in .* is not the secret/);
  expect(below(other)).toEqual(['blobs', 'secret.key']);
  copyFileSync(join(folder, 'secret.key'), join(other, 'secret.key'));
  mkdirSync(join(other, 'lost+found'));
  expect(await into(other)).toMatchObject({ secretNeeded: false });
  await expect(into(join(home, 'backup', 'cairn.db'))).rejects.toThrow(/cairn\.db: the file exists already/);
});

async function asAnyone(home: string, work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return await work();
  for (const path of readdirSync(home, { recursive: true, encoding: 'utf8' }))
    chownSync(join(home, path), NOBODY, NOBODY);
  chownSync(home, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

const NOBODY = 65_534;

it('says whose permission is missing', async () => {
  const { home, data, folder, other, into } = await createBackup();
  const closed = join(home, 'closed');
  mkdirSync(closed, { mode: 0o500 });
  const to = (target: string) => backUp(request({ data, folder: target }));
  await asAnyone(home, async () => {
    await expect(to(join(closed, 'x'))).rejects.toThrow(/closed.*no permission\. Run the command as the user/);
    await expect(into(join(closed, 'x'))).rejects.toThrow(/closed.*no permission\. Run the command as the user/);
    chmodSync(join(data, 'cairn.db'), 0o000);
    await expect(to(join(home, 'second'))).rejects.toThrow(/database: no permission/);
    chmodSync(join(folder, 'cairn.db'), 0o000);
    await expect(into(other)).rejects.toThrow(/cairn\.db: no permission/);
  });
});
