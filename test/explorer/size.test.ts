// The size of the scripts before the first page renders.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server.ts';

const BYTES_MAX = 200 * 1_024;

it('the scripts that the page of the explorer begins with are within 200 KB compressed', () => {
  const dist = join(ROOT, 'packages/web/dist');
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const scripts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, file = '']) => file);
  const bytes = scripts.map((file) => gzipSync(readFileSync(join(dist, file))).length);
  expect(scripts.length).toBeGreaterThan(0);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(BYTES_MAX);
});

it('the scripts are those for users, and not those in which React helps its developers', () => {
  const folder = join(ROOT, 'packages/web/dist/assets');
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  expect(scripts.filter((name) => readFileSync(join(folder, name), 'utf8').includes('react-devtools'))).toEqual([]);
});
