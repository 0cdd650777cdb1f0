// Stores profiles in one file that only its owner can read. One process at a time changes it, by replacing the whole
// file, so that a crash leaves the old content.
import { readFileSync } from 'node:fs';
import { mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CairnError, type SessionTokens } from '@cairn/sdk';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';

const PAUSE_MS = 50;
/** Longer than any work under a lock. A process on another machine cannot be checked. */
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

/** Undefined for an incompletely written lock file. */
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

/** Moves the lock aside before checking it: another process may have removed it and hold the lock by now. */
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

export interface Profile {
  readonly url: string;
  readonly handle: string;
  readonly session?: SessionTokens;
  readonly token?: string;
}

export interface Profiles {
  /** Name of the default profile. */
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const NONE: Profiles = { profiles: {} };

/** Follows the conventions of each system. Undefined without a home folder. Empty variables count as unset. */
export function profileFile({ environment, platform }: Pick<Io, 'environment' | 'platform'>): string | undefined {
  const { CAIRN_CONFIG, XDG_CONFIG_HOME, HOME, APPDATA } = environment;
  if (CAIRN_CONFIG) return resolve(CAIRN_CONFIG);
  const folder = XDG_CONFIG_HOME || (platform === 'win32' ? APPDATA : HOME && join(HOME, ...homeFolder(platform)));
  return folder ? join(folder, 'cairn', 'profiles.json') : undefined;
}

function homeFolder(platform: string): string[] {
  return platform === 'darwin' ? ['Library', 'Application Support'] : ['.config'];
}

export function readProfiles(file: string | undefined): Profiles {
  if (file === undefined) return NONE;
  try {
    return parsed(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NONE;
    throw new UsageError(
      `Cannot use the profiles in ${file}: ${(error as Error).message}. Correct the file, or remove it and sign in again.`,
    );
  }
}

function parsed(text: string): Profiles {
  const found = jsonIn(text) as Partial<Profiles> | null;
  const profiles = found?.profiles;
  if (typeof profiles !== 'object' || profiles === null) throw new Error('it contains no profiles');
  const broken = Object.entries(profiles).find(([, profile]) => !isProfile(profile));
  if (broken !== undefined) throw new Error(`the profile ${broken[0]} is incomplete`);
  return { ...(typeof found?.current === 'string' && { current: found.current }), profiles };
}

/** A parser error would quote the text, which holds secrets. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not valid JSON');
  }
}

function isProfile(profile: Partial<Profile> | null): boolean {
  const session = profile?.session;
  return (
    typeof profile?.url === 'string' &&
    URL.canParse(profile.url) &&
    (typeof profile.token === 'string' ||
      (typeof session?.accessToken === 'string' &&
        typeof session.refreshToken === 'string' &&
        typeof session.expiresAt === 'number'))
  );
}

export function profileNamed({ profiles }: Profiles, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** Replaces the profiles with the result of `change`. An unchanged result is not written. */
export async function changeProfiles(
  file: string | undefined,
  change: (profiles: Profiles) => Promise<Profiles> | Profiles,
): Promise<void> {
  if (file === undefined) {
    throw new UsageError('There is no home folder to store profiles in. Set CAIRN_CONFIG to a file for them.');
  }
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await withLock(`${file}.lock`, async () => {
      const before = readProfiles(file);
      const after = await change(before);
      if (after !== before) await replace(file, `${JSON.stringify(after, null, 2)}\n`);
    });
  } catch (error) {
    if (error instanceof UsageError || error instanceof CairnError) throw error;
    throw new UsageError(`Cannot write ${file}: ${(error as Error).message}. Set CAIRN_CONFIG to another file.`);
  }
}

/** Syncs before renaming, so that a power failure leaves the old or the new file intact. */
async function replace(file: string, text: string): Promise<void> {
  // Follows a symbolic link, so that the link stays.
  const target = await realpath(file).catch(() => file);
  const temporary = `${target}.${crypto.randomUUID()}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
