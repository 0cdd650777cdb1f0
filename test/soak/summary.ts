// The summary of a run as text.
import type { Engine } from '../../packages/server/src/engine/database.ts';
import type { FindingCounts } from './finding.ts';
import type { Kill } from './killer.ts';
import type { Lifetime } from './memory.ts';
import type { Measured } from './meter.ts';
import type { Interval } from './watch.ts';

export interface SoakSummary {
  readonly engine: Engine;
  readonly seed: number;
  readonly killEverySeconds: number;
  readonly paceMs: number;
  readonly seconds: number;
  readonly kills: Readonly<Record<Kill, number>>;
  readonly commits: number;
  readonly operations: number;
  readonly sequences: number;
  readonly liveEvents: number;
  readonly liveCuts: number;
  readonly deliveries: { readonly received: number; readonly failed: number };
  readonly longestWithoutWriteMs: number;
  readonly requests: Readonly<Record<string, Measured>>;
  readonly memory: readonly Lifetime[];
  readonly timeline: readonly Interval[];
  readonly findings: { readonly counts: FindingCounts; readonly sentences: readonly string[] };
  readonly output?: string;
}

const counted = (n: number) => n.toLocaleString('en');

export function intervalLine({ atSeconds, requests, operations, memoryMb, kills, findings }: Interval): string {
  const times = ['commit http', 'stream line', 'get', 'list', 'past'].flatMap((kind) => {
    const { medianMs, p99Ms } = requests[kind] ?? {};
    return medianMs === undefined ? [] : [`${kind} ${medianMs}/${p99Ms} ms`];
  });
  return [
    `${String(atSeconds).padStart(6)} s`,
    `${counted(operations)} operations`,
    ...times,
    `memory ${memoryMb} MB`,
    `${kills} kills`,
    `${findings} wrong`,
  ].join('  ');
}

export function summaryText(summary: SoakSummary): string {
  const { engine, seconds, kills, commits, operations, sequences, deliveries, liveEvents, liveCuts } = summary;
  const killed = Object.entries(kills).map(([kill, count]) => `${count} ${kill}`);
  return [
    '',
    `${engine}, ${seconds} s, seed ${summary.seed}`,
    `kills: ${killed.join(', ')}; longest without an acknowledged write ${summary.longestWithoutWriteMs} ms`,
    `acknowledged: ${counted(operations)} operations, ${counted(commits)} commits and ${counted(sequences)} sequences`,
    `live: ${counted(liveEvents)} events over ${liveCuts} cuts; deliveries: ${counted(deliveries.received)} received, ${counted(deliveries.failed)} of them refused`,
    '',
    ...requestLines(summary.requests),
    '',
    ...memoryLines(summary.memory),
    '',
    ...findingLines(summary.findings),
  ].join('\n');
}

function requestLines(requests: SoakSummary['requests']): string[] {
  const rows = Object.entries(requests).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    'request              answered  again   median      p99      max (ms)',
    ...rows.map(([kind, { answered, triedAgain, medianMs, p99Ms, maxMs }]) =>
      [
        kind.padEnd(18),
        counted(answered).padStart(10),
        counted(triedAgain).padStart(6),
        ...[medianMs, p99Ms, maxMs].map((ms) => String(ms).padStart(8)),
      ].join(' '),
    ),
  ];
}

function memoryLines(memory: readonly Lifetime[]): string[] {
  if (memory.length === 0) return ['memory: no process lived long enough to say anything'];
  return [
    'memory of the processes that lived for a minute or more, the median of each fifth of their life (MB)',
    ...memory.map(
      ({ seconds, fifthsMb, maxMb, onlyGrows }) =>
        `${String(seconds).padStart(6)} s  ${fifthsMb.join(' ')}  at most ${maxMb}${onlyGrows ? '  ONLY GROWS' : ''}`,
    ),
  ];
}

export function findingLines({ counts, sentences }: SoakSummary['findings']): string[] {
  const found = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  return [`findings: ${found.join(', ')}`, ...sentences];
}
