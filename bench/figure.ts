// One measured figure: several runs, beside a bare limit measured in the same runs where there is one.

export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly bare?: readonly number[];
  /** The target, where the design sets one. */
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly atLeastOfBare?: number;
  /** How many times the bare limit, of what should be little. */
  readonly atMostOfBare?: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = low] = [sorted[sorted.length % 2 === 1 ? middle : middle - 1], sorted[middle]];
  return (low + high) / 2;
}

const rounded = (value: number) => Number(value.toPrecision(4));

/** The figure as bench/results.json keeps it. */
export function summary({ name, unit, values, bare, ...targets }: Figure) {
  const middle = median(values);
  return {
    name,
    unit,
    median: rounded(middle),
    spread: [rounded(Math.min(...values)), rounded(Math.max(...values))],
    ...(bare !== undefined && { bareMedian: rounded(median(bare)), ofBare: rounded(middle / median(bare)) }),
    ...targets,
  };
}

type Targets = Pick<Figure, 'atMost' | 'atLeast' | 'atLeastOfBare' | 'atMostOfBare'>;

function targetText({ atMost, atLeast, atLeastOfBare, atMostOfBare }: Targets): string {
  if (atMost !== undefined) return `at most ${atMost}`;
  if (atLeast !== undefined) return `at least ${atLeast}`;
  if (atMostOfBare !== undefined) return `at most ${Math.round(atMostOfBare * 100)} % of bare`;
  return atLeastOfBare === undefined ? '' : `at least ${Math.round(atLeastOfBare * 100)} % of bare`;
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
  const lines = [['figure', 'median', 'bare', 'of bare', 'target'], ...rows];
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
