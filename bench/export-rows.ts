import type { Downloaded } from './export-client.ts';

/** Throws if the end mark is missing, because the export was cut. */
export function exportedRows({ end }: Downloaded): number {
  const count = /"type":"end","recordCount":(\d+)/.exec(end)?.[1];
  if (count === undefined) throw new Error(`The export was cut: …${end}`);
  return Number(count);
}
