// PocketBase with the records of the comparison. It is built from the Go module proxy if Go is installed, into a folder
// that later runs reuse.
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastLabel, PAGE, RECORDS, rangeStart, recordData, type WorkRequests } from './compare-requests.ts';
import { type ServerProcess, type StartedServer, startServer } from './process.ts';

const VERSION = 'v0.36.2';
const ACCOUNT = { identity: 'bench@example.com', password: 'a password of the benchmarks' };
const BATCH = 1_000;
const SIGN_IN = '/api/collections/_superusers/auth-with-password';
const RECORDS_PATH = '/api/collections/readings/records';

const MODULE = `module cairn-bench

go 1.24

require github.com/pocketbase/pocketbase ${VERSION}
`;

/** Plain PocketBase with its usual log, but with data as durable as Cairn's. */
const PROGRAM = `package main

import (
	"io"
	"log"
	"os"
	"strings"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/core"
)

const pragmas = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)" +
	"&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)"

func connect(file string) (*dbx.DB, error) {
	if !strings.HasSuffix(file, "data.db") {
		return core.DefaultDBConnect(file)
	}
	return dbx.Open("sqlite", file+pragmas)
}

// The benchmark holds the other end of file 3, so that its end is ours, however it ends.
func endWithParent() {
	io.Copy(io.Discard, os.NewFile(3, "parent"))
	os.Exit(0)
}

func main() {
	if os.Getenv("NODE_CHANNEL_FD") == "3" {
		go endWithParent()
	}
	app := pocketbase.NewWithConfig(pocketbase.Config{DBConnect: connect})
	if err := app.Start(); err != nil {
		log.Fatal(err)
	}
}
`;

/** Returns the path of the program. If it cannot be built, prints a line and returns `undefined`. */
export function buildPocketBase(): string | undefined {
  const folder = join(tmpdir(), 'cairn-bench-pocketbase', hash('sha256', MODULE + PROGRAM).slice(0, 16));
  const program = join(folder, 'pocketbase');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'go.mod'), MODULE);
  writeFileSync(join(folder, 'main.go'), PROGRAM);
  try {
    execFileSync('go', ['mod', 'tidy'], { cwd: folder, stdio: 'pipe' });
    execFileSync('go', ['build', '-o', 'unfinished', '.'], { cwd: folder, stdio: 'pipe' });
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const [reason] = isMissing ? ['Go is not installed'] : (error as Error).message.split('\n');
    console.log(`PocketBase is left out: ${reason}.`);
    return undefined;
  }
  renameSync(join(folder, 'unfinished'), program);
  return program;
}

export function startPocketBase(program: string, folder: string): Promise<StartedServer> {
  const args = (port: number) => ['serve', `--http=127.0.0.1:${port}`, `--dir=${folder}`];
  return startServer({ command: program, args, live: '/api/health' });
}

export async function fillPocketBase(program: string, folder: string): Promise<string> {
  execFileSync(program, ['superuser', 'upsert', ACCOUNT.identity, ACCOUNT.password, `--dir=${folder}`], {
    stdio: 'pipe',
  });
  const server = await startPocketBase(program, folder);
  try {
    const { token } = await send<{ token: string }>(server, SIGN_IN, ACCOUNT);
    await send(server, '/api/settings', { batch: { enabled: true, maxRequests: BATCH, timeout: 60 } }, token, 'PATCH');
    await send(server, '/api/collections', COLLECTION, token);
    for (let from = 0; from < RECORDS; from += BATCH) {
      const requests = Array.from({ length: Math.min(BATCH, RECORDS - from) }, (_, at) => ({
        method: 'POST',
        url: RECORDS_PATH,
        body: makeRecord(from + at),
      }));
      await send(server, '/api/batch', { requests }, token);
    }
    return token;
  } finally {
    await server.stop();
  }
}

const COLLECTION = {
  name: 'readings',
  type: 'base',
  fields: [
    { name: 'name', type: 'text', required: true },
    { name: 'x', type: 'number' },
    { name: 'label', type: 'text' },
  ],
  indexes: ['create unique index reading_name on readings (name)', 'create index reading_x on readings (x)'],
};

const makeRecord = (n: number) => ({ name: `r${n}`, ...recordData(n) });

async function send<Answer>(
  server: ServerProcess,
  path: string,
  body: object,
  token = '',
  method = 'POST',
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: token };
  const url = `http://127.0.0.1:${server.port}${path}`;
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`PocketBase answered ${path} with ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

const listPath = (parameters: Record<string, string>) =>
  `${RECORDS_PATH}?${new URLSearchParams({ ...parameters, skipTotal: '1' })}`;

export function pocketBaseRequests(token: string): WorkRequests {
  const page = { perPage: String(PAGE) };
  return {
    health: () => ({ path: '/api/health', expected: 'API is healthy.' }),
    read: (n) => {
      const path = listPath({ filter: `(name='r${n}')`, perPage: '1' });
      return { path, token, expected: lastLabel.read(n) };
    },
    page: () => ({ path: listPath({ ...page, sort: '@rowid' }), token, expected: lastLabel.page }),
    range: (n) => {
      const path = listPath({ ...page, filter: `(x>=${rangeStart(n)})`, sort: 'x' });
      return { path, token, expected: lastLabel.range(rangeStart(n)) };
    },
    commit: (n) => {
      const json = JSON.stringify(makeRecord(n));
      const headers = { 'content-type': 'application/json' };
      return { path: RECORDS_PATH, headers, json, token, expected: `"name":"r${n}"` };
    },
  };
}
