// Exports as files, and their import by a client: it sends one append after the other, then finishes until it is done.
import { hash } from 'node:crypto';
import { canonicalJson } from '@cairn/model/json';
import { formatDurableId } from '@cairn/model/wref';
import type { ExportHeader, ExportRow } from '@cairn/protocol/export';
import type { CallProcedure } from '../procedure.ts';
import type { TestApp } from '../server.ts';

export interface RepositoryAddress {
  readonly orgName: string;
  readonly repoName: string;
}

export interface ExportFile {
  readonly header: ExportHeader;
  readonly lines: readonly string[];
  readonly recordCount: number;
}

export async function exportFile(
  app: TestApp['app'],
  token: string,
  { orgName, repoName, query = '' }: RepositoryAddress & { query?: string },
): Promise<ExportFile> {
  const answer = await app.request(`/api/repos/${orgName}/${repoName}/export${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`the export answered ${answer.status}: ${text}`);
  return parseExport(text);
}

export function parseExport(text: string): ExportFile {
  const lines = text.trimEnd().split('\n');
  const header = JSON.parse(lines[0] ?? '') as ExportHeader;
  const { recordCount } = JSON.parse(lines.at(-1) ?? '') as { recordCount: number };
  return { header, lines: lines.slice(1, -1), recordCount };
}

export const rowsOf = ({ lines }: ExportFile): ExportRow[] => lines.map((line) => JSON.parse(line));

const DURABLE_ID = /"([0-7][0-9A-HJKMNP-TV-Z]{9})([0-9A-HJKMNP-TV-Z]{9})[0-9A-HJKMNP-TV-Z]{7}(@v\d+)?"/g;

/** Rows without the repository part of their identities, so that those of an original and its copy are equal. */
export function withoutIdentity({ lines }: ExportFile): object[] {
  const own = lines[0] === undefined ? '' : (JSON.parse(lines[0]) as ExportRow).durableId.slice(0, 10);
  const plain = (identity: string | undefined) => (identity?.startsWith(own) ? plainIdentity(identity) : identity);
  return lines.map((line) => {
    const row = JSON.parse(line) as ExportRow;
    return {
      ...row,
      durableId: plain(row.durableId),
      aboutDurableId: plain(row.aboutDurableId),
      committerDurableId: plain(row.committerDurableId),
      refs: row.refs?.map(([path, identity]) => [path, plain(identity)]),
    };
  });
}

/** The checksum at the end also depends on the repository. */
const plainIdentity = (identity: string) => identity.slice(10, 19) + identity.slice(26);

/** Removes the repository part from every identity in a text. */
export function withoutIdentityIn(text: string): string {
  return text.replaceAll(DURABLE_ID, (_, __, record, version = '') => `"${record}${version}"`);
}

export interface ImportOptions {
  readonly rows?: number;
}

export async function importFile(
  call: CallProcedure,
  address: RepositoryAddress,
  file: ExportFile,
  { rows = 1_000 }: ImportOptions = {},
) {
  const { importId, offset } = (await call('import.begin', { ...address, header: file.header })).data();
  for (let at = offset; at < file.lines.length; at += rows) {
    const lines = `${file.lines.slice(at, at + rows).join('\n')}\n`;
    (await call('import.append', { ...address, importId, offset: at, lines })).data();
  }
  return await finish(call, address, { importId, recordCount: file.recordCount });
}

export async function finish(
  call: CallProcedure,
  address: RepositoryAddress,
  { importId, recordCount }: { importId: string; recordCount: number },
) {
  for (;;) {
    const end = { type: 'end', recordCount } as const;
    const finished = (await call('import.finish', { ...address, importId, end })).data();
    if (finished.state === 'complete') return finished;
  }
}

const SOURCE_REPO_ID = 77;

export function headerOf(atRepoSeq: number, sinceRepoSeq = 0): ExportHeader {
  const commitId = hash('sha256', String(atRepoSeq));
  const pins = { mode: 'heads' as const, sinceRepoSeq, atRepoSeq, commitId };
  return { type: 'header', formatVersion: 1, repo: 'far/world', server: 'far', ...pins, exportedAt: 1 };
}

export function lineOf({ recordId, ...row }: { recordId: number } & Partial<ExportRow>): string {
  const { data = { fields: {} }, version = 1, repoSeq = 1, recordRepoSeq = repoSeq } = row;
  return JSON.stringify({
    type: 'record',
    kind: 'shape',
    durableId: formatDurableId({ repoId: SOURCE_REPO_ID, recordId }),
    version,
    name: `Shape${recordId}`,
    operation: version === 1 ? 'add' : 'revise',
    active: true,
    repoSeq,
    recordRepoSeq,
    data,
    dataHash: hash('sha256', canonicalJson(data, { maxDepth: 100 })),
    createdBy: 'user:far',
    recordCreatedAt: recordRepoSeq,
    versionCreatedAt: repoSeq,
    ...row,
  });
}

export function thingLine({ recordId, ...row }: { recordId: number } & Partial<ExportRow>): string {
  const place = { name: `Shape1/n${recordId}`, shapeName: 'Shape1', shapeVersion: 1 };
  return lineOf({ recordId, kind: 'thing', ...place, data: {}, ...row });
}
