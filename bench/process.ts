// Processes of the HTTP benchmarks: Cairn as operators start it, a bare server, and clients. They end with this
// process, even if it crashes.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../test/support/postgres.ts';
import type { Download, Downloaded } from './export-client.ts';
import type { Heard, LiveOrder } from './live-client.ts';
import type { Load, LoadAnswers, LoadResult } from './load.ts';

const SAMPLE_MS = 200;
const ASK_AGAIN_MS = 2;
const ROOT = join(import.meta.dirname, '..');

export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startCairn(settings: Record<string, string>): Promise<ServerProcess> {
  const child = fork(join(ROOT, 'run.mjs'), ['packages/server/src/main.ts'], {
    cwd: ROOT,
    env: { ...environment(), PORT: '0', CAIRN_LOG_LEVEL: 'silent', ...settings },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  return { port: await printedPort(child), pid: child.pid ?? 0, stop: () => end(child) };
}

function printedPort(child: ChildProcess): Promise<number> {
  let output = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (text: Buffer) => {
      output += text;
      const port = /is at \S+:(\d+) /.exec(output)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('exit', () => reject(new Error(`Cairn ended: ${output}`)));
  });
}

export async function call<Answer>(
  { cairn, token }: { readonly cairn: ServerProcess; readonly token: string },
  procedure: string,
  input: object,
): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${cairn.port}/trpc/${procedure}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  const body = (await answer.json()) as { result?: { data: Answer } };
  if (body.result === undefined) throw new Error(`${procedure} answered ${answer.status}: ${JSON.stringify(body)}`);
  return body.result.data;
}

interface Program {
  readonly command?: string;
  readonly args: (port: number) => readonly string[];
  readonly env?: Record<string, string>;
  readonly live: string;
}

export interface StartedServer extends ServerProcess {
  readonly startMs: number;
}

/** Starts any server, by default on this Node. Its standard output is discarded. */
export async function startServer({ command = process.execPath, args, env, live }: Program): Promise<StartedServer> {
  const port = await freePort();
  const start = performance.now();
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const;
  const child = spawn(command, args(port), { cwd: ROOT, env: { ...environment(), ...env }, stdio: [...stdio] });
  let errors = '';
  child.stderr?.on('data', (text: Buffer) => {
    errors += text;
  });
  while (!(await isLive(`http://127.0.0.1:${port}${live}`))) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${command} ended: ${errors}`);
    await pause(ASK_AGAIN_MS);
  }
  return { port, pid: child.pid ?? 0, stop: () => end(child), startMs: performance.now() - start };
}

async function isLive(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

export interface DownloadProcess {
  measure(download: Download): Promise<Downloaded>;
  stop(): Promise<void>;
}

export function startDownload(): DownloadProcess {
  const child = forkHere('export-client.ts');
  return {
    measure: async (download) => {
      child.send(download);
      return await answerOf<Downloaded>(child);
    },
    stop: () => end(child),
  };
}

export interface LiveProcess {
  order(order: LiveOrder): Promise<Heard>;
  stop(): Promise<void>;
}

export function startLive(): LiveProcess {
  const child = forkHere('live-client.ts');
  return {
    order: async (order) => {
      child.send(order);
      return await answerOf<Heard>(child);
    },
    stop: () => end(child),
  };
}

export interface LoadProcess {
  measure(load: Load): Promise<LoadAnswers>;
  stop(): Promise<void>;
}

export function startLoad(): LoadProcess {
  const child = forkHere('load.ts');
  return {
    measure: async (load) => {
      child.send(load);
      const result = await answerOf<LoadResult>(child);
      if ('problem' in result) throw new Error(result.problem);
      return result;
    },
    stop: () => end(child),
  };
}

/** Rejects if the process ends first. */
async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  const answered = new AbortController();
  const { signal } = answered;
  const ended = once(child, 'exit', { signal }).then(() =>
    Promise.reject(new Error('A process of the benchmark ended.')),
  );
  ended.catch(() => {});
  const [answer] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Answer];
  answered.abort();
  return answer;
}

// Index keys are bytes, which JSON cannot carry.
function forkHere(file: string): ChildProcess {
  return fork(join(import.meta.dirname, file), { serialization: 'advanced' });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CAIRN_')));
}

export async function residentBytes(server: ServerProcess, metricsToken: string): Promise<number> {
  return Number(/^process_resident_memory_bytes (\d+)/m.exec(await metricsOf(server, metricsToken))?.[1]);
}

async function metricsOf({ port }: ServerProcess, metricsToken: string): Promise<string> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  return await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
}

interface Watched {
  readonly metricsToken: string;
  readonly work: Promise<unknown>;
}

export async function peakWhile(server: ServerProcess, { metricsToken, work }: Watched): Promise<number> {
  let working = true;
  const ended = () => {
    working = false;
  };
  work.then(ended, ended);
  let peak = 0;
  while (working) {
    peak = Math.max(peak, await residentBytes(server, metricsToken));
    await pause(SAMPLE_MS);
  }
  return peak;
}
