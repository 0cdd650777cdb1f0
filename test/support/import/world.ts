// A server with a repository that contains something of everything an export can contain, and empty repositories to
// import into.
import type { Engine } from '../../../packages/server/src/engine/database.ts';
import { createSession } from '../principal.ts';
import { type CallProcedure, caller } from '../procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf, type TestApp } from '../server.ts';
import { type ExportFile, exportFile, type RepositoryAddress } from './file.ts';

export const WORLD = { orgName: 'ada', repoName: 'world' };
export const COPY = { orgName: 'ada', repoName: 'copy' };
export const OTHER = { orgName: 'ada', repoName: 'other' };

export interface ImportWorld extends TestApp {
  readonly token: string;
  readonly session: CallProcedure;
  commit(operations: readonly object[], options?: { committer?: string; at?: RepositoryAddress }): Promise<number>;
  exported(at?: RepositoryAddress, query?: string): Promise<ExportFile>;
}

export async function createImportWorld(
  engine: Engine,
  environment: Record<string, string> = {},
): Promise<ImportWorld> {
  const made = await createTestApp(engine, environment);
  const { app, store } = made;
  const token = await createOwnerToken(store);
  const session = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
  for (const { orgName, repoName } of [WORLD, COPY, OTHER]) {
    (await session('repo.create', { orgName, name: repoName })).data();
  }
  return {
    ...made,
    token,
    session,
    commit: async (operations, { at = WORLD, ...options } = {}) =>
      (await session('commit.submit', { ...at, operations: [...operations], ...options })).data().repoSeq,
    exported: (at = WORLD, query = '') => exportFile(app, token, { ...at, query }),
  };
}

const ROOM = { 'size?': { type: 'number', indexed: true }, 'next?': 'wref' };
const HUED_ROOM = { 'size?': 'number', 'next?': 'wref', 'hue?': { type: 'string', indexed: true } };

/** Versions, a committer, references within and across repositories, collections, a retraction, and renames. */
export async function fillWorld({ commit }: ImportWorld): Promise<void> {
  const far = [
    { kind: 'shape', name: 'Far', data: { fields: {} } },
    { name: 'Far/away', data: {} },
  ];
  await commit(far, { at: OTHER });
  await commit([
    { kind: 'shape', name: 'Agent', data: { fields: {} } },
    { name: 'Agent/bot', data: {} },
    { kind: 'shape', name: 'Room', data: { fields: ROOM } },
    { kind: 'shape', name: 'Claim', data: { fields: { text: 'string', 'of?': { type: 'wref', shape: 'Room' } } } },
  ]);
  const rooms = [
    { name: 'Room/a', data: { size: 1 } },
    { name: 'Room/b', data: { size: 2, next: 'Room/a' } },
    { name: 'Room/c', data: { size: 3, next: 'wh:ada/other/Far/away' } },
    { name: 'Claim/x', about: 'Room/a', data: { text: 'zero\u0000 and é', of: 'Room/b' } },
    { name: 'Claim/far', about: 'wh:ada/other/Far/away', data: { text: 'far' } },
  ];
  await commit(rooms, { committer: 'Agent/bot' });
  await commit([
    { type: 'arc', name: 'Arc/ab', members: ['Room/a', 'Room/b'] },
    { type: 'set', members: ['Room/a', 'Room/c'] },
  ]);
  await commit([{ operation: 'revise', name: 'Room/a', data: { size: 10, next: 'Room/b' } }]);
  await commit([{ operation: 'retract', name: 'Room/c', reason: 'gone' }]);
  await commit([{ operation: 'revise', kind: 'shape', name: 'Room', data: { fields: HUED_ROOM } }]);
  await commit([{ operation: 'rename', name: 'Room/b', newName: 'Room/bee' }]);
  const shape = { operation: 'rename', kind: 'shape', name: 'Claim', newName: 'Belief' };
  await commit([{ name: 'Room/d', data: { hue: 'red' } }, shape]);
}

export async function changeWorld({ commit }: ImportWorld): Promise<void> {
  // A swap of names takes three steps.
  for (const [name, newName] of [
    ['Room/a', 'Room/x'],
    ['Room/bee', 'Room/a'],
    ['Room/x', 'Room/bee'],
  ]) {
    await commit([{ operation: 'rename', name, newName }]);
  }
  await commit([{ operation: 'revise', name: 'Room/c', data: { size: 4, next: 'Room/d' } }]);
  await commit([{ operation: 'retract', name: 'Room/d' }], { committer: 'Agent/bot' });
  await commit([
    { kind: 'shape', name: 'Door', data: { fields: { 'wide?': { type: 'number', indexed: true }, 'into?': 'wref' } } },
    { name: 'Door/front', data: { wide: 7, into: 'Room/a' } },
    { name: 'Belief/door', about: 'Door/front', data: { text: 'shut' } },
  ]);
  await commit([
    { operation: 'rename', kind: 'shape', name: 'Agent', newName: 'Bot' },
    { operation: 'revise', kind: 'shape', name: 'Room', data: { fields: { ...HUED_ROOM, 'size?': ROOM['size?'] } } },
  ]);
  await commit([{ operation: 'revise', name: 'Room/a', data: { hue: 'blue', size: 5 } }]);
  // Changes only a name, so no row has the last sequence.
  await commit([{ operation: 'rename', name: 'Door/front', newName: 'Door/back' }]);
}
