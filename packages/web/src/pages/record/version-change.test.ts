import type { RecordItem } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { timelineOf } from './version-change.ts';

const version = (number: number, repoSeq: number, active = true) =>
  ({ version: number, repoSeq, active }) as RecordItem;

describe('the timeline of a record', () => {
  it('says what each version was', () => {
    const versions = [version(4, 9), version(3, 7, false), version(2, 5), version(1, 2)];
    expect(timelineOf(versions).map(({ change }) => change)).toEqual(['restored', 'retracted', 'revised', 'added']);
  });

  it('says which version was passed over within its commit', () => {
    const versions = [version(3, 5), version(2, 5), version(1, 2)];
    expect(timelineOf(versions).map(({ isPassedOver }) => isPassedOver)).toEqual([false, true, false]);
  });
});
