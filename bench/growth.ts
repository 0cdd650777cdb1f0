// Resources of a growing repository, up to a million records: disk, tree depth, backups, start and memory.
import type { Engine } from '../packages/server/src/engine/database.ts';
import { depthOf, treesOf } from './btree.ts';
import { onBothEngines } from './engines.ts';
import type { Curve, Figure } from './figure.ts';
import { REFERRING } from './growth-data.ts';
import { backupSeconds, type Disk, diskOf, exportBytes, startsOn } from './growth-store.ts';
import { fileOf, type LoadedRepository, loadRepository } from './read-data.ts';
import { sizedBy } from './size.ts';

const MOST = sizedBy('BENCH_RECORDS', { full: 1_000_000, quick: 20_000 });
const LEAST = 1_000;
const SIZES = {
  sqlite: [LEAST, MOST / 10, MOST],
  postgres: [LEAST, MOST / 10],
} as const satisfies Record<Engine, readonly number[]>;
const MB = 1_000_000;

type Grown = (Figure | Curve)[];

export async function growth(): Promise<Grown> {
  return await onBothEngines(grownOn, { durable: false });
}

type Points = Map<string, { unit: string; points: { records: number; values: readonly number[] }[] }>;

async function grownOn(engine: Engine, server: string | undefined): Promise<Grown> {
  const load = (records: number) => loadRepository({ records, server, contents: REFERRING });
  const empty = await on(await load(0), ({ location }) => diskOf(location));
  const points: Points = new Map();
  for (const records of SIZES[engine]) {
    await on(await load(records), async (loaded) => {
      const measured = diskValues(await diskOf(loaded.location), { empty, records });
      if (engine === 'sqlite') Object.assign(measured, await fileValues(loaded, records));
      for (const [name, { unit, values }] of Object.entries(measured)) {
        const known = points.get(name) ?? { unit, points: [] };
        known.points.push({ records, values });
        points.set(name, known);
      }
    });
  }
  const curves = [...points].map(([name, measured]) => ({ name, engine, ...measured }));
  return [...curves, { name: `disk of an empty store, ${engine}`, unit: 'MB', values: [empty.bytes / MB] }];
}

async function on<Result>(loaded: LoadedRepository, work: (loaded: LoadedRepository) => Promise<Result>) {
  try {
    return await work(loaded);
  } finally {
    loaded.remove();
  }
}

type Values = Record<string, { unit: string; values: readonly number[] }>;

/** The fixed size of an empty store does not count towards a record. */
function diskValues({ bytes, searchBytes }: Disk, { empty, records }: { empty: Disk; records: number }): Values {
  const each = (size: number) => [size / records];
  return {
    disk: { unit: 'MB', values: [(bytes + searchBytes) / MB] },
    'disk a record': { unit: 'bytes', values: each(bytes - empty.bytes) },
    'search index a record': { unit: 'bytes', values: each(searchBytes - empty.searchBytes) },
  };
}

async function fileValues(loaded: LoadedRepository, records: number): Promise<Values> {
  const depths = treesOf(fileOf(loaded)).map(depthOf);
  const backups = await backupSeconds(loaded.settings);
  const starts = await startsOn(loaded, records);
  // Skips the largest size: its rows are equally long, and the export takes as long as everything else.
  const exported = records < MOST ? [(await exportBytes(loaded)) / records] : [];
  return {
    ...(exported.length > 0 && { 'export a record': { unit: 'bytes', values: exported } }),
    'depth of the deepest tree': { unit: 'levels', values: [Math.max(...depths)] },
    backup: { unit: 'seconds', values: backups },
    'start to the first answered read': { unit: 'ms', values: starts.map(({ ms }) => ms) },
    'memory after reads': { unit: 'MB', values: starts.map(({ residentMb }) => residentMb) },
  };
}
