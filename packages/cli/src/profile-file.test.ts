import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProcess, testFolder } from '../../../test/support/server.ts';
import { changeProfiles, profileFile, readProfiles, withLock } from './profile-file.ts';

const PROFILE = { url: 'http://a.example', handle: 'ada', token: 'cairn_pat_secret' };

describe('profileFile', () => {
  it.each([
    ['linux', { HOME: '/h' }, '/h/.config/cairn/profiles.json'],
    ['linux', { HOME: '/h', XDG_CONFIG_HOME: '/x' }, '/x/cairn/profiles.json'],
    ['darwin', { HOME: '/h' }, '/h/Library/Application Support/cairn/profiles.json'],
    ['win32', { APPDATA: '/r', HOME: '/h' }, '/r/cairn/profiles.json'],
    ['linux', { HOME: '/h', CAIRN_CONFIG: '/c.json' }, '/c.json'],
    ['linux', { HOME: '/h', XDG_CONFIG_HOME: '', CAIRN_CONFIG: '' }, '/h/.config/cairn/profiles.json'],
    ['linux', {}, undefined],
    ['linux', { HOME: '' }, undefined],
  ])('on %s with %j is %s', (platform, environment, file) => {
    expect(profileFile({ platform, environment })).toBe(file);
  });
});

describe('changeProfiles', () => {
  it('makes file and folder for their owner alone, and leaves nothing else', async () => {
    const folder = join(testFolder(), 'a', 'b');
    const file = join(folder, 'profiles.json');
    expect(readProfiles(file)).toEqual({ profiles: {} });
    await changeProfiles(file, () => ({ current: 'default', profiles: { default: PROFILE } }));
    expect(readProfiles(file)).toEqual({ current: 'default', profiles: { default: PROFILE } });
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readdirSync(folder)).toEqual(['profiles.json']);
  });

  it('narrows a file that others could read, and writes through a link', async () => {
    const folder = testFolder();
    const [file, kept] = [join(folder, 'profiles.json'), join(folder, 'kept', 'p.json')];
    mkdirSync(dirname(kept));
    writeFileSync(kept, JSON.stringify({ profiles: { default: PROFILE } }), { mode: 0o644 });
    symlinkSync(kept, file);
    await changeProfiles(file, (profiles) => ({ ...profiles, current: 'default' }));
    expect(readProfiles(kept).current).toBe('default');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
  });

  it('loses no change of several that are made at once', async () => {
    const file = join(testFolder(), 'profiles.json');
    const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
    const add = (name: string) =>
      changeProfiles(file, ({ profiles }) => ({ profiles: { ...profiles, [name]: PROFILE } }));
    await Promise.all(names.map(add));
    expect(new Set(Object.keys(readProfiles(file).profiles))).toEqual(new Set(names));
  });

  it('leaves what is there when the change fails', async () => {
    const file = join(testFolder(), 'profiles.json');
    await changeProfiles(file, () => ({ profiles: { default: PROFILE } }));
    const before = readFileSync(file, 'utf8');
    await expect(changeProfiles(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('says where it could not write, and what to do', async () => {
    const file = join(testFolder(), 'file');
    writeFileSync(file, '');
    const written = changeProfiles(join(file, 'profiles.json'), (profiles) => profiles);
    await expect(written).rejects.toThrow(/Cannot write .*Set CAIRN_CONFIG/);
    await expect(changeProfiles(undefined, (profiles) => profiles)).rejects.toThrow('Set CAIRN_CONFIG');
  });
});

describe('readProfiles', () => {
  it.each([
    '',
    '{"secret',
    'null',
    '[]',
    '{"profiles":{"a":null}}',
    '{"profiles":{"a":{"url":"nonsense","token":"x"}}}',
    '{"profiles":{"a":{"url":"http://a.example"}}}',
    '{"profiles":{"a":{"url":"http://a.example","session":{"accessToken":"secret"}}}}',
  ])('refuses %s, and quotes nothing of it', (text) => {
    const file = join(testFolder(), 'profiles.json');
    writeFileSync(file, text);
    expect(() => readProfiles(file)).toThrow(/^Cannot use the profiles in .*Correct the file, or remove it/);
    expect(() => readProfiles(file)).not.toThrow('secret');
  });
});

const lockPath = () => join(testFolder(), 'x.lock');
const [LONG_AGO, HERE] = [new Date(Date.now() - 3_600_000), hostname()];

async function endedPid(): Promise<number> {
  const { child, ended } = startProcess('node', ['-e', ''], {});
  await ended();
  return child.pid ?? 0;
}

describe('withLock', () => {
  it('lets one in at a time, and leaves nothing behind', async () => {
    const path = lockPath();
    let inside = 0;
    const most: number[] = [];
    const work = async () => {
      inside += 1;
      most.push(inside);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(path, work)));
    expect([most.length, Math.max(...most)]).toEqual([20, 1]);
    await expect(withLock(path, () => Promise.reject(new Error('inside')))).rejects.toThrow('inside');
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('takes away what a process left behind that was killed, or that is too old', async () => {
    const path = lockPath();
    const left = [
      [JSON.stringify({ pid: await endedPid(), host: HERE, id: 'x' }), undefined],
      [JSON.stringify({ pid: 1, host: 'elsewhere', id: 'x' }), LONG_AGO],
      ['', LONG_AGO],
    ] as const;
    for (const [mark, made] of left) {
      writeFileSync(path, mark);
      if (made !== undefined) utimesSync(path, made, made);
      let inside = 0;
      const work = async () => {
        inside += 1;
        expect(inside).toBe(1);
        await new Promise(setImmediate);
        inside -= 1;
      };
      await Promise.all([withLock(path, work), withLock(path, work), withLock(path, work)]);
      expect(readdirSync(dirname(path))).toEqual([]);
    }
  });

  it('waits for who holds it, whoever that is', async () => {
    const path = lockPath();
    for (const mark of [
      JSON.stringify({ pid: process.pid, host: HERE, id: 'x' }),
      '{"pid":1,"host":"elsewhere"}',
      '{',
    ]) {
      writeFileSync(path, mark);
      const order: string[] = [];
      const waiting = withLock(path, async () => void order.push('second'));
      await new Promise((done) => setTimeout(done, 120));
      order.push('first');
      rmSync(path);
      await waiting;
      expect(order).toEqual(['first', 'second']);
    }
  });
});
