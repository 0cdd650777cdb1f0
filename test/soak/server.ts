// The server of a run: a real process with a fixed port, which can be killed and restarted.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface SoakServerOptions {
  /** The program to start: `packages/server/src/main.ts`, or the published server. */
  readonly file: string;
  readonly settings: Readonly<Record<string, string>>;
}

const ROOT = resolve(import.meta.dirname, '../..');
const OUTPUT_MAX = 20_000;
const LOOK_MS = 5;
/**
 * Below the range that Linux gives to clients. A client that connects while nobody listens could otherwise get the
 * server's own port.
 */
const PORTS = { from: 20_000, count: 12_000 };

export class SoakServer {
  readonly #options: SoakServerOptions;
  readonly #port: number;
  #child: ChildProcess | undefined;
  #output = '';

  private constructor(options: SoakServerOptions, port: number) {
    this.#options = options;
    this.#port = port;
  }

  static async start(options: SoakServerOptions): Promise<SoakServer> {
    for (;;) {
      const server = new SoakServer(options, await freePort());
      try {
        await server.start();
        return server;
      } catch (error) {
        if (!/ the port \d+ is in use\./.test(server.output)) throw error;
      }
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async start(): Promise<void> {
    await this.launch().ready;
  }

  launch(): { readonly ready: Promise<void> } {
    const child = spawn(process.execPath, ['run.mjs', this.#options.file], {
      cwd: ROOT,
      env: { ...environment(), ...this.#options.settings, PORT: String(this.#port) },
      // The IPC channel closes when this process ends, and the server then ends too.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    const ready = Promise.withResolvers<void>();
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text: Buffer) => {
        this.#output = (this.#output + text).slice(-OUTPUT_MAX);
        printed = (printed + text).slice(-OUTPUT_MAX);
        if (/ is at \S+ /.test(printed)) ready.resolve();
      });
    }
    child.once('exit', (code, signal) => {
      const end = signal === null ? `with ${code}` : `by ${signal}`;
      ready.reject(new Error(`The server ended ${end} before it was ready:\n${this.#output}`));
    });
    ready.promise.catch(() => {});
    return { ready: ready.promise };
  }

  async crash(): Promise<void> {
    const ended = this.#ended();
    const { pid } = this;
    end(pid);
    await ended;
    // Until then the process may still hold the port.
    while (isThere(pid)) await pause(LOOK_MS);
  }

  async stop(): Promise<number | string | null> {
    const ended = this.#ended();
    this.#child?.kill('SIGTERM');
    return await ended;
  }

  async #ended(): Promise<number | string | null> {
    const child = this.#child;
    if (child === undefined) return null;
    if (child.exitCode !== null || child.signalCode !== null) return child.signalCode ?? child.exitCode;
    return await new Promise((done) => child.once('exit', (code, signal) => done(signal ?? code)));
  }
}

/** An ended process stays in the list as a zombie until its parent collects its exit status. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended by itself.
  }
}

/** Settings in the environment of the person who starts the run must not reach the server. */
function environment(): NodeJS.ProcessEnv {
  const foreign = /^(CAIRN_|PORT$|npm_|VITEST)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** Random rather than seeded, because several runs may use the same seed. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + randomInt(PORTS.count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer().once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}
