import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../scripts/reference.ts';
import { ROOT } from './support/server.ts';

describe('docs/reference', () => {
  const pages = referencePages();

  it.each([...pages.keys()])('has a current %s', (path) => {
    const present = existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '';
    expect(present, 'run `npm run generate`').toBe(pages.get(path));
  });

  it('has no page that nothing makes', () => {
    const present = readdirSync(join(ROOT, 'docs/reference')).map((name) => `docs/reference/${name}`);
    expect(present.filter((path) => !pages.has(path))).toEqual([]);
  });
});
