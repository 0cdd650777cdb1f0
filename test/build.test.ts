// The packages as published: built, installed into a separate node_modules, and used from there.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT, startProcess } from './support/server.ts';

const PACKAGES = ['protocol', 'sdk', 'server', 'cli'];

it('builds packages that work without the sources', async () => {
  const build = startProcess('npm', ['run', 'build'], {});
  expect((await build.ended()).code, build.output()).toBe(0);
  const home = mkdtempSync(join(tmpdir(), 'cairn-published-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  install(home);
  expectSmallCommand(join(home, 'node_modules/@cairn/cli'));
  expectFewFiles(join(home, 'node_modules/@cairn/server'));

  const cairn = join(home, 'node_modules/@cairn/cli/cairn.mjs');
  const environment = { CAIRN_DATA: join(home, 'data'), PORT: '0' };
  const user = startProcess(
    'node',
    [cairn, '--json', 'admin', 'create-user', '--email', 'a@example.com', '--password-stdin'],
    environment,
  );
  user.child.stdin?.end('a password of some length');
  expect((await user.ended()).code, user.output()).toBe(0);
  const example = join(ROOT, 'examples/component-word-count');
  const validation = startProcess('node', [cairn, 'component', 'validate', example], environment);
  expect((await validation.ended()).code, validation.output()).toBe(0);
  const server = startProcess('node', [cairn, 'serve'], environment);
  const [, url = ''] = await server.printed(/is at (\S+) /);
  expect(await (await fetch(`${url}/health/ready`)).json()).toMatchObject({ status: 'ready', engine: 'sqlite' });
  expect(await (await fetch(url)).text()).toContain('Cairn is running');
  expect(await (await fetch(`${url}/docs/reference/settings`)).text()).toContain('<td><code>CAIRN_DATA</code></td>');
  const script = `import { CairnClient } from '@cairn/sdk'; console.log(await new CairnClient({ url: '${url}' }).auth.whoami());`;
  writeFileSync(join(home, 'use.mjs'), script);
  const use = execFileSync(process.execPath, ['use.mjs'], { cwd: home, encoding: 'utf8' });
  expect(use).toContain("kind: 'anonymous'");
  server.child.kill('SIGTERM');
  expect((await server.ended()).code).toBe(0);

  typeCheck(home);
});

function install(home: string): void {
  const modules = join(home, 'node_modules');
  mkdirSync(join(modules, '@cairn'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@cairn' && name !== '.bin') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  for (const name of PACKAGES) {
    const folder = join(modules, '@cairn', name);
    cpSync(join(ROOT, 'dist', name), folder, { recursive: true });
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\./.test(file))).toEqual([]);
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).not.toContain('./src');
  }
}

/**
 * One file beside its launcher, without the dependencies that would double the start time (`npm run bench -- cli`
 * measures it).
 */
function expectSmallCommand(folder: string): void {
  const files = new Set(readdirSync(folder));
  expect(files).toEqual(new Set(['LICENSE', 'cairn.mjs', 'main.js', 'package.json', 'run.mjs']));
  const bundle = readFileSync(join(folder, 'main.js'), 'utf8');
  expect(bundle).not.toContain('ZodType');
  expect(bundle.length).toBeLessThan(600_000);
}

function expectFewFiles(folder: string): void {
  const code = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.js') && !file.startsWith('web/'),
  );
  expect(code.filter((file) => file.includes('/'))).toEqual([]);
  expect(code.length).toBeLessThan(100);
}

function typeCheck(home: string): void {
  writeFileSync(
    join(home, 'use.ts'),
    [
      "import { CairnClient, defineShape, type Whoami } from '@cairn/sdk';",
      "const client = new CairnClient({ url: '' });",
      'export const who = (): Promise<Whoami> => client.auth.whoami();',
      "const Sensor = defineShape('Sensor', { x: 'number' });",
      "const { things } = client.repo('acme/world');",
      "export const x = async (): Promise<number> => (await things.get(Sensor.wref('roof'))).data.x;",
      '// @ts-expect-error A path that the shape does not declare.',
      "export const wrong = things.query({ shape: Sensor, where: ['y:gte:3'] });",
      '',
    ].join('\n'),
  );
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom'];
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, 'use.ts'], {
    cwd: home,
    stdio: 'pipe',
  });
}
