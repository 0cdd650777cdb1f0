// Output beside the list of tests. It reports each failure immediately, because a run may be stopped early. At the end
// come the gate of the specification and a last line for machines.
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { PENDING } from '../spec/pending.ts';
import { REQUIREMENTS } from '../spec/requirements.ts';
import { hasCluster, NO_CLUSTER } from './citus/notice.ts';
import { EXCLUDED, INCLUDED, IS_LONG } from './suite.ts';

const ROOT = join(import.meta.dirname, '../..');

export default class ClosingLine implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== 'failed') return;
    for (const { message, diff = '', stacks } of errors) {
      const [at] = stacks ?? [];
      const place = at === undefined ? '' : ` (${relative(ROOT, at.file)}:${at.line})`;
      process.stdout.write(`failed: ${test.fullName}${place}\n${message}\n${diff}\n`);
    }
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === 'passed');
    const failed = tests.filter((test) => test.result().state === 'failed').length;
    // A file that failed to load has no tests to count, but it failed.
    const broken = modules.filter(
      (module) => module.state() === 'failed' && [...module.children.allTests()].length === 0,
    );
    if (modules.length === 0 && !IS_LONG) {
      process.stdout.write(
        '`npm test` runs no such file. Try `npm run test:long -- PATTERN`, which has more of them.\n',
      );
    }
    if (modules.some(({ moduleId }) => moduleId.includes('/test/citus/')) && !hasCluster()) {
      process.stdout.write(NO_CLUSTER);
    }
    const unverified = this.#isWhole(modules) ? unverifiedRules(passed.map(({ name }) => name)) : [];
    for (const id of unverified) process.stdout.write(`No test that ran and passed verifies ${id}.\n`);
    if (unverified.length > 0) process.exitCode = 1;
    process.stdout.write(`${passed.length} passed, ${failed + broken.length + unverified.length} failed\n`);
  }

  /** Only a complete run can report missing tests. */
  #isWhole(modules: readonly TestModule[]): boolean {
    const all = globSync(INCLUDED, { cwd: ROOT, exclude: EXCLUDED });
    const ran = new Set(modules.map(({ moduleId }) => relative(ROOT, moduleId)));
    return all.length > 0 && this.#vitest?.config.testNamePattern === undefined && all.every((file) => ran.has(file));
  }
}

function unverifiedRules(titles: readonly string[]): string[] {
  const verified = new Set(titles.flatMap((title) => /\[spec ([^\]]+)\]/.exec(title)?.[1]?.split(', ') ?? []));
  const pending = new Set<string>(PENDING);
  return Object.keys(REQUIREMENTS).filter((id) => !verified.has(id) && !pending.has(id));
}
