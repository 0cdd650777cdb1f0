// A measured figure: several runs, and the bare limit of the same runs if there is one. A curve is a figure at several
// repository sizes.
import type { Engine } from '../packages/server/src/engine/database.ts';
import { type Targets, targetText } from './target.ts';

export interface Figure extends Targets {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly bare?: readonly number[];
}

export interface Curve {
  readonly name: string;
  readonly unit: string;
  readonly engine: Engine;
  readonly points: readonly { readonly records: number; readonly values: readonly number[] }[];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = low] = [sorted[sorted.length % 2 === 1 ? middle : middle - 1], sorted[middle]];
  return (low + high) / 2;
}

const rounded = (value: number) => Number(value.toPrecision(4));

function medianAndSpread(values: readonly number[]) {
  const spread: [number, number] = [rounded(Math.min(...values)), rounded(Math.max(...values))];
  return { median: rounded(median(values)), spread };
}

export function summary({ name, unit, values, bare, ...targets }: Figure) {
  return {
    name,
    unit,
    runs: values.length,
    ...medianAndSpread(values),
    ...(bare !== undefined && {
      bareMedian: rounded(median(bare)),
      ofBare: rounded(median(values) / median(bare)),
    }),
    ...targets,
  };
}

export function curveSummary({ points, ...curve }: Curve) {
  return {
    ...curve,
    points: points.map(({ records, values }) => ({ records, runs: values.length, ...medianAndSpread(values) })),
  };
}

/** Ratio of two series, run by run. */
export function ratios(values: readonly number[], to: readonly number[]): number[] {
  return values.map((value, run) => value / (to[run] ?? Number.NaN));
}

export function table(figures: readonly Figure[]): string {
  const rows = figures
    .map(summary)
    .map((row) => [
      row.name,
      `${row.median} ${row.unit}`.trim(),
      row.bareMedian === undefined ? '' : `${row.bareMedian}`,
      row.ofBare === undefined ? '' : `${Math.round(row.ofBare * 100)} %`,
      targetText(row),
    ]);
  return aligned([['figure', 'median', 'bare', 'of bare', 'target'], ...rows]);
}

export function curveTable(curves: readonly Curve[]): string {
  const rows = curves
    .map(curveSummary)
    .flatMap(({ name, engine, unit, points }) =>
      points.map(({ records, median: middle }) => [name, engine, `${records}`, `${middle} ${unit}`]),
    );
  return aligned([['curve', 'engine', 'records', 'median'], ...rows]);
}

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
