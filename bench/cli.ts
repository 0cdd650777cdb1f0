// Start time of the published command next to a bare Node. Also a whole command with one request, next to a bare Node
// that sends the same request.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Figure } from './figure.ts';
import { startCairn } from './process.ts';
import { loadRepository } from './read-data.ts';
import { sized } from './size.ts';

const RUNS = sized({ full: 25, quick: 2 });
const RECORDS = 1_000;
const OF_BARE_MAX = 4;

const ROOT = join(import.meta.dirname, '..');
const CAIRN = join(ROOT, 'dist/cli/cairn.mjs');

interface Compared {
  readonly name: string;
  readonly args: readonly string[];
  readonly bareArgs: readonly string[];
  readonly atMostOfBare?: number;
}

export async function cliFigures(): Promise<Figure[]> {
  await run(['run.mjs', 'scripts/build.ts'], {});
  const loaded = await loadRepository({ records: RECORDS, server: undefined });
  const cairn = await startCairn(loaded.settings);
  const url = `http://127.0.0.1:${cairn.port}`;
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: loaded.token, CAIRN_REPO: 'bench/world' };
  const start = { bareArgs: ['-e', '0'], atMostOfBare: OF_BARE_MAX };
  const compared: readonly Compared[] = [
    { name: 'cairn --version', args: [CAIRN, '--version'], ...start },
    { name: 'cairn --help', args: [CAIRN, '--help'], ...start },
    {
      name: 'cairn thing get, beside one fetch',
      args: [CAIRN, 'thing', 'get', 'Reading/r500'],
      bareArgs: ['-e', `fetch('${url}/health/live').then((answer) => answer.json())`],
    },
  ];
  try {
    const figures: Figure[] = [];
    for (const one of compared) figures.push(await compare(one, environment));
    return figures;
  } finally {
    await cairn.stop();
    loaded.remove();
  }
}

/** Alternates between both, so that they meet the same noise. The first run of each fills the caches. */
async function compare({ name, args, bareArgs, ...target }: Compared, environment: Environment): Promise<Figure> {
  const [values, bare]: [number[], number[]] = [[], []];
  for (let turn = 0; turn <= RUNS; turn++) {
    const [own, other] = [await run(args, environment), await run(bareArgs, environment)];
    if (turn === 0) continue;
    values.push(own);
    bare.push(other);
  }
  return { name, unit: 'ms', values, bare, ...target };
}

type Environment = Readonly<Record<string, string>>;

async function run(args: readonly string[], environment: Environment): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, [...args], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return performance.now() - begun;
}
