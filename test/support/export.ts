// A repository with records of every kind, and exports of it over HTTP.

import type { ScopeEntry } from '@cairn/protocol/account';
import type { ExportHeader, ExportRow } from '@cairn/protocol/export';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { findRepository } from '../../packages/server/src/repository/repository.sql.ts';
import { createComponentToken, createSession } from './principal.ts';
import { type CallProcedure, caller } from './procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf, type TestApp } from './server.ts';

export const WORLD = { orgName: 'ada', repoName: 'world' };

/**
 * Commits 1 to 7: shapes with one and three versions, things, an assertion, a collection, a rename and a retraction.
 */
export const WORLD_COMMITS: readonly (readonly object[])[] = [
  [
    { kind: 'shape', name: 'Room', data: { fields: { 'size?': 'number' } } },
    { kind: 'shape', name: 'Sensor', data: { fields: { 'room?': 'wref' } } },
    { kind: 'shape', name: 'Claim', data: { fields: {} } },
  ],
  [
    { name: 'Room/a', data: { size: 1 } },
    { name: 'Room/b', data: {} },
    { name: 'Sensor/t', data: { room: 'Room/a', note: 'größer "als" 🪨' } },
    { name: 'Claim/cold', about: 'Room/a', data: { sure: true } },
    { kind: 'collection', type: 'arc', name: 'Arc/way', members: ['Room/a', 'Room/b'] },
  ],
  [{ operation: 'revise', kind: 'shape', name: 'Sensor', data: { fields: { 'room?': 'wref', 'unit?': 'string' } } }],
  [{ operation: 'revise', name: 'Sensor/t', data: { room: 'Room/b', unit: 'K' } }],
  [{ operation: 'rename', name: 'Room/b', newName: 'Room/beta' }],
  [{ operation: 'retract', name: 'Room/a', reason: 'collapsed' }],
  [{ operation: 'revise', kind: 'shape', name: 'Sensor', data: { fields: { 'room?': 'wref', 'of?': 'wref' } } }],
];

export interface Exportable extends Awaited<ReturnType<typeof createExportable>> {}

export async function createExportable(engine: Engine, environment: Record<string, string> = {}) {
  const { app, store, blobs, logged } = await createTestApp(engine, environment);
  await createOwnerToken(store);
  const session = (await createSession(store, { accountId: await ownerIdOf(store) })).token;
  const owner = caller(app, session);
  (await owner('repo.create', { orgName: 'ada', name: 'world' })).data();
  for (const operations of WORLD_COMMITS) await commit(owner, operations);
  const withScopes = async (name: string, ...scopes: ScopeEntry[]) =>
    (await owner('token.create', { name, scopes })).data().token;
  const repoId = (await findRepository(store.database, WORLD))?.repoId ?? 0;
  const component = (kind: 'setup' | 'runtime' = 'runtime') => createComponentToken(store, { repoId, kind });
  return { app, store, blobs, logged, owner, session, withScopes, component };
}

export async function commit(owner: CallProcedure, operations: readonly object[]): Promise<number> {
  return (await owner('commit.submit', { ...WORLD, operations: [...operations] })).data().repoSeq;
}

export interface ExportRequest {
  readonly query?: string;
  readonly token?: string | undefined;
  readonly repo?: string;
  readonly method?: string;
}

export async function requestExport(
  app: TestApp['app'],
  { query = '', token, repo = 'ada/world', method = 'GET' }: ExportRequest,
): Promise<Response> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return await app.request(`/api/repos/${repo}/export${query === '' ? '' : `?${query}`}`, { method, headers });
}

export interface ParsedExport {
  readonly header: ExportHeader;
  readonly rows: ExportRow[];
  readonly lines: string[];
  readonly recordCount: number | undefined;
}

export function parseExport(text: string): ParsedExport {
  const lines = text.split('\n').slice(0, -1);
  const last = JSON.parse(lines.at(-1) ?? '{}');
  const isWhole = last.type === 'end';
  const rows = lines.slice(1, isWhole ? -1 : undefined);
  return {
    header: JSON.parse(lines[0] ?? '{}'),
    rows: rows.map((line) => JSON.parse(line)),
    lines: rows,
    recordCount: isWhole ? last.recordCount : undefined,
  };
}

/** Reads a stream to its end and expects it to be valid. */
export async function exportAll(
  { app, session }: Pick<Exportable, 'app' | 'session'>,
  query = '',
): Promise<ParsedExport> {
  const answer = await requestExport(app, { query, token: session });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`the export answered ${answer.status}: ${text}`);
  return parseExport(text);
}

export async function refusalOf(answer: Response): Promise<{ status: number; code: string; message: string }> {
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  return { status: answer.status, code: error.code, message: error.message };
}
