// bench/results.json: all measurements, part by part. Only this file reads and writes it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type Curve, curveSummary, type Figure, summary } from './figure.ts';

const GIB = 2 ** 30;

const measured = {
  median: z.number(),
  spread: z.tuple([z.number(), z.number()]),
  runs: z.int().positive(),
};

const figureSchema = z.strictObject({
  part: z.string(),
  name: z.string(),
  unit: z.string(),
  ...measured,
  bareMedian: z.number().optional(),
  ofBare: z.number().optional(),
  atMost: z.number().optional(),
  atLeast: z.number().optional(),
  atMostOfBare: z.number().optional(),
});

const curveSchema = z.strictObject({
  part: z.string(),
  name: z.string(),
  unit: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  points: z.array(z.strictObject({ records: z.int().positive(), ...measured })),
});

const resultsSchema = z.strictObject({
  machine: z.strictObject({ node: z.string(), cores: z.int().positive(), memoryGib: z.int().positive() }),
  figures: z.array(figureSchema),
  curves: z.array(curveSchema),
});

export type FigureResult = z.infer<typeof figureSchema>;
export type CurveResult = z.infer<typeof curveSchema>;
export type Results = z.infer<typeof resultsSchema>;

export type Measured = readonly (Figure | Curve)[];

export const isCurve = (one: Figure | Curve): one is Curve => 'points' in one;
export const isFigure = (one: Figure | Curve): one is Figure => !isCurve(one);

/** Returns empty results if nothing was measured yet. */
export function readResults(file: string): Results {
  if (!existsSync(file)) return { machine: machineNow(), figures: [], curves: [] };
  return resultsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

export function writeResults(file: string, results: Results): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

/** Replaces the results of a part. Parts keep their order, and those that no longer exist are dropped. */
export function withPart(before: Results, { part, order, gave }: PartResult): Results {
  const figures = gave.filter(isFigure).map((figure) => ({ part, ...summary(figure) }));
  const curves = gave.filter(isCurve).map((curve) => ({ part, ...curveSummary(curve) }));
  const placed = <Row extends { part: string }>(rows: readonly Row[], made: readonly Row[]) =>
    order.flatMap((one) => (one === part ? made : rows.filter((row) => row.part === one)));
  return {
    machine: machineNow(),
    figures: placed<FigureResult>(before.figures, figures),
    curves: placed<CurveResult>(before.curves, curves),
  };
}

interface PartResult {
  readonly part: string;
  readonly order: readonly string[];
  readonly gave: Measured;
}

function machineNow(): Results['machine'] {
  return { node: process.version, cores: availableParallelism(), memoryGib: Math.round(totalmem() / GIB) };
}
