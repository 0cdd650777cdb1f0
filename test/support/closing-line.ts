// The last line of a run, in the form that machines read: `N passed, N failed`.
import type { Reporter, TestModule } from 'vitest/node';

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.ok()).length;
    // A file that could not be loaded has no tests to count, yet it has failed.
    const broken = modules.filter(
      (module) => !module.ok() && [...module.children.allTests()].every((test) => test.ok()),
    );
    process.stdout.write(`${passed} passed, ${tests.length - passed + broken.length} failed\n`);
  }
}
