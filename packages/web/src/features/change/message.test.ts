import { describe, expect, it } from 'vitest';
import { type Base, type Change, messageOf } from './change.ts';

const base: Base = { kind: 'thing', version: 1, isActive: true, data: {} };
const revised: Change = { step: 'revise', name: 'A/a', base, data: {} };
const retracted: Change = { step: 'retract', name: 'A/b', base, reason: 'It fell\nat night' };
const back = (repoSeq: number): Change => ({ ...revised, name: 'A/c', takenBack: { repoSeq, version: 1 } });

describe('the message that is proposed', () => {
  it('tells the first change, and how many there are', () => {
    expect(messageOf([])).toBe('');
    expect(messageOf([retracted])).toBe('Retract A/b: It fell');
    expect(messageOf([revised, retracted])).toBe('Revise A/a, and 1 more');
  });

  it('tells which commits are taken back, also beside other changes', () => {
    expect(messageOf([back(39), { ...back(39), name: 'A/d' }])).toBe('Revert commit 39');
    expect(messageOf([back(41), back(39)])).toBe('Revert commits 39, 41');
    expect(messageOf([back(39), revised])).toBe('Revise A/a; reverts commit 39');
  });
});
