// An export as lines of NDJSON: header, rows page by page, end mark. Streams and built files have the same lines.
import { randomUUID } from 'node:crypto';
import type { ExportHeader } from '@cairn/protocol/export';
import { EXPORT_FORMAT_VERSION } from '@cairn/protocol/version';
import type { Grant, SystemGrant } from '../access/grant.rule.ts';
import { findCommitId } from '../commit/commit-read.sql.ts';
import { damaged } from '../commit/integrity.rule.ts';
import { findServerFact } from '../keys/server-fact.sql.ts';
import type { Store } from '../store.ts';
import type { ExportPage, ExportPlace, ExportPlan, ExportRange } from './export-page.sql.ts';

interface ExportSource {
  readonly grant: Grant | SystemGrant;
  readonly repo: string;
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
  readonly after?: ExportPlace | undefined;
}

/** The version of a place whose record was received completely. */
export const ALL_VERSIONS = Number.MAX_SAFE_INTEGER;

type Lines = Uint8Array<ArrayBuffer>;

export async function* exportLines(store: Store, source: ExportSource): AsyncGenerator<Lines, number> {
  yield lineOf(await headerOf(store, source));
  let recordCount = 0;
  let seen = 0;
  const { grant, sinceRepoSeq, atRepoSeq, after } = source;
  const plan = await store.exports.plan({ repoId: grant.repoId, sinceRepoSeq, atRepoSeq, after });
  for await (const page of pagesOf(store, source, plan)) {
    recordCount += page.recordCount;
    seen += page.seen;
    if (page.recordCount > 0) yield page.bytes;
  }
  // A damaged database page may end a list early or repeat rows.
  if (plan.rows !== undefined && plan.rows !== seen) {
    throw damaged(`The repository is damaged: the export found ${seen} rows instead of ${plan.rows}.`);
  }
  yield lineOf({ type: 'end', recordCount });
  return recordCount;
}

function lineOf(value: object): Lines {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}

async function headerOf(store: Store, source: ExportSource): Promise<ExportHeader> {
  const { grant, repo, sinceRepoSeq, atRepoSeq } = source;
  const commitId = await findCommitId(store.database, { repoId: grant.repoId, repoSeq: atRepoSeq });
  const server = await serverId(store);
  const pinned = { mode: 'heads' as const, sinceRepoSeq, atRepoSeq, commitId };
  return { type: 'header', formatVersion: EXPORT_FORMAT_VERSION, repo, server, ...pinned, exportedAt: Date.now() };
}

/** References to other repositories are valid only on the same server, so a receiver must be able to recognize it. */
export async function serverId(store: Store): Promise<string> {
  const name = 'server-id';
  return (
    (await findServerFact(store.database, name)) ?? (await store.write.claimServerFact({ name, value: randomUUID() }))
  );
}

async function* pagesOf(
  store: Store,
  { grant, sinceRepoSeq, atRepoSeq, after }: ExportSource,
  plan: ExportPlan,
): AsyncGenerator<ExportPage> {
  const range = { repoId: grant.repoId, sinceRepoSeq, atRepoSeq };
  const read = (place: ExportPlace) => readPage(store, range, plan, place);
  let next: Promise<ExportPage> | undefined = read(after ?? { recordId: 0, version: 0 });
  while (next !== undefined) {
    const page: ExportPage = await next;
    next = page.place && read(page.place);
    // Nobody awaits the page if the client has disconnected.
    next?.catch(() => {});
    yield page;
  }
}

const IDS_A_PAGE = 1_000;

async function readPage(store: Store, range: ExportRange, plan: ExportPlan, place: ExportPlace): Promise<ExportPage> {
  const { ids, lastRecordId } = plan;
  if (ids === undefined) return await store.exports.page({ range, after: place, lastRecordId });
  const start = ids.findIndex((id) => id >= place.recordId);
  const some = start === -1 ? [] : ids.slice(start, start + IDS_A_PAGE);
  const page = await store.exports.page({ range, after: place, lastRecordId, ids: some });
  const last = some.at(-1);
  const isLast = last === undefined || last === ids.at(-1);
  if (page.place !== undefined || isLast) return page;
  return { ...page, place: { recordId: last, version: ALL_VERSIONS } };
}
