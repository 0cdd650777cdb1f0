// Every statement of the store obeys the rules of Citus on distributed tables. The store's tests run on the cluster in
// CAIRN_TEST_CITUS_URL, or else on the stand-in, and their statements are recorded.
import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server.ts';

/** Upper limit for a run of many tests. */
const RUN_MS = 60 * 60_000;

it('is so for all statements that the tests of the store run', { timeout: RUN_MS }, async () => {
  const { code, output } = await run([
    ...['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.citus.config.ts'],
    ...['--maxWorkers', '2', '.sql.test.ts', '.write.test.ts', 'packages/server/src/engine'],
  ]);
  expect(output).toMatch(/\d{3,} statements were held against the rules of Citus; 0 break them\./);
  expect(code, output.slice(-8_000)).toBe(0);
});

function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    // Vitest's environment variables for its own processes must not reach another run.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
    const child = spawn(process.execPath, args, { cwd: ROOT, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => resolve({ code, output }));
  });
}
