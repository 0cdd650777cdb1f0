import { describe, expect, it } from 'vitest';
import { summaryOfWorks, type WorkState } from './work.ts';

const done = (refused = 0): WorkState => ({ state: 'done', outcome: { told: '', refused } });
const CUT: WorkState = { state: 'done', outcome: { told: '', refused: 3, isCut: true } };
const FAILED: WorkState = { state: 'failed', error: new Error('x') };

describe('work in a few words', () => {
  it.each<[string, WorkState[]]>([
    ['done', [done(), { state: 'stopped' }]],
    ['1 failed', [done(), FAILED]],
    ['1,200 rejected', [done(1_200), done()]],
    ['1 failed, 2 rejected', [FAILED, done(2)]],
    ['1 stopped, 3 rejected', [CUT, done()]],
    ['2 running', [FAILED, { state: 'running' }, { state: 'running' }]],
  ])('is: %s', (words, states) => {
    expect(summaryOfWorks(states.map((now) => ({ now })))).toBe(words);
  });
});
