// How many rows an export had, as its end mark says.
import type { Downloaded } from './export-client.ts';

/** Fails where there is no end mark: then the export was cut. */
export function exportedRows({ end }: Downloaded): number {
  const count = /"type":"end","recordCount":(\d+)/.exec(end)?.[1];
  if (count === undefined) throw new Error(`The export was cut: …${end}`);
  return Number(count);
}
