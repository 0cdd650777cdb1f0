import type { RecordItem } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { renamesOf, timelineOf, withRenames } from './version-change.ts';

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

  it('has each rename at its place, as far as the versions around it are read', () => {
    const named = (name: string, repoSeq: number) => ({ name, repoSeq, createdBy: 'user:ada', createdAt: repoSeq });
    const renames = renamesOf([named('P/a', 2), named('P/b', 4), named('P/c', 7), named('P/c', 8)]);
    expect(renames.map(({ from, name, repoSeq }) => [from, name, repoSeq])).toEqual([
      ['P/a', 'P/b', 4],
      ['P/b', 'P/c', 7],
    ]);
    const seqsOf = (versions: readonly RecordItem[], isWhole: boolean) =>
      withRenames(timelineOf(versions), { renames, isWhole }).map((told) =>
        'from' in told ? told.name : told.version.version,
      );
    expect(seqsOf([version(3, 9), version(2, 7), version(1, 2)], true)).toEqual([3, 'P/c', 2, 'P/b', 1]);
    expect(seqsOf([version(3, 9), version(2, 7)], false)).toEqual([3, 'P/c', 2]);
  });
});
