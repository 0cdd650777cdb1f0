// Kill tests in pieces: each piece is saved when it ends, and the report adds them up. A thousand kills need not happen
// in one run.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { FINDING_KINDS, type FindingCounts } from './finding.ts';

export interface KillPiece {
  readonly engine: Engine;
  readonly writers: number;
  readonly seed: number;
  readonly kills: number;
  readonly killsWhileStarting: number;
  readonly commits: number;
  readonly operations: number;
  readonly seconds: number;
  readonly findings: { readonly counts: FindingCounts; readonly sentences: readonly string[] };
}

export interface KillReport {
  readonly pieces: readonly KillPiece[];
}

export function readReport(file: string): KillReport {
  if (!existsSync(file)) return { pieces: [] };
  try {
    const { pieces } = JSON.parse(readFileSync(file, 'utf8')) as KillReport;
    if (Array.isArray(pieces)) return { pieces };
  } catch {
    // The error below explains it.
  }
  throw new Error(`${file} is no report of kills. Move it away, or name another file with --report.`);
}

export function addPiece(file: string, piece: KillPiece): KillReport {
  const report = { pieces: [...readReport(file).pieces, piece] };
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
  return report;
}

export type KillTotals = Pick<
  KillPiece,
  'engine' | 'kills' | 'killsWhileStarting' | 'commits' | 'operations' | 'seconds'
> & { readonly pieces: number; readonly findings: FindingCounts };

export function totalsOf({ pieces }: KillReport): KillTotals[] {
  return [...Map.groupBy(pieces, ({ engine }) => engine)].map(([engine, own]) => {
    const sum = (countOf: (piece: KillPiece) => number) => own.reduce((total, piece) => total + countOf(piece), 0);
    const findings = FINDING_KINDS.map((kind) => [kind, sum((piece) => piece.findings.counts[kind])]);
    return {
      engine,
      pieces: own.length,
      kills: sum(({ kills }) => kills),
      killsWhileStarting: sum(({ killsWhileStarting }) => killsWhileStarting),
      commits: sum(({ commits }) => commits),
      operations: sum(({ operations }) => operations),
      seconds: sum(({ seconds }) => seconds),
      findings: Object.fromEntries(findings) as FindingCounts,
    };
  });
}

export function totalsLine({ engine, pieces, kills, operations, commits, findings }: KillTotals): string {
  const found = Object.entries(findings).map(([kind, count]) => `${count} ${kind}`);
  const counted = (n: number) => n.toLocaleString('en');
  return `${engine}: ${counted(kills)} kills in ${pieces} pieces, ${counted(operations)} operations of ${counted(commits)} commits acknowledged; ${found.join(', ')}`;
}
