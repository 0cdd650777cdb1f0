import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../../test/support/server.ts';
import { changeProfiles, profileFile, readProfiles } from './profile-file.ts';

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
    expect(() => readProfiles(file)).toThrow(/^Cannot use the profiles in .*Mend the file, or remove it/);
    expect(() => readProfiles(file)).not.toThrow('secret');
  });
});
