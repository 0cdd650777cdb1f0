// One request after the other on one connection, to a server whose repository may be of any size; and streams that make it larger.
import { setTimeout as pause } from 'node:timers/promises';
import type { CairnClient } from '@cairn/sdk';
import { NUMBER } from './load-text.ts';
import type { LoadProcess, ServerProcess } from './process.ts';
import type { Contents } from './read-data.ts';
import type { Load } from './read-load.ts';

const LINES_A_PIECE = 500;
const SINGLE_COMMITS = 300;
const FOLLOW_MS = 250;
const REPOSITORY = '/api/repos/bench/world';

export interface Served {
  readonly token: string;
  readonly cairn: ServerProcess;
  readonly client: CairnClient;
  readonly load: LoadProcess;
}

export type ReadWork = 'point read' | 'page of 50' | 'indexed filter' | 'about';

export type Read = Pick<Load, 'path' | 'numbers'>;

/** The point read is of any record, so that all of the repository is touched. */
export const readsAt = (records: number): Record<ReadWork, Read> => ({
  'point read': { path: `${REPOSITORY}/head?match=Reading/r${NUMBER}`, numbers: { below: records } },
  'page of 50': { path: `${REPOSITORY}/head?shape=Reading` },
  'indexed filter': { path: `${REPOSITORY}/query?shape=Reading&where=score:gte:0.9` },
  about: { path: `${REPOSITORY}/about/Reading%2Fr0` },
});

export type Request = Omit<Load, 'port' | 'token' | 'connections'>;

/** How many were answered in a second. */
export async function answered({ load, cairn, token }: Served, request: Request): Promise<number> {
  const { perSecond, refused } = await load.measure({ ...request, port: cairn.port, token, connections: 1 });
  if (refused > 0) throw new Error(`${request.path} was refused ${refused} times`);
  return perSecond;
}

interface Revision {
  readonly repoName: string;
  readonly records: number;
  readonly data: object;
}

/** Each is another version of any record: there are as many records as before. */
export function commitRequest({ repoName, records, data }: Revision): Omit<Request, 'ms'> {
  const operations = [{ operation: 'revise', name: `Reading/r${NUMBER}`, data }];
  return {
    path: '/trpc/commit.submit',
    json: JSON.stringify({ orgName: 'bench', repoName, operations }),
    headers: { 'content-type': 'application/json' },
    numbers: { below: records },
    requests: SINGLE_COMMITS,
  };
}

interface Stretch {
  readonly repoName: string;
  readonly contents: Contents;
  readonly from: number;
  readonly to: number;
}

/** Adds records by a stream. */
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

/** Until words can be found in all of it: what runs beside a figure would be in it. */
export async function followed({ client }: Served): Promise<void> {
  const { repoSeq } = await client.repo.get('bench', 'world');
  for (;;) {
    const { searchedThrough = 0 } = await client.thing.search('bench', 'world', 'cellar', { limit: 1 });
    if (searchedThrough >= repoSeq) return;
    await pause(FOLLOW_MS);
  }
}
