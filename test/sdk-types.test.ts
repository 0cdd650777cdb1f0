// Types of the SDK, by the compiler: test/types and the examples of docs/sdk.md compile as they stand, and each mistake in test/types
// is one.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { scriptIn } from './support/page-example.ts';
import { ROOT } from './support/server.ts';

const FIXTURES = join(ROOT, 'test/types');
const DIRECTIVE = /^\s*\/\/ @ts-expect-error .*$/;

/** `FILE:LINE` of each error. */
function errorsIn(folder: string): string[] {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', cwd: folder });
  return [...stdout.matchAll(/^(\S+?)\((\d+),\d+\): error/gm)].map(([, file, line]) => `${file}:${line}`);
}

it('lets through what fits a shape, and refuses every wrong field, type and filter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-types-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const wrong: string[] = [];
  for (const file of readdirSync(FIXTURES)) {
    cpSync(join(FIXTURES, file), join(folder, file));
    // The same without its directives, which makes each an error, at the line after it.
    const lines = readFileSync(join(FIXTURES, file), 'utf8').split('\n');
    lines.forEach((line, index) => {
      if (DIRECTIVE.test(line)) wrong.push(`bare-${file}:${index + 2}`);
    });
    writeFileSync(join(folder, `bare-${file}`), lines.map((line) => (DIRECTIVE.test(line) ? '' : line)).join('\n'));
  }
  writeFileSync(join(folder, 'page.ts'), scriptIn('docs/sdk.md')?.command ?? '');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const config = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  expect(wrong.length).toBeGreaterThan(30);
  expect(new Set(errorsIn(folder))).toEqual(new Set(wrong));
  // A compiler beside other tests on a small machine.
}, 240_000);
