import type { NameItem, RecordItem } from '@cairn/sdk';

export interface TimelineEntry {
  readonly version: RecordItem;
  readonly change: 'added' | 'revised' | 'retracted' | 'restored';
  /** A later version of the same commit replaced it. */
  readonly isPassedOver: boolean;
}

/** Newest first, perhaps without the oldest. */
export const timelineOf = (versions: readonly RecordItem[]): TimelineEntry[] =>
  versions.map((version, index) => ({
    version,
    change: changeOf(version, versions[index + 1]),
    isPassedOver: versions[index - 1]?.repoSeq === version.repoSeq,
  }));

function changeOf({ version, active }: RecordItem, before: RecordItem | undefined): TimelineEntry['change'] {
  if (!active) return 'retracted';
  if (version === 1) return 'added';
  return before?.active === false ? 'restored' : 'revised';
}

export interface Rename extends NameItem {
  readonly from: string;
}

/** Oldest first. Hidden names may be missing between. */
export const renamesOf = (names: readonly NameItem[]): Rename[] =>
  names.flatMap((named, index) => {
    const from = names[index - 1]?.name;
    return from === undefined || from === named.name ? [] : [{ ...named, from }];
  });

type TimelineItem = TimelineEntry | Rename;
export const isRename = (told: TimelineItem): told is Rename => 'from' in told;

/** Newest first. Renames older than the loaded versions are left out until those load. */
export function withRenames(
  entries: readonly TimelineEntry[],
  { renames, isWhole }: { renames: readonly Rename[]; isWhole: boolean },
): TimelineItem[] {
  const oldest = isWhole ? 0 : (entries.at(-1)?.version.repoSeq ?? 0);
  const seqOf = (told: TimelineItem) => (isRename(told) ? told.repoSeq : told.version.repoSeq);
  return [...renames.filter(({ repoSeq }) => repoSeq >= oldest).toReversed(), ...entries].sort(
    (one, other) => seqOf(other) - seqOf(one),
  );
}
