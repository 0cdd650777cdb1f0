// The duration of a group while others wait for the writer, on a test clock.
import { describe, expect, it, vi } from 'vitest';
import type { Transaction } from './database.ts';
import { type Batch, Group, type Statements } from './group.ts';

function groupWithLog() {
  const transactions: string[][] = [];
  const group = new Group(async (apply) => {
    transactions.push([]);
    await apply({} as Statements);
  }, {});
  const note = (what: string) => transactions.at(-1)?.push(what);
  return { group, transactions, note };
}

describe('a group', () => {
  it('takes no more work once it has gone on for 250 ms', async () => {
    const { group, transactions, note } = groupWithLog();
    let time = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
    const work = (name: string) => async () => {
      note(name);
      time += 100;
    };
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => group.add(work(name))));
    clock.mockRestore();
    expect(transactions).toEqual([['a', 'b', 'c'], ['d', 'e', 'f'], ['g']]);
  });

  it('applies at most 1,000 operations of one repository together, and a larger commit by itself', async () => {
    const { group, transactions, note } = groupWithLog();
    const apply = async (_: Transaction, inputs: readonly never[]) => {
      note(inputs.join(' '));
      return inputs;
    };
    const commit = (input: string, size: number, key = 1): Batch => ({ key, input, size, apply });
    const works = [commit('a', 1), commit('large', 10_000), commit('b', 900), commit('c', 100), commit('other', 1, 2)];
    expect(await Promise.all(works.map((work) => group.add(work)))).toEqual(['a', 'large', 'b', 'c', 'other']);
    expect(transactions).toEqual([['a b', 'large', 'c', 'other']]);
  });
});
