// Three nodes on one PostgreSQL, each with its own address, behind a load balancer. Each can be killed, stopped or
// frozen while clients continue, and be brought back.
import { setTimeout as pause } from 'node:timers/promises';
import { CairnClient } from '@cairn/sdk';
import { expect } from 'vitest';
import { balancerUrl, startBalancer } from '../support/balancer.ts';
import { startHaproxy } from '../support/haproxy.ts';
import { type LoopbackNetwork, openNetwork } from '../support/loopback-network.ts';
import { openFilesOf } from '../support/open-file.ts';
import { startServerProcess, type TestProcess, testFolder } from '../support/server.ts';

export const NODES = ['a', 'b', 'c'] as const;
export type NodeName = (typeof NODES)[number];

export interface RigOptions {
  readonly settings: Record<string, string>;
  readonly token: string;
  readonly usesHaproxy: boolean;
}

export interface Answered {
  readonly path: string;
  readonly node: NodeName;
}

export interface Visitor {
  readonly client: CairnClient;
  readonly trail: readonly Answered[];
}

const SECRET = 'the secret that all nodes of a test share';
/** A restart may take long on a busy machine, so clients must not give up early. */
const RETRY = { tries: 100 };
const LOOK_EVERY_MS = 100;

const isNode = (name: string | null): name is NodeName => NODES.some((node) => node === name);

export class NodeRig {
  readonly url: string;
  readonly answers = new Map<NodeName, number>(NODES.map((node) => [node, 0]));
  readonly #network: LoopbackNetwork;
  readonly #options: RigOptions;
  readonly #shared: Record<string, string>;
  readonly #running = new Map<NodeName, TestProcess>();
  readonly #processes: TestProcess[] = [];

  private constructor(network: LoopbackNetwork, options: RigOptions) {
    this.#network = network;
    this.#options = options;
    this.url = balancerUrl(network);
    this.#shared = {
      PORT: String(network.port),
      CAIRN_PUBLIC_URL: this.url,
      CAIRN_TRUSTED_PROXIES: 'loopback',
      CAIRN_SECRET: SECRET,
      CAIRN_BLOBS: `file:${testFolder()}`,
      CAIRN_LOG_LEVEL: 'error',
      ...options.settings,
    };
  }

  static async start(options: RigOptions): Promise<NodeRig> {
    const network = await openNetwork();
    const rig = new NodeRig(network, options);
    await Promise.all(NODES.map((node) => rig.#launch(node)));
    await (options.usesHaproxy ? startHaproxy(network) : startBalancer(network, NODES));
    for (const node of NODES) await rig.#joined(node);
    return rig;
  }

  visitor(): Visitor {
    const trail: Answered[] = [];
    const send: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      const node = answer.headers.get('x-cairn-node');
      const { pathname: path } = new URL(String(input));
      if (isNode(node)) {
        this.answers.set(node, (this.answers.get(node) ?? 0) + 1);
        if (!path.startsWith('/trpc/')) trail.push({ path, node });
      }
      return answer;
    };
    const { token } = this.#options;
    return { client: new CairnClient({ url: this.url, token, fetch: send, retry: RETRY }), trail };
  }

  async kill(...nodes: readonly NodeName[]): Promise<void> {
    for (const node of nodes) this.#process(node).child.kill('SIGKILL');
    await Promise.all(nodes.map((node) => this.#process(node).ended()));
  }

  /** Stops a node as an operator would, which lets it finish its current work. */
  async stop(node: NodeName): Promise<void> {
    this.#process(node).child.kill('SIGTERM');
    expect(await this.#process(node).ended()).toEqual({ code: 0, signal: null });
  }

  /** Suspends the process and leaves its connections open. */
  freeze(node: NodeName): void {
    this.#process(node).child.kill('SIGSTOP');
  }

  async thaw(node: NodeName): Promise<void> {
    this.#process(node).child.kill('SIGCONT');
    await this.#joined(node);
  }

  async startAgain(...nodes: readonly NodeName[]): Promise<void> {
    await Promise.all(nodes.map((node) => this.#launch(node)));
    for (const node of nodes) await this.#joined(node);
  }

  /** The node that has a file or socket open. `part` is a part of the path or the name of the socket. */
  whoHas(part: string): NodeName | undefined {
    return NODES.find((node) => openFilesOf(this.#process(node).child.pid).some((path) => path.includes(part)));
  }

  logged(): string[] {
    return this.#processes.flatMap((process) =>
      process
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{')),
    );
  }

  #process(node: NodeName): TestProcess {
    const running = this.#running.get(node);
    if (running === undefined) throw new Error(`node ${node} was not started`);
    return running;
  }

  async #launch(node: NodeName): Promise<void> {
    const host = this.#network.host(NODES.indexOf(node) + 1);
    const process = startServerProcess({ ...this.#shared, CAIRN_HOST: host, CAIRN_DATA: testFolder() });
    this.#running.set(node, process);
    this.#processes.push(process);
    await process.printed(/is at (\S+) /);
  }

  async #joined(node: NodeName): Promise<void> {
    while ((await this.#nextToAnswer()) !== node) await pause(LOOK_EVERY_MS);
  }

  async #nextToAnswer(): Promise<string | null | undefined> {
    const answer = await fetch(`${this.url}/health/live`).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.headers.get('x-cairn-node');
  }
}
