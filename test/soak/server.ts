// The server of a run: a real process on one port, which can be killed and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export interface SoakServerOptions {
  /** What is started: `packages/server/src/main.ts`, or the server as it is published. */
  readonly file: string;
  readonly settings: Readonly<Record<string, string>>;
}

const ROOT = resolve(import.meta.dirname, '../..');
const OUTPUT_MAX = 20_000;
const LOOK_MS = 5;
/** Below those that Linux gives to clients: one that tries to connect while nobody listens must not be given the server's own. */
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

  /** On a free port, which it keeps. Another may take that one first: then on the next. */
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

  /** The end of what it has printed. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Resolves when it answers; fails when it ends instead. */
  async start(): Promise<void> {
    await this.launch().ready;
  }

  /** For who does not want to wait. */
  launch(): { readonly ready: Promise<void> } {
    const child = spawn(process.execPath, ['run.mjs', this.#options.file], {
      cwd: ROOT,
      env: { ...environment(), ...this.#options.settings, PORT: String(this.#port) },
      // By the fourth it learns that we are no more, and ends.
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

  /** Without warning. */
  async crash(): Promise<void> {
    const ended = this.#ended();
    const { pid } = this;
    end(pid);
    await ended;
    // Until then the port may be its own.
    while (isThere(pid)) await pause(LOOK_MS);
  }

  /** Gives what it ended with. */
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

/** One that has ended stays in the list until it is asked for its result. */
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
    // It has ended by itself.
  }
}

/** Whoever starts it may have settings of their own. */
function environment(): NodeJS.ProcessEnv {
  const foreign = /^(CAIRN_|PORT$|npm_|VITEST)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** Not by the seed of the run: others run by the same. */
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
