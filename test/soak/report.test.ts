// Pieces of kill tests add up, and memory that only grows is reported.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../support/server.ts';
import { Findings } from './finding.ts';
import { addPiece, type KillPiece, readReport, totalsLine, totalsOf } from './kill-report.ts';
import { MemoryWatch } from './memory.ts';
import { Meter } from './meter.ts';

function piece(engine: KillPiece['engine'], kills: number, lost = 0): KillPiece {
  const findings = new Findings();
  for (let n = 0; n < lost; n++) findings.add('lost', 'one is gone');
  const { counts, sentences } = findings;
  return {
    ...{ engine, kills, writers: 8, seed: 1, killsWhileStarting: 1 },
    ...{ commits: 10, operations: 30, seconds: 2, findings: { counts, sentences } },
  };
}

describe('a report of kills', () => {
  it('adds up its pieces, each engine by itself', () => {
    const file = join(testFolder(), 'kills.json');
    addPiece(file, piece('sqlite', 100));
    addPiece(file, piece('postgres', 7));
    addPiece(file, piece('sqlite', 50, 2));
    const [sqlite, postgres] = totalsOf(readReport(file));
    expect(sqlite).toMatchObject({ engine: 'sqlite', pieces: 2, kills: 150, operations: 60, findings: { lost: 2 } });
    expect(postgres).toMatchObject({ engine: 'postgres', pieces: 1, kills: 7, findings: { lost: 0 } });
    expect(sqlite && totalsLine(sqlite)).toMatch(/^sqlite: 150 kills in 2 pieces, 60 operations .* 2 lost, 0 phantom/);
  });

  it('refuses a file that is none, and says what to do', () => {
    const file = join(testFolder(), 'other.json');
    for (const text of ['no JSON', '{"figures":[]}']) {
      writeFileSync(file, text);
      expect(() => readReport(file)).toThrow(/Move it away, or name another file with --report/);
    }
  });
});

describe('memory', () => {
  function lifetimeOf(bytesAt: (second: number) => number) {
    const memory = new MemoryWatch();
    for (let second = 0; second <= 100; second++) {
      memory.add(1, { atMs: 1_000 * second, bytes: 1_000_000 * bytesAt(second) });
    }
    return memory.lifetimes()[0];
  }

  it('that only grows is said to, and no other', () => {
    expect(lifetimeOf((second) => 100 + second)).toMatchObject({ seconds: 100, onlyGrows: true });
    expect(lifetimeOf((second) => 100 + Math.min(second, 20))).toMatchObject({ maxMb: 120, onlyGrows: false });
    expect(lifetimeOf((second) => 100 + (second % 30))).toMatchObject({ onlyGrows: false });
  });
});

describe('a meter', () => {
  it('counts over the whole run, and since it was last looked at', () => {
    const meter = new Meter();
    for (const ms of [1, 2, 3]) meter.answered('get', ms);
    meter.triedAgain('get');
    expect(meter.lately().get).toMatchObject({ answered: 3, triedAgain: 1, medianMs: 2, maxMs: 3 });
    meter.answered('get', 10);
    expect(meter.lately().get).toMatchObject({ answered: 1, triedAgain: 0 });
    expect(meter.whole().get).toMatchObject({ answered: 4, triedAgain: 1, maxMs: 10 });
  });
});
