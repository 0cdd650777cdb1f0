// Exports of recent changes: each row equals what was sent, no change is missing, and reads at the same sequence agree.
// Some exports also run as a job, whose file must equal the stream.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ExportRow } from '@cairn/sdk';
import { keyIn } from './content.ts';
import { cut } from './plain-http.ts';
import { problemInList } from './sight.ts';
import { ask, type Place } from './world.ts';

const SEQUENCES = 200;
const COMPARED_MAX = 200;
const POLL_MS = 200;
const UNAVAILABLE = 503;

interface Exported {
  readonly atRepoSeq: number;
  readonly rows: readonly ExportRow[];
}

const isRecord = ({ kind }: ExportRow) => kind === 'thing' || kind === 'assertion';

export async function exportSince({ world, model }: Place, sinceRepoSeq: number): Promise<Exported> {
  return await ask(world, 'export', async () => {
    const stream = world.client.repo.export(model.orgName, model.repoName, { sinceRepoSeq });
    const { atRepoSeq } = await stream.header;
    const rows: ExportRow[] = [];
    for await (const row of stream) rows.push(row);
    return { atRepoSeq, rows };
  });
}

export async function compareExport(place: Place): Promise<void> {
  const { world, model } = place;
  const since = Math.max(0, model.head - SEQUENCES);
  const { atRepoSeq, rows } = await exportSince(place, since);
  const records = rows.filter(isRecord);
  for (const row of records) world.findings.addFinding(problemInList(model, row, atRepoSeq));
  const keys = new Set(records.map(({ data }) => keyIn(data)));
  for (const { key } of model.changedBetween(since, atRepoSeq)) {
    if (keys.has(key)) continue;
    world.findings.add('export', `${model.name}: ${key} changed after ${since}, and is not exported at ${atRepoSeq}`);
  }
  await compareWithReads(place, { atRepoSeq, rows: records.slice(0, COMPARED_MAX) });
}

async function compareWithReads({ world, model }: Place, { atRepoSeq, rows }: Exported): Promise<void> {
  if (rows.length === 0) return;
  const wrefs = rows.map(({ durableId }) => durableId);
  const { items } = await ask(world, 'get many', () =>
    world.client.thing.getMany(model.orgName, model.repoName, wrefs, { atRepoSeq, includeRetracted: true }),
  );
  for (const [at, row] of rows.entries()) {
    const item = items[at];
    const exported = sharedOf(row);
    const read = item && sharedOf(item);
    if (isDeepStrictEqual(exported, read)) continue;
    const said = `${JSON.stringify(exported)} is exported at ${atRepoSeq}, and read as ${JSON.stringify(read)}`;
    world.findings.add('export', `${model.name}: ${said}`);
  }
}

type Shared = Pick<ExportRow, 'durableId' | 'name' | 'version' | 'active' | 'repoSeq' | 'data' | 'createdBy'>;

function sharedOf(row: Shared & { readonly dataHash?: string | undefined }): Record<string, unknown> {
  const { durableId, name, version, active, repoSeq, data, dataHash, createdBy } = row;
  return { durableId, name, version, active, repoSeq, data, dataHash, createdBy };
}

/** The file of a job has the announced digest and the same rows as the stream. */
export async function compareExportJob(place: Place): Promise<void> {
  const { world, model } = place;
  const sinceRepoSeq = Math.max(0, model.head - SEQUENCES);
  const range = { sinceRepoSeq, atRepoSeq: model.head };
  const file = await ask(world, 'export job', () => builtFile(place, range));
  const digest = createHash('sha256').update(file.bytes).digest('hex');
  if (digest !== file.contentSha256) {
    world.findings.add('export', `${model.name}: the file of ${file.atRepoSeq} has another digest than was told`);
  }
  const streamed = await ask(world, 'export', () => linesOf(place, range));
  const built = file.bytes.toString().trimEnd().split('\n').slice(1, -1);
  if (!isDeepStrictEqual(built, streamed)) {
    const said = `the file of ${file.atRepoSeq} has ${built.length} rows, the stream ${streamed.length}, or others`;
    world.findings.add('export', `${model.name}: ${said}`);
  }
}

interface Range {
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
}

async function builtFile({ world, model }: Place, range: Range) {
  const { orgName, repoName } = model;
  const { exportToken } = await world.client.export.mint(orgName, repoName, range);
  for (;;) {
    world.signal.throwIfAborted();
    const status = await world.client.export.status(orgName, repoName, exportToken);
    if (status.state === 'complete') {
      const { atRepoSeq, contentSha256 } = status;
      return { atRepoSeq, contentSha256, bytes: await downloaded(status.url) };
    }
    await pause(POLL_MS);
  }
}

async function downloaded(url: string): Promise<Buffer> {
  const answer = await fetch(url).catch((cause: unknown) => {
    throw cut(String(cause), cause);
  });
  if (answer.status === UNAVAILABLE) throw cut('the file cannot be had just now');
  if (!answer.ok) throw new Error(`the file was answered with ${answer.status}`);
  return Buffer.from(
    await answer.arrayBuffer().catch((cause: unknown) => {
      throw cut(String(cause), cause);
    }),
  );
}

async function linesOf({ world, model }: Place, range: Range): Promise<string[]> {
  const parts: Buffer[] = [];
  for await (const part of world.client.repo.exportLines(model.orgName, model.repoName, range)) {
    if (part.type === 'rows') parts.push(Buffer.from(part.lines));
  }
  const text = Buffer.concat(parts).toString().trimEnd();
  return text === '' ? [] : text.split('\n');
}
