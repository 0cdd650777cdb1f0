import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProcess, testFolder } from '../../../test/support/server.ts';
import { withLock } from './profile-file.ts';

const lockPath = () => join(testFolder(), 'x.lock');
const [LONG_AGO, HERE] = [new Date(Date.now() - 3_600_000), hostname()];

/** Of a process that has ended. */
async function endedPid(): Promise<number> {
  const { child, ended } = startProcess('node', ['-e', ''], {});
  await ended();
  return child.pid ?? 0;
}

describe('withLock', () => {
  it('lets one in at a time, and leaves nothing behind', async () => {
    const path = lockPath();
    let inside = 0;
    const most: number[] = [];
    const work = async () => {
      inside += 1;
      most.push(inside);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(path, work)));
    expect([most.length, Math.max(...most)]).toEqual([20, 1]);
    await expect(withLock(path, () => Promise.reject(new Error('inside')))).rejects.toThrow('inside');
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('takes away what a process left behind that was killed, or that is too old', async () => {
    const path = lockPath();
    const left = [
      [JSON.stringify({ pid: await endedPid(), host: HERE, id: 'x' }), undefined],
      [JSON.stringify({ pid: 1, host: 'elsewhere', id: 'x' }), LONG_AGO],
      ['', LONG_AGO],
    ] as const;
    for (const [mark, made] of left) {
      writeFileSync(path, mark);
      if (made !== undefined) utimesSync(path, made, made);
      let inside = 0;
      const work = async () => {
        inside += 1;
        expect(inside).toBe(1);
        await new Promise(setImmediate);
        inside -= 1;
      };
      await Promise.all([withLock(path, work), withLock(path, work), withLock(path, work)]);
      expect(readdirSync(dirname(path))).toEqual([]);
    }
  });

  it('waits for who holds it, whoever that is', async () => {
    const path = lockPath();
    for (const mark of [
      JSON.stringify({ pid: process.pid, host: HERE, id: 'x' }),
      '{"pid":1,"host":"elsewhere"}',
      '{',
    ]) {
      writeFileSync(path, mark);
      const order: string[] = [];
      const waiting = withLock(path, async () => void order.push('second'));
      await new Promise((done) => setTimeout(done, 120));
      order.push('first');
      rmSync(path);
      await waiting;
      expect(order).toEqual(['first', 'second']);
    }
  });
});
