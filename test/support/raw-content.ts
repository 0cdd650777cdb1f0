// A repository with raw content, private at first, and HTTP requests for it.
import type { ScopeEntry } from '@cairn/protocol/account';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { findRepository } from '../../packages/server/src/repository/repository.sql.ts';
import { createComponentToken, createSession } from './principal.ts';
import { caller } from './procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf, type TestApp } from './server.ts';

export const WORLD = { orgName: 'ada', repoName: 'world' };
export const RAW_FILES = ['readme.md', 'agents.md', 'llms.txt'] as const;

export async function createRawContent(engine: Engine) {
  const { app, store } = await createTestApp(engine);
  await createOwnerToken(store);
  const session = (await createSession(store, { accountId: await ownerIdOf(store) })).token;
  const owner = caller(app, session);
  (await owner('repo.create', { orgName: 'ada', name: 'world', description: 'Signals of the world' })).data();
  (await owner('shape.create', { ...WORLD, name: 'Signal', fields: { 'x?': 'number' } })).data();
  (await owner('shape.create', { ...WORLD, name: 'Secret', fields: { 'undercover?': 'string' } })).data();
  const operations = ['Signal/a', 'Signal/b', 'Secret/hush'].map((name) => ({ name, data: {} }));
  (await owner('commit.submit', { ...WORLD, operations })).data();
  for (const name of ['readme', 'agents'] as const) {
    (await owner('repo.setContent', { ...WORLD, name, content: `# The ${name} of hush\n` })).data();
  }
  const withScope = async (name: string, entry: Partial<ScopeEntry>) => {
    const scopes = [{ resource: 'ada/world', permissions: ['repo:read'] as ScopeEntry['permissions'], ...entry }];
    return (await owner('token.create', { name, scopes })).data().token;
  };
  const found = await findRepository(store.database, WORLD);
  const component = (reads: { refs: string[] }[]) => createComponentToken(store, { repoId: found?.repoId ?? 0, reads });
  const publish = async () => (await owner('repo.setVisibility', { ...WORLD, visibility: 'public' })).data();
  return { app, store, owner, session, withScope, component, publish };
}

interface Asked {
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly method?: string;
}

export async function ask(app: TestApp['app'], path: string, { token, headers = {}, method = 'GET' }: Asked = {}) {
  const bearer: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await app.request(path, { method, headers: { ...bearer, ...headers } });
  return { status: answer.status, body: await answer.text(), headers: answer.headers };
}

export const rawPath = (file: string, repo = 'ada/world') => `/${repo}/${file}`;
export const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? '';
/** Everything that can distinguish two answers. */
export const whole = ({ status, body, headers }: Awaited<ReturnType<typeof ask>>) => [
  status,
  body,
  [...headers].filter(([name]) => name !== 'x-request-id'),
];
