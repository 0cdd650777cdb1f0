// The SDK in a bundle is small and has no unused code, no Node modules and no zod. None of its types is `any`.
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundle, SDK_FILES } from './support/sdk/bundle.ts';
import { ROOT } from './support/server.ts';

const BYTES_MAX = 30 * 1_024;

describe('a bundle of the SDK', () => {
  it('is under 30 KB minified and compressed, with all that there is', async () => {
    const { code, files } = await bundle(join(ROOT, 'packages/sdk/src/index.ts'), { minify: true });
    expect(files).toEqual(expect.arrayContaining(['packages/sdk/src/client.ts', 'packages/sdk/src/export-file.ts']));
    expect(gzipSync(code).length).toBeLessThan(BYTES_MAX);
  });

  it('has no Node in it but for files, which are loaded when they are needed, and no schemas', async () => {
    const { code, files } = await bundle(join(ROOT, 'packages/sdk/src/index.ts'));
    expect(files.filter((file) => /zod|^packages\/server/.test(file))).toEqual([]);
    expect(files.filter((file) => file.startsWith('packages/protocol')).sort((a, b) => (a < b ? -1 : 1))).toEqual([
      'packages/protocol/src/errors.ts',
      'packages/protocol/src/names.ts',
      'packages/protocol/src/procedure-kinds.ts',
      'packages/protocol/src/vocabulary.ts',
    ]);
    const loaded = [...code.matchAll(/import\(\s*(?:\/\*.*?\*\/\s*)?["'`](node:[^"'`]+)/g)].map(([, name]) => name);
    expect(loaded).toEqual(['node:fs/promises', 'node:crypto']);
    expect(code.match(/^import .*/gm)).toBeNull();
  });

  it.each([
    [
      'defineShape',
      ['packages/protocol/src/errors.ts', 'packages/protocol/src/names.ts', 'packages/sdk/src/define-shape.ts'],
    ],
    ['isRetryable', ['packages/protocol/src/errors.ts', 'packages/sdk/src/retry.ts']],
    ['List', ['packages/sdk/src/list.ts']],
  ])('has of a program that uses %s only what that takes', async (name, expected) => {
    const { files } = await bundle(`import { ${name} } from '@cairn/sdk';\nconsole.log(${name});\n`);
    const own = files.filter((file) => !file.endsWith('/entry.ts'));
    expect(new Set(own)).toEqual(new Set(expected));
  });

  it('leaves sessions and invitations out for who uses a client alone', async () => {
    const { files } = await bundle("import { CairnClient } from '@cairn/sdk';\nconsole.log(CairnClient);\n");
    const unused = SDK_FILES.filter((file) => !files.includes(file));
    expect(unused).toEqual(expect.arrayContaining(['account', 'session-token'].map(fileOf)));
  });
});

const fileOf = (name: string) => `packages/sdk/src/${name}.ts`;

it('the types of the SDK, as they are published, have no any', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-types-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const config = {
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: { emitDeclarationOnly: true, rootDir: join(ROOT, 'packages'), outDir: folder },
    include: [join(ROOT, 'packages/sdk/src/index.ts')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', cwd: ROOT });
  expect(status, stdout).toBe(0);
  const types = globSync('**/*.d.ts', { cwd: join(folder, 'sdk/src') }).map((name) => [
    name,
    readFileSync(join(folder, 'sdk/src', name), 'utf8'),
  ]);
  expect(types.length).toBeGreaterThan(SDK_FILES.length - 5);
  const hasAny = (text: string) => /\bany\b/.test(text.replaceAll(/\/\*.*?\*\/|\/\/.*$/gms, ''));
  expect(hasAny('/** any */\nexport type Found = any; // any')).toBe(true);
  const withAny = types.filter(([, text = '']) => hasAny(text));
  expect(withAny.map(([name]) => name)).toEqual([]);
});
