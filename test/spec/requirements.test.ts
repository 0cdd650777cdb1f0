// Checks that every rule of the specification has a test or is in the pending list, which may only shrink.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/server.ts';
import { PENDING } from './pending.ts';
import { REQUIREMENTS } from './requirements.ts';

const ids = Object.keys(REQUIREMENTS);

function verifiedIds(): Set<string> {
  const files = globSync(['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT });
  const calls = files.flatMap((file) => readFileSync(join(ROOT, file), 'utf8').match(/\bverifies\([^)]*\)/g) ?? []);
  return new Set(calls.flatMap((call) => call.match(/'[^']+'/g) ?? []).map((quoted) => quoted.slice(1, -1)));
}

describe('the requirements table', () => {
  const verified = verifiedIds();
  const pending = new Set<string>(PENDING);

  it('has a test or a pending entry for every rule', () => {
    expect(ids.filter((id) => !verified.has(id) && !pending.has(id))).toEqual([]);
  });

  it('has no pending entry for a rule that a test verifies', () => {
    expect(ids.filter((id) => verified.has(id) && pending.has(id))).toEqual([]);
  });

  it('has pending entries for its own rules only, each once', () => {
    expect(PENDING.filter((id) => !ids.includes(id))).toEqual([]);
    expect(PENDING).toHaveLength(pending.size);
  });

  it('never puts a rule back on the pending list, nor a new one on it', () => {
    const grown = earlierVersions('test/spec/pending.ts').flatMap((earlier) =>
      PENDING.filter((id) => !earlier.includes(`'${id}'`)),
    );
    expect([...new Set(grown)]).toEqual([]);
  });

  it('never loses a rule', () => {
    const earlier = earlierVersions('test/spec/requirements.ts').flatMap(
      (text) => text.match(/^ {2}'[^']+'(?=:)/gm) ?? [],
    );
    const known = new Set(earlier.map((quoted) => quoted.trim().slice(1, -1)));
    expect([...known].filter((id) => !ids.includes(id))).toEqual([]);
  });
});

/** The file in each earlier commit. Empty outside a git checkout. */
function earlierVersions(path: string): string[] {
  if (!existsSync(join(ROOT, '.git'))) return [];
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'safe.directory=*', ...args], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });
  const commits = git('log', '--format=%H', '--', path).split('\n').filter(Boolean);
  return commits.map((commit) => git('show', `${commit}:${path}`));
}
