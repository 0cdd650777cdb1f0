import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useSight } from '../../app/sight.ts';
import { useSettled } from '../../ui/use-settled.ts';
import type { RecordRows } from './records.ts';
import { retractedAmong } from './retracted.ts';
import { targetsOfRow } from './row.ts';

/** So many rows are asked for together: who scrolls by a few asks for nothing. */
const ROWS_TOGETHER = 50;

/** Of what the rows on the screen refer to: what is retracted, by durable ID. Asked for when scrolling rests, by one call. */
export function useRetractedTargets({ source }: RecordRows, indexes: readonly number[]): ReadonlySet<string> {
  const sight = useSight();
  const first = Math.floor((indexes[0] ?? 0) / ROWS_TOGETHER) * ROWS_TOGETHER;
  const end = Math.ceil(((indexes.at(-1) ?? -1) + 1) / ROWS_TOGETHER) * ROWS_TOGETHER;
  const version = source.version();
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are others when the version is.
  const shown = useMemo(() => {
    const rows = Array.from({ length: end - first }, (_, n) => source.rowAt(first + n));
    const targets = rows.flatMap((row) => (row === undefined ? [] : targetsOfRow(row)));
    return [...new Set(targets)].sort().join(' ');
  }, [source, version, first, end]);
  const settled = useSettled(shown);
  const { data } = useQuery(retractedAmong(sight, settled === '' ? [] : settled.split(' ')));
  return useMemo(() => new Set(data), [data]);
}
