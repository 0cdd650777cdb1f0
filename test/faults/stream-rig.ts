// A stream under faults: a server process, a client process (`cairn stream submit`) and the connection between them,
// each of which can be killed. The connection reads the server's acknowledgments.
import { once } from 'node:events';
import { CairnClient } from '@cairn/sdk';
import { expect } from 'vitest';
import { startProxy } from '../support/proxy.ts';
import { startCairn, startServerProcess, type TestProcess } from '../support/server.ts';

export const REPO = ['ada', 'world'] as const;
export const STREAM_ID = 'load';

export const KILLS = ['client', 'server', 'connection', 'client and server'] as const;
export type Kill = (typeof KILLS)[number];

export interface RigOptions {
  readonly settings: Record<string, string>;
  readonly token: string;
  readonly file: string;
}

const UPLOAD_BYTES = 8 * 1024;

export class StreamRig {
  readonly #options: RigOptions;
  readonly #progress = new EventTarget();
  readonly #watched = new Map<number, string>();
  #server!: TestProcess;
  #serverUrl = '';
  #client!: TestProcess;
  #proxy!: Awaited<ReturnType<typeof startProxy>>;
  readonly #events: string[] = [];
  acknowledged = 0;

  private constructor(options: RigOptions) {
    this.#options = options;
  }

  static async start(options: RigOptions): Promise<StreamRig> {
    const rig = new StreamRig(options);
    await rig.#startServer();
    rig.#proxy = await startProxy(() => rig.#serverUrl, {
      uploadBytes: UPLOAD_BYTES,
      change: (bytes, connection) => rig.#watch(bytes, connection),
    });
    rig.#startClient();
    return rig;
  }

  get api(): CairnClient {
    return new CairnClient({ url: this.#serverUrl, token: this.#options.token });
  }

  async reached(offset: number): Promise<void> {
    while (this.acknowledged < offset) {
      const ended = this.#client.ended().then(() => {
        const story = [...this.#events.slice(-10), this.#client.output()].join('\n');
        throw new Error(`the client ended after ${this.acknowledged} lines:\n${story}`);
      });
      await Promise.race([once(this.#progress, 'acknowledged'), ended]);
    }
  }

  #note(event: string): void {
    this.#events.push(`${(performance.now() / 1000).toFixed(1)} s, ${this.acknowledged} lines: ${event}`);
  }

  async kill(kill: Kill): Promise<void> {
    this.#note(`kill ${kill}`);
    if (kill === 'connection') return this.#proxy.cut();
    const killed = [...(kill === 'server' ? [] : [this.#client]), ...(kill === 'client' ? [] : [this.#server])];
    for (const { child } of killed) child.kill('SIGKILL');
    await Promise.all(killed.map((process) => process.ended()));
    if (kill !== 'server') this.#startClient();
    if (kill !== 'client') await this.#startServer();
  }

  async clientEnd(): Promise<{ code: number | null; output: string }> {
    const { code } = await this.#client.ended();
    return { code, output: this.#client.output() };
  }

  async stopServer(): Promise<void> {
    this.#server.child.kill('SIGTERM');
    await this.#server.ended();
  }

  /** After each restart, all acknowledged lines must be there. */
  async #startServer(): Promise<void> {
    this.#server = startServerProcess({
      PORT: '0',
      CAIRN_LOG_LEVEL: 'silent',
      ...this.#options.settings,
    });
    const [, url = ''] = await this.#server.printed(/is at (\S+) /);
    const { acknowledged } = this;
    this.#serverUrl = url;
    this.#note('server is there');
    const { offset } = await this.api.stream.status(...REPO, STREAM_ID);
    expect(offset).toBeGreaterThanOrEqual(acknowledged);
  }

  #startClient(): void {
    const { token, file } = this.#options;
    const args = ['--json', 'stream', 'submit', file, '--stream', STREAM_ID];
    const environment = { CAIRN_URL: this.#proxy.url, CAIRN_TOKEN: token, CAIRN_REPO: REPO.join('/') };
    this.#client = startCairn(args, environment);
    const { child } = this.#client;
    child.once('exit', (code, signal) => this.#note(`client ended by ${signal ?? code}`));
  }

  #watch(bytes: Buffer, connection: number): Buffer {
    const text = (this.#watched.get(connection) ?? '') + bytes.toString('latin1');
    for (const [, offset] of text.matchAll(/"type":"(?:ack|end)","offset":(\d+),/g)) {
      this.acknowledged = Math.max(this.acknowledged, Number(offset));
    }
    this.#watched.set(connection, text.slice(-100));
    this.#progress.dispatchEvent(new Event('acknowledged'));
    return bytes;
  }
}
