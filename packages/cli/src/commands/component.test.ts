import { describe, expect, it } from 'vitest';
import { cairn, openRepository } from '../../../../test/support/cli.ts';
import { smallManifest } from '../../../../test/support/manifest.ts';
import { startProxy } from '../../../../test/support/proxy.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

function manifestOf(name: string, version = '1.0.0') {
  return {
    ...smallManifest({ name, version }),
    shapes: [
      { name: 'Signal', fields: { x: 'number' } },
      { name: 'Of-<org-name>', fields: {} },
    ],
    credentials: [{ name: `${name}-keys`, requiredKeys: [{ key: 'CLI_SIGNING_SECRET' }] }],
    runtimeAccess: { reads: ['Signal'], writes: ['Signal'] },
    cli: {
      methods: [{ name: 'count', method: 'GET', credentialSet: `${name}-keys`, args: [{ name: 'x', type: 'number' }] }],
    },
  };
}

async function openComponent(engine: (typeof UPPER_ENGINES)[number], name = 'small') {
  const repository = await openRepository(engine);
  const { client } = repository;
  await client.component.register('ada', name, { manifest: manifestOf(name) });
  return repository;
}

describe.each(UPPER_ENGINES)('cairn component on %s', (engine) => {
  it('shows what is granted, says what is wrong and what to do, and ends with 1 until it is right', async () => {
    const { run, json, client } = await openComponent(engine);
    const installed = await run(['component', 'install', 'ada/small']);
    expect(installed.code).toBe(1);
    expect(installed.stderr).toMatch(
      /ada\/small 1\.0\.0 .*it reads +Signal.*shapes +Signal, Of-ada.*credential sets +small-keys \(CLI_SIGNING_SECRET\)/s,
    );
    expect(installed.stdout).toMatch(/^state +degraded.*^findings\n +credential-keys-unset/ms);
    const doctor = await run(['--json', 'component', 'doctor', 'ada/small']);
    expect(doctor).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      state: 'degraded',
      findings: [{ code: 'credential-keys-unset' }],
    });
    await run(['credential', 'set', 'small-keys', 'CLI_SIGNING_SECRET'], 'a secret of some length');
    expect(await json('component', 'doctor', 'ada/small')).toMatchObject({ state: 'ready', findings: [] });
    const ready = await run(['component', 'doctor', 'ada/small']);
    expect(ready).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The component itself was not called. To call a method: cairn small count'),
    });
    await client.component.publish('ada', 'small', { manifest: manifestOf('small', '1.1.0') });
    const advised = await run(['component', 'doctor', 'ada/small']);
    expect(advised).toMatchObject({ code: 0, stderr: expect.stringContaining('cairn component update ada/small') });
    expect(await json('component', 'update', 'ada/small', '--yes')).toMatchObject({ version: '1.1.0', state: 'ready' });
  });

  it('lists, shows, pauses, resumes and ends', async () => {
    const { run, json } = await openComponent(engine);
    expect((await run(['component', 'update', 'ada/small', '--json'])).code).toBe(5);
    await run(['component', 'install', 'ada/small', '--json']);
    expect((await run(['component', 'list'])).stdout).toMatch(/^ada\/small +degraded +1\.0\.0/m);
    expect(await json('component', 'get', 'ada/small')).toMatchObject({ component: 'ada/small' });
    expect((await run(['component', 'pause', 'ada/small'])).stdout).toMatch(/^state +paused/m);
    expect(await json('component', 'resume', 'ada/small')).toMatchObject({ state: 'degraded' });
    expect(await json('component', 'teardown', 'ada/small', '--yes')).toMatchObject({
      state: 'uninstalled',
      uninstall: { status: 'skipped' },
    });
    expect((await run(['component', 'get', 'ada/none'])).code).toBe(4);
  });
});

describe.each(UPPER_ENGINES)('cairn COMPONENT METHOD on %s', (engine) => {
  it('is made from the manifest of what is installed', async () => {
    const { run } = await openComponent(engine);
    const unknown = await run(['small', 'count']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("Unknown command 'small'") });
    await run(['component', 'install', 'ada/small', '--json']);
    expect(await run(['small', '--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('count') });
    expect((await run(['small', 'count', '--help'])).stdout).toContain('--x <number>');
    expect(await run(['small', 'count', '--y', '1'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'--y'"),
    });
    const called = await run(['small', 'count', '--x', '1']);
    expect(called).toMatchObject({ code: 5, stderr: expect.stringContaining('CONFLICT') });
    for (const name of ['small', 'ada/small']) {
      expect(await run(['component', 'exec', name, 'count', '--arg', 'x=1'])).toEqual(called);
    }
    const none = await run(['component', 'exec', 'none', 'count']);
    expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining('cairn component install ORG/none') });
  });

  it('never stands before a noun, which costs no request', async () => {
    const { run, environment } = await openComponent(engine, 'thing');
    await run(['component', 'install', 'ada/thing', '--json']);
    const proxy = await startProxy(environment.CAIRN_URL, {});
    const through = { ...environment, CAIRN_URL: proxy.url };
    expect((await cairn(['thing', '--help'], through)).stdout).toContain('history');
    expect((await cairn(['frob'], { CAIRN_URL: proxy.url })).code).toBe(2);
    expect(proxy.connections()).toBe(0);
    expect((await cairn(['component', 'exec', 'thing', '--help'], through)).stdout).toContain('count');
  });

  it('means one component: a second one of the same name is not installed', async () => {
    const { run, client } = await openComponent(engine);
    await client.org.create('acme');
    await client.component.register('acme', 'small', { manifest: smallManifest() });
    await run(['component', 'install', 'ada/small', '--json']);
    const refused = await run(['component', 'install', 'acme/small']);
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('Another component named small') });
    await run(['component', 'teardown', 'ada/small', '--yes']);
    expect((await run(['component', 'install', 'acme/small'])).code).toBe(0);
    const without = await run(['small', 'count']);
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('acme/small has no methods to call') });
  });
});
