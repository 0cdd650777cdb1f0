import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRepository, runCairn } from '../../../../test/support/cli.ts';
import { startProxy } from '../../../../test/support/proxy.ts';
import { type Check, checkClock, checkNode } from '../doctor.ts';

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

interface Report {
  readonly ok: boolean;
  readonly url?: string;
  readonly checks: readonly Check[];
}

async function examine(environment: Record<string, string>, args: string[] = [], folder = openFolder()) {
  const { code, stdout, stderr } = await runCairn(['doctor', '--json', ...args], { environment, folder });
  expect(stderr).toBe('');
  const report = JSON.parse(stdout) as Report;
  const problems = report.checks.filter(({ state }) => state === 'problem');
  for (const { mend } of report.checks.filter(({ state }) => state === 'problem')) expect(mend).toMatch(/\w/);
  return { code, ...report, problems: problems.map(({ check, message, mend }) => `${check}: ${message} ${mend}`) };
}

const through = (target: string, change: (text: string) => string) =>
  startProxy(target, { change: (bytes) => Buffer.from(change(bytes.toString('latin1')), 'latin1') });

async function versioned(target: string, version: string): Promise<string> {
  const server = createServer(async ({ url, headers: { authorization } }, answer) => {
    const given = await fetch(`${target}${url}`, { headers: authorization === undefined ? {} : { authorization } });
    const text = (await given.text()).replace('"version":"0.1.0"', `"version":"${version}"`);
    answer.writeHead(given.status, { 'content-type': 'application/json' }).end(text);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('cairn doctor', () => {
  it('finds nothing wrong where nothing is, and says what it looked at', async () => {
    const { environment, run } = await openRepository('sqlite');
    const { code, ok, url, checks, problems } = await examine(environment);
    expect({ code, ok, url, problems }).toEqual({ code: 0, ok: true, url: environment.CAIRN_URL, problems: [] });
    expect(checks.map(({ check, state }) => [check, state])).toEqual([
      ['node', 'ok'],
      ['profiles', 'note'],
      ['server', 'ok'],
      ['clock', 'ok'],
      ['version', 'ok'],
      ['address', 'ok'],
      ['token', 'ok'],
      ['repository', 'ok'],
      ['permissions', 'ok'],
    ]);
    const { stdout } = await run(['doctor']);
    expect(stdout).toMatch(
      /^ok {7}token {8}ada, with the token all \(role:owner\), from CAIRN_TOKEN; expires \d{4}-\d\d-\d\d \d\d:\d\d$/m,
    );
    expect(stdout).toMatch(/^ok {7}repository {3}ada\/world \(from CAIRN_REPO\), private, at commit 0$/m);
  });

  it('says what is wrong with the server, and ends as commands do', async () => {
    const { environment } = await openRepository('sqlite');
    const away = await examine({ ...environment, CAIRN_URL: 'http://127.0.0.1:1' });
    expect(away).toMatchObject({ code: 7, ok: false, problems: [expect.stringContaining('cairn serve')] });
    const nowhere = await examine(environment, ['--url', 'http://nowhere.invalid']);
    expect(nowhere).toMatchObject({ code: 7, problems: [expect.stringMatching(/^server: .*nowhere\.invalid/)] });
    const other = createServer((_, answer) => answer.end('<h1>Welcome</h1>')).listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    const { port } = await new Promise<AddressInfo>((done) =>
      other.on('listening', () => done(other.address() as AddressInfo)),
    );
    const notCairn = await examine({ ...environment, CAIRN_URL: `http://127.0.0.1:${port}` });
    expect(notCairn).toMatchObject({ code: 7, problems: [expect.stringContaining('not like a Cairn server')] });
  });

  it('sees clocks and versions that differ, and another address', async () => {
    const { environment } = await openRepository('sqlite');
    const late = await through(environment.CAIRN_URL, (text) =>
      text.replace(/^Date: .*$/m, (line) => `Date: ${new Date(Date.parse(line.slice(6)) - 3_600_000).toUTCString()}`),
    );
    const skewed = await examine({ ...environment, CAIRN_URL: late.url });
    expect(skewed).toMatchObject({
      code: 1,
      problems: [expect.stringMatching(/^clock: .*3[56]\d\d s ahead of .*NTP/)],
    });
    expect(skewed.checks.find(({ check }) => check === 'address')).toMatchObject({
      state: 'note',
      mend: expect.stringContaining(`--url ${environment.CAIRN_URL}`),
    });
    const newer = await versioned(environment.CAIRN_URL, '0.9.0');
    expect(await examine({ ...environment, CAIRN_URL: newer })).toMatchObject({
      code: 1,
      problems: [expect.stringContaining('npm install -g @cairn/cli@0.9.0')],
    });
    const patched = await versioned(environment.CAIRN_URL, '0.1.9');
    expect(await examine({ ...environment, CAIRN_URL: patched })).toMatchObject({ code: 0 });
  });

  it('says who one is not, and what one may not', async () => {
    const { environment, client } = await openRepository('sqlite');
    const { CAIRN_TOKEN: _, ...anonymous } = environment;
    expect(await examine(anonymous)).toMatchObject({
      code: 3,
      problems: [expect.stringMatching(/^token: .*cairn auth login/), expect.stringContaining('repository: ')],
    });
    expect(await examine({ ...environment, CAIRN_TOKEN: 'stale' })).toMatchObject({
      code: 3,
      problems: [expect.stringContaining('from CAIRN_TOKEN')],
    });
    await client.shape.create('ada', 'world', 'Room', { fields: {} });
    const scopes = [{ resource: 'ada/world', permissions: ['repo:read' as const], shapes: ['Room'] }];
    const { token } = await client.token.create('reader', { scopes, expiresAt: Date.now() + 3_600_000 });
    const reader = await examine({ ...environment, CAIRN_TOKEN: token });
    expect(reader).toMatchObject({ code: 0, problems: [] });
    expect(reader.checks.slice(-3)).toMatchObject([
      { check: 'token', state: 'note', mend: expect.stringContaining('called reader') },
      { check: 'repository', state: 'ok' },
      {
        check: 'permissions',
        state: 'note',
        message: expect.stringMatching(/^you have repo:read \(some records only\); you lack .*repo:write/),
        mend: expect.stringMatching(/^The token does not allow/),
      },
    ]);
  });

  it('says what is wrong with the repository that is chosen', async () => {
    const { environment } = await openRepository('sqlite');
    const { CAIRN_REPO: _, ...rest } = environment;
    expect((await examine(rest)).checks.at(-1)).toMatchObject({ check: 'repository', state: 'note' });
    expect(await examine(rest, ['--repo', 'ada/none'])).toMatchObject({
      code: 4,
      problems: [expect.stringContaining('cairn repo list')],
    });
    const folder = openFolder();
    writeFileSync(join(folder, '.cairn'), 'https://elsewhere.example\n');
    expect(await examine(rest, [], folder)).toMatchObject({
      code: 2,
      problems: [expect.stringContaining('cairn use ORG/REPO')],
    });
  });

  it('sees a file of profiles that others can read, or that is broken', async () => {
    const { environment } = await openRepository('sqlite');
    const { CAIRN_TOKEN: token = '', ...rest } = environment;
    const file = join(openFolder(), 'profiles.json');
    const profile = { url: environment.CAIRN_URL, handle: 'ada', token };
    writeFileSync(file, JSON.stringify({ current: 'mine', profiles: { mine: profile } }), { mode: 0o600 });
    const kept = { ...rest, CAIRN_CONFIG: file };
    expect(await examine(kept)).toMatchObject({ code: 0, problems: [] });
    chmodSync(file, 0o640);
    expect(await examine(kept)).toMatchObject({ code: 1, problems: [expect.stringContaining(`chmod 600 ${file}`)] });
    expect(await examine(kept, ['--profile', 'theirs'])).toMatchObject({
      code: 2,
      problems: [expect.stringContaining('cairn auth login --profile theirs')],
    });
    writeFileSync(file, '{');
    expect(await examine(kept)).toMatchObject({ code: 2, problems: [expect.stringContaining('Correct the file')] });
  });

  it('knows which Node is too old, and which clock is near enough', () => {
    const states = ['20.19.0', '24.6.9', '24.7.0', '25.0.0'].map((version) => checkNode(version).state);
    expect(states).toEqual(['problem', 'problem', 'ok', 'ok']);
    const clocks = [undefined, 0, -59_000, 61_000, -61_000].map((skew) => checkClock(skew));
    expect(clocks.map(({ state }) => state)).toEqual(['note', 'ok', 'ok', 'problem', 'problem']);
    expect(clocks[3]?.message).toContain('behind');
  });
});
