// A real HAProxy in front of three nodes, with the configuration of docs/scale.md and other addresses.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { balancerUrl } from './balancer.ts';
import type { LoopbackNetwork } from './loopback-network.ts';
import { blockListOf, readPage } from './page-example.ts';
import { findProgram } from './program.ts';
import { startProcess, testFolder } from './server.ts';

const PAGE = 'docs/scale.md';
const LOOK_EVERY_MS = 20;

export const findHaproxy = () =>
  process.env.CAIRN_TEST_HAPROXY || findProgram(['haproxy'], ['/usr/sbin', '/usr/local/sbin']);

/** Resolves when HAProxy passes a request on. It stops with the test. */
export async function startHaproxy(network: LoopbackNetwork): Promise<void> {
  const file = join(testFolder(), 'haproxy.cfg');
  writeFileSync(file, configurationOn(network));
  const { child, output } = startProcess(findHaproxy() ?? 'haproxy', ['-db', '-f', file], {});
  while (!(await answers(`${balancerUrl(network)}/health/live`))) {
    if (child.exitCode !== null) throw new Error(`HAProxy does not start:\n${output()}`);
    await pause(LOOK_EVERY_MS);
  }
}

function configurationOn({ host, port }: LoopbackNetwork): string {
  const text = blockListOf(readPage(PAGE), 'text').find((block) => block.includes('\nbackend '));
  if (text === undefined) throw new Error(`${PAGE} has no configuration of HAProxy any more`);
  return text
    .replace('bind :8780', `bind ${new URL(balancerUrl({ host, port })).host}`)
    .replaceAll(/10\.0\.0\.(\d+):8787/g, (_, machine: string) => `${host(Number(machine))}:${port}`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}
