// Types of the SDK, checked by the compiler. test/types and the examples of docs/sdk.md compile unchanged, and each
// marked mistake in test/types is an error. If a mistake has a `Says:` comment, the compiler message must contain these
// words.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { scriptIn } from './support/page-example.ts';
import { ROOT } from './support/server.ts';

const FIXTURES = join(ROOT, 'test/types');
const DIRECTIVE = /^\s*\/\/ @ts-expect-error .*?(?: Says: (.*))?$/;

function errorsIn(folder: string): Map<string, string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', cwd: folder });
  const errors = [...stdout.matchAll(/^(\S+?)\((\d+),\d+\): error TS\d+: (.*)$/gm)];
  return new Map(errors.map(([, file, line, message = '']) => [`${file}:${line}`, message]));
}

it('lets through what fits a shape, and refuses every wrong field, type and filter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-types-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const wrong: string[] = [];
  const said = new Map<string, string>();
  for (const file of readdirSync(FIXTURES)) {
    cpSync(join(FIXTURES, file), join(folder, file));
    // Without its directives, each mistake becomes an error on the line after its directive.
    const lines = readFileSync(join(FIXTURES, file), 'utf8').split('\n');
    lines.forEach((line, index) => {
      const directive = DIRECTIVE.exec(line);
      if (directive === null) return;
      const place = `bare-${file}:${index + 2}`;
      wrong.push(place);
      if (directive[1] !== undefined) said.set(place, directive[1]);
    });
    writeFileSync(join(folder, `bare-${file}`), lines.map((line) => (DIRECTIVE.test(line) ? '' : line)).join('\n'));
  }
  writeFileSync(join(folder, 'page.ts'), scriptIn('docs/sdk.md')?.command ?? '');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const config = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  expect(wrong.length).toBeGreaterThan(30);
  const errors = errorsIn(folder);
  expect(new Set(errors.keys())).toEqual(new Set(wrong));
  expect(said.size).toBeGreaterThan(10);
  const unsaid = [...said].filter(([place, words]) => !errors.get(place)?.includes(words));
  expect(unsaid.map(([place, words]) => ({ place, words, said: errors.get(place) }))).toEqual([]);
});
