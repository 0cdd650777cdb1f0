// One process at a time: a file beside what it guards, made by who works on it. One that a process left behind when it was
// killed is taken away by the next.
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';

const PAUSE_MS = 50;
/** Longer than any work under a lock takes: a holder on another machine cannot be asked whether it lives. */
const STALE_MS = 60_000;

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly id: string;
}

export async function withLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const mark = JSON.stringify({ pid: process.pid, host: hostname(), id: crypto.randomUUID() } satisfies Holder);
  while (!(await take(path, mark))) {
    const held = await markIn(path);
    if (held !== undefined && (await isStale(path, held))) await takeAway(path, held);
    else await setTimeout(PAUSE_MS);
  }
  try {
    return await work();
  } finally {
    if ((await markIn(path)) === mark) await rm(path, { force: true });
  }
}

async function take(path: string, mark: string): Promise<boolean> {
  try {
    await writeFile(path, mark, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function markIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function isStale(path: string, held: string): Promise<boolean> {
  const holder = holderIn(held);
  if (holder?.host === hostname() && !isAlive(holder.pid)) return true;
  const made = await stat(path).catch(() => undefined);
  return made !== undefined && Date.now() - made.mtimeMs > STALE_MS;
}

/** Undefined for a mark that is not written whole yet. */
function holderIn(mark: string): Holder | undefined {
  try {
    return JSON.parse(mark) as Holder;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** Moved aside first, and looked at there: another may have taken it away meanwhile, and hold the lock by now. */
async function takeAway(path: string, held: string): Promise<void> {
  const aside = `${path}.${crypto.randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const moved = await markIn(aside);
  if (moved !== undefined && moved !== held) await take(path, moved);
  await rm(aside, { force: true });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
