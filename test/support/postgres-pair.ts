// A PostgreSQL primary and a synchronous standby, connected by streaming replication. Tests can lose the primary,
// promote the standby, and make the old primary the next standby.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect } from 'vitest';
import { copyBase } from './base-copy.ts';
import { PATIENCE_MS } from './patience.ts';
import { freePort, initialise, installPrograms, launchServer, ready, type ServerUser, serverUser } from './postgres.ts';
import { descendants, isRunning } from './process-tree.ts';

/**
 * Ways to lose a primary: it crashes, is stopped, hangs with its machine, or keeps running unaware of the promotion.
 */
export const LOSSES = ['crash', 'stop', 'hang', 'unaware'] as const;
export type Loss = (typeof LOSSES)[number];

const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200', 'wal_keep_size=512'];

export interface PostgresPair {
  readonly url: string;
  readonly version: string;
  lose(how: Loss): Promise<void>;
  promote(): Promise<void>;
  rejoin(): Promise<void>;
  stop(): Promise<void>;
}

/** Uses the programs in `programFolder`, or else those of `npm install`. */
export async function startPostgresPair(programFolder?: string): Promise<PostgresPair> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-postgres-'));
  // World-readable, because PostgreSQL refuses to run as root and another user must reach it.
  chmodSync(folder, 0o755);
  const programs = programFolder ?? (await installPrograms(folder));
  const place = { folder, programs, user: serverUser() };
  let primary = new Member(place, 'one', await freePort());
  let standby = new Member(place, 'two', await freePort());
  initialise({ ...place, folder: primary.folder });
  await primary.start();
  await standby.follow(primary);
  const [row] = await primary.run<{ server_version: string }>('show server_version');
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join();
  return {
    url: `postgres://postgres:postgres@${hosts}/postgres?target_session_attrs=read-write`,
    version: row?.server_version ?? '',
    lose: (how) => primary.lose(how),
    promote: async () => {
      await standby.run('select pg_promote(true, 120)');
      [primary, standby] = [standby, primary];
    },
    rejoin: async () => {
      await standby.end();
      await standby.follow(primary);
    },
    stop: async () => {
      await Promise.all([primary.end(), standby.end()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  readonly folder: string;
  readonly programs: string;
  readonly user: ServerUser;
}

class Member {
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  readonly data: string;
  readonly #place: Place;
  readonly #name: string;
  #running: ReturnType<typeof launchServer> | undefined;

  constructor(place: Place, name: string, port: number) {
    this.folder = join(place.folder, name);
    this.port = port;
    this.url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
    this.data = join(this.folder, 'data');
    this.#place = place;
    this.#name = name;
    mkdirSync(this.folder);
    this.#own(this.folder);
  }

  async start(...settings: string[]): Promise<void> {
    const { programs, user } = this.#place;
    const flags = [`port=${this.port}`, ...SETTINGS, ...settings];
    this.#running = launchServer({ program: join(programs, 'postgres'), folder: this.folder, user, flags });
    await ready(this.url, this.#running.log);
  }

  async run<Row extends object>(statement: string): Promise<Row[]> {
    const sql = postgres(this.url, { max: 1, onnotice: () => {} });
    try {
      return (await sql.unsafe(statement)) as unknown as Row[];
    } finally {
      await sql.end();
    }
  }

  /** Starts from a copy of the primary, which then acknowledges only what this standby has too. */
  async follow(primary: Member): Promise<void> {
    rmSync(this.data, { recursive: true, force: true });
    await copyBase(primary, this.data);
    writeFileSync(join(this.data, 'standby.signal'), '');
    // After a promotion it must not wait for a standby of its own.
    writeFileSync(join(this.data, 'postgresql.auto.conf'), '');
    this.#own(this.data);
    const upstream = `host=127.0.0.1 port=${primary.port} user=postgres password=postgres`;
    await this.start(`primary_conninfo=${upstream} application_name=${this.#name}`);
    await primary.run(`alter system set synchronous_standby_names = '${this.#name}'`);
    await primary.run('select pg_reload_conf()');
    const followers = () => primary.run('select application_name, sync_state from pg_stat_replication');
    const following = [{ application_name: this.#name, sync_state: 'sync' }];
    await expect.poll(followers, { timeout: PATIENCE_MS }).toEqual(following);
  }

  async lose(how: Loss): Promise<void> {
    if (how === 'crash') await this.end();
    if (how === 'stop') await this.#shutDown();
    if (how === 'hang') this.#signal('SIGSTOP');
  }

  async end(): Promise<void> {
    this.#signal('SIGCONT');
    await this.#running?.end();
    this.#running = undefined;
  }

  /** A fast shutdown, which does not wait for clients to disconnect. */
  async #shutDown(): Promise<void> {
    const [server] = this.#processes();
    if (server === undefined) throw new Error('there is no server to stop');
    process.kill(server, 'SIGINT');
    await expect.poll(() => isRunning(server), { timeout: PATIENCE_MS }).toBe(false);
    await this.end();
  }

  #own(folder: string): void {
    const { uid, gid } = this.#place.user;
    if (uid !== undefined && gid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, folder]);
  }

  #signal(signal: NodeJS.Signals): void {
    const [server] = this.#processes();
    if (server !== undefined) send(server, signal);
    for (const pid of this.#processes()) send(pid, signal);
  }

  #processes(): number[] {
    return this.#running === undefined ? [] : descendants(this.#running.pid);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
