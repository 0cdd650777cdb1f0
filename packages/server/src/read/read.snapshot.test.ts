// Pages show one snapshot: two clients page through records while a third rewrites them all
// (test/support/read/rewriting.ts). Over sockets, because calls in one process would not interleave.
import type { CommitResult } from '@cairn/protocol/commit';
import type { RecordItem } from '@cairn/protocol/record';
import { describe, expect, it } from 'vitest';
import { Rewriting, type ShownRecord } from '../../../../test/support/read/rewriting.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { amount, IS_LONG } from '../../../../test/support/suite.ts';

const RECORDS = amount('SNAPSHOT_RECORDS', { short: 5_000, long: 20_000 });
const PLANS = [
  { engine: 'sqlite', rounds: IS_LONG ? 3 : 1 },
  { engine: 'postgres', rounds: IS_LONG ? 2 : 1 },
] as const;
const STRETCH = RECORDS / 4;
const PAGES_BETWEEN = RECORDS / 2_500;
const ADDRESS = { orgName: 'ada', repoName: 'many' };

interface Client {
  readonly label: string;
  readonly query: string;
  readonly sort: (a: ShownRecord, b: ShownRecord) => number;
}

const byName = (a: ShownRecord, b: ShownRecord) => (a.name < b.name ? -1 : 1);
const CLIENTS: readonly Client[] = [
  { label: 'by name', query: 'kind=thing&order=name&limit=500', sort: byName },
  { label: 'by change', query: 'kind=thing&order=updated&limit=333', sort: (a, b) => a.repoSeq - b.repoSeq },
];

interface Pages {
  readonly repoSeq: number;
  readonly items: readonly ShownRecord[];
}

class Scene {
  readonly rewriting: Rewriting;
  readonly #url: string;
  readonly #token: string;
  pages = 0;
  #waiting: (() => void)[] = [];

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
    this.rewriting = new Rewriting((operations) => this.#commit(operations));
  }

  async #send(path: string, options: RequestInit = {}): Promise<string> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${this.#url}${path}`, { ...options, headers });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return text;
  }

  async createRepository(): Promise<void> {
    const body = JSON.stringify({ orgName: ADDRESS.orgName, name: ADDRESS.repoName });
    await this.#send('/trpc/repo.create', { method: 'POST', body });
  }

  async #commit(operations: readonly object[]): Promise<number> {
    const body = JSON.stringify({ ...ADDRESS, operations });
    const text = await this.#send('/trpc/commit.submit', { method: 'POST', body });
    return (JSON.parse(text) as { result: { data: CommitResult } }).result.data.repoSeq;
  }

  async pageThrough({ query }: Client): Promise<Pages> {
    const items: ShownRecord[] = [];
    const seqs = new Set<number>();
    let cursor: string | undefined;
    do {
      const page = await this.#page(cursor === undefined ? query : `${query}&cursor=${cursor}`);
      seqs.add(page.repoSeq);
      items.push(...page.items.map(shown));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect([...seqs]).toHaveLength(1);
    return { repoSeq: [...seqs][0] ?? 0, items };
  }

  async #page(query: string): Promise<{ repoSeq: number; items: RecordItem[]; nextCursor?: string }> {
    const text = await this.#send(`/api/repos/ada/many/head?${query}`);
    this.pages += 1;
    this.#wake();
    return JSON.parse(text);
  }

  #wake(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  async reached(pages: number): Promise<void> {
    while (this.pages < pages) await new Promise<void>((go) => this.#waiting.push(go));
  }

  async rewriteOften(rounds: number): Promise<void> {
    let commits = 0;
    const turn = async () => await this.reached(++commits * PAGES_BETWEEN);
    for (let round = 1; round <= rounds; round++) {
      for (let from = 0; from < RECORDS; from += STRETCH) {
        await turn();
        await this.rewriting.rewrite(round, { from, to: from + STRETCH });
      }
      await turn();
      await this.rewriting.renameShape(`Item${round}`);
    }
  }

  expectSnapshot({ repoSeq, items }: Pages, { label, sort }: Client): void {
    const wanted = this.rewriting.shownAt(repoSeq).toSorted(sort);
    const differing = items.findIndex((item, index) => JSON.stringify(item) !== JSON.stringify(wanted[index]));
    expect(items[differing], `${label} at ${repoSeq}, place ${differing}`).toEqual(wanted[differing]);
    expect(items.length, `${label} at ${repoSeq}`).toBe(wanted.length);
  }
}

const shown = ({ name, version, active, repoSeq, data }: RecordItem): ShownRecord => ({
  name,
  version,
  active,
  repoSeq,
  n: (data as { n: number }).n,
});

describe.each(PLANS)('pages under writes on $engine', ({ engine, rounds }) => {
  it('are one snapshot each, with no record twice and none missing', async () => {
    const { url, store } = await startTestServer(engine);
    const scene = new Scene(url, await createOwnerToken(store));
    await scene.createRepository();
    await scene.rewriting.fill(RECORDS);
    const before = scene.rewriting.repoSeq;
    const readTwice = async (client: Client) => [await scene.pageThrough(client), await scene.pageThrough(client)];
    const [, ...found] = await Promise.all([scene.rewriteOften(rounds), ...CLIENTS.map(readTwice)]);
    for (const [index, client] of CLIENTS.entries()) {
      const [first, second] = found[index] ?? [];
      if (first === undefined || second === undefined) throw new Error('a client has read nothing');
      expect(first.repoSeq).toBe(before);
      expect(second.repoSeq).toBeGreaterThan(before);
      scene.expectSnapshot(first, client);
      scene.expectSnapshot(second, client);
    }
  });
});
