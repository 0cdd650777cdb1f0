// Sequential requests on one connection, to a repository of any size, and streams that enlarge it.
import { setTimeout as pause } from 'node:timers/promises';
import type { CairnClient } from '@cairn/sdk';
import { requestText, type Sent } from './load-text.ts';
import type { LoadProcess, ServerProcess } from './process.ts';
import type { Contents } from './read-data.ts';

const LINES_A_PIECE = 500;
const SINGLE_COMMITS = 300;
const POINT_READS = 20_000;
const FOLLOW_MS = 250;
const REPOSITORY = '/api/repos/bench/world';

export interface Served {
  readonly token: string;
  readonly cairn: ServerProcess;
  readonly client: CairnClient;
  readonly load: LoadProcess;
}

export type ReadWork = 'point read' | 'page of 50' | 'indexed filter' | 'about';

export const readsAt = (records: number): Record<ReadWork, readonly Sent[]> => ({
  'point read': anyOf(records, POINT_READS).map((n) => ({ path: `${REPOSITORY}/head?match=Reading/r${n}` })),
  'page of 50': [{ path: `${REPOSITORY}/head?shape=Reading` }],
  'indexed filter': [{ path: `${REPOSITORY}/query?shape=Reading&where=score:gte:0.9` }],
  about: [{ path: `${REPOSITORY}/about/Reading%2Fr0` }],
});

const anyOf = (records: number, count: number) =>
  Array.from({ length: count }, () => Math.floor(Math.random() * records));

/** Answers a second. Without `ms`, each request is sent once. */
export async function answered(
  { load, cairn, token }: Pick<Served, 'load' | 'cairn' | 'token'>,
  sent: readonly Sent[],
  ms?: number,
): Promise<number> {
  const requests = sent.map((one) => ({ text: requestText({ ...one, token }), expected: '' }));
  const time = ms === undefined ? {} : { ms };
  const { answers, seconds } = await load.measure({ port: cairn.port, connections: 1, requests, ...time });
  return answers / seconds;
}

interface Revisions {
  readonly repoName: string;
  readonly records: number;
  readonly data: (n: number) => object;
}

/** Each revises a random record: the number of records stays the same. */
export function revisions({ repoName, records, data }: Revisions): Sent[] {
  return anyOf(records, SINGLE_COMMITS).map((n) => {
    const operations = [{ operation: 'revise', name: `Reading/r${n}`, data: data(n) }];
    const json = JSON.stringify({ orgName: 'bench', repoName, operations });
    return { path: '/trpc/commit.submit', json, headers: { 'content-type': 'application/json' } };
  });
}

interface Stretch {
  readonly repoName: string;
  readonly contents: Contents;
  readonly from: number;
  readonly to: number;
}

export async function fill({ client }: Served, { repoName, ...stretch }: Stretch): Promise<void> {
  const { from, to } = stretch;
  if (from >= to) return;
  const { applied } = await client.repo.stream('bench', repoName, linesOf(stretch));
  if (applied !== to - from) throw new Error(`${applied} of ${to - from} lines were applied`);
}

function* linesOf({ contents, from, to }: Omit<Stretch, 'repoName'>): Generator<string> {
  const line = (n: number) => `${JSON.stringify({ name: `Reading/r${n}`, data: contents.data(n) })}\n`;
  for (let n = from; n < to; n += LINES_A_PIECE) {
    const count = Math.min(LINES_A_PIECE, to - n);
    yield Array.from({ length: count }, (_, at) => line(n + at)).join('');
  }
}

/** Waits for the search index, whose work would disturb the next figure. */
export async function followed({ client }: Served): Promise<void> {
  const { repoSeq } = await client.repo.get('bench', 'world');
  for (;;) {
    const { searchedThrough = 0 } = await client.thing.search('bench', 'world', 'cellar', { limit: 1 });
    if (searchedThrough >= repoSeq) return;
    await pause(FOLLOW_MS);
  }
}
