// `cairn setup`, also with a person at the terminal.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runCairn } from '../../../../test/support/cli.ts';
import { startTestServer, testFolder } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const [PASSWORD, OTHER, TINY] = ['a password of some length', 'another password', 'tiny'];

/** A terminal where a person types each answer once the text before it is there. */
function terminal(script: readonly (readonly [shown: string, answer: string])[]) {
  const [stdin, questions] = [new PassThrough(), new PassThrough()];
  const left = [...script];
  let drawn = '';
  let all = '';
  questions.on('data', (text: Buffer) => {
    drawn += text;
    all += text;
    const [[shown, answer] = []] = left;
    if (shown === undefined || !drawn.includes(shown)) return;
    left.shift();
    drawn = '';
    setImmediate(() => stdin.write(`${answer}\r`));
  });
  return { io: { isTerminal: true, stdin, questions }, left, drawn: () => all };
}

async function openEmpty(engine: (typeof UPPER_ENGINES)[number]) {
  const { url, setupUrl = '' } = await startTestServer(engine);
  const file = join(testFolder(), 'profiles.json');
  const environment = { CAIRN_CONFIG: file };
  const args = ['setup', '--code', setupUrl, '--email', 'ada@example.com'];
  const whoami = async () => JSON.parse((await runCairn(['--json', 'auth', 'whoami'], { environment })).stdout);
  return { url, file, environment, args, whoami };
}

describe.each(UPPER_ENGINES)('cairn setup on %s', (engine) => {
  it('asks for the password twice, and again until it fits, and signs the owner in', async () => {
    const { url, environment, args, whoami } = await openEmpty(engine);
    const { io, left, drawn } = terminal([
      ['at least 12 characters', TINY],
      ['too short', PASSWORD],
      ['again', OTHER],
      ['at least 12 characters', PASSWORD],
      ['again', PASSWORD],
    ]);
    const { code, stdout, stderr } = await runCairn(args, { ...io, environment });
    expect([code, left]).toEqual([0, []]);
    expect(stdout).toMatch(/^handle +ada\ntoken +cairn_pat_\w+\nexpiresAt +\d{4}-\d\d-\d\d \d\d:\d\d\n$/);
    expect(stderr).toContain('passwords differ');
    expect(stderr).toContain(`Signed in to ${url} as ada`);
    for (const secret of [PASSWORD, OTHER, TINY]) expect(`${stdout}${stderr}${drawn()}`).not.toContain(secret);
    expect(await whoami()).toMatchObject({ handle: 'ada', tokenName: 'setup' });
  });

  it('asks nothing when the password is on standard input', async () => {
    const { url, environment, args, whoami } = await openEmpty(engine);
    const setUp = (password: string) =>
      runCairn(['--json', ...args, '--password-stdin'], { environment, stdin: Readable.from([Buffer.from(password)]) });
    expect(await setUp(TINY)).toMatchObject({ code: 2, stdout: '' });
    const { stdout } = await setUp(`${PASSWORD}\n`);
    expect(Object.keys(JSON.parse(stdout))).toEqual(['handle', 'token', 'expiresAt']);
    expect(await whoami()).toMatchObject({ handle: 'ada' });
    expect(JSON.parse(readFileSync(environment.CAIRN_CONFIG, 'utf8'))).toMatchObject({
      current: 'default',
      profiles: { default: { url, handle: 'ada', token: expect.any(String) } },
    });
  });

  it('keeps a profile of another server, and says how to sign in', async () => {
    const { file, environment, args } = await openEmpty(engine);
    const other = {
      current: 'default',
      profiles: { default: { url: 'https://other.example', handle: 'a', token: 't' } },
    };
    writeFileSync(file, JSON.stringify(other));
    const stdin = Readable.from([Buffer.from(PASSWORD)]);
    const { code, stdout, stderr } = await runCairn([...args, '--password-stdin'], { environment, stdin });
    expect([code, stdout]).toEqual([0, expect.stringContaining('cairn_pat_')]);
    expect(stderr).toContain('You are not signed in. The profile default belongs to https://other.example.');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(other);
  });
});
