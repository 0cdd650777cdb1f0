// What became of a record with each of its versions.
import type { RecordItem } from '@cairn/sdk';

export interface TimelineEntry {
  readonly version: RecordItem;
  readonly change: 'added' | 'revised' | 'retracted' | 'restored';
  /** A later version of the same commit took its place: nobody ever read it as the newest. */
  readonly isPassedOver: boolean;
}

/** `versions` are newest first, as a history lists them, and may end before the first one. */
export function timelineOf(versions: readonly RecordItem[]): TimelineEntry[] {
  return versions.map((version, index) => ({
    version,
    change: changeOf(version, versions[index + 1]),
    isPassedOver: versions[index - 1]?.repoSeq === version.repoSeq,
  }));
}

function changeOf({ version, active }: RecordItem, before: RecordItem | undefined): TimelineEntry['change'] {
  if (!active) return 'retracted';
  if (version === 1) return 'added';
  return before?.active === false ? 'restored' : 'revised';
}
