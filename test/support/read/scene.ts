// A small repository, and requests of callers with different rights, over HTTP without a port.
import type { ScopeEntry } from '@cairn/protocol/account';
import { createToken, EVERYTHING } from '../../../packages/server/src/account/account.ts';
import type { Engine } from '../../../packages/server/src/engine/database.ts';
import type { Store } from '../../../packages/server/src/store.ts';
import { createPerson } from '../person.ts';
import { type CallProcedure, caller } from '../procedure.ts';
import { createOwnerToken, createTestApp, OWNER, type TestApp } from '../server.ts';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export class ReadScene {
  readonly app: TestApp['app'];
  readonly store: Store;
  readonly owner: string;
  readonly call: CallProcedure;
  #made = 0;

  static async start(engine: Engine, environment: Record<string, string> = {}): Promise<ReadScene> {
    const { app, store } = await createTestApp(engine, environment);
    return new ReadScene({ app, store }, await createOwnerToken(store));
  }

  private constructor({ app, store }: Pick<TestApp, 'app' | 'store'>, owner: string) {
    this.app = app;
    this.store = store;
    this.owner = owner;
    this.call = caller(app, owner);
  }

  async createRepository(name: string, { isPublic = false, orgName = OWNER.name } = {}): Promise<void> {
    const visibility = isPublic ? 'public' : 'private';
    (await this.call('repo.create', { orgName, name, visibility })).data();
  }

  async commit(repoName: string, operations: readonly object[], orgName = OWNER.name): Promise<number> {
    return (await this.call('commit.submit', { orgName, repoName, operations: [...operations] })).data().repoSeq;
  }

  async stranger(handle = 'eve'): Promise<string> {
    const email = `${handle}@example.com`;
    await createPerson(this.store, { email, password: 'long enough it is', operator: false });
    return (await createToken(this.store, { email, name: 'all', scopes: EVERYTHING })).token;
  }

  async tokenWith(...scopes: ScopeEntry[]): Promise<string> {
    const name = `t${++this.#made}`;
    return (await createToken(this.store, { email: OWNER.email, name, scopes })).token;
  }

  async get(path: string, token: string | undefined, headers: Record<string, string> = {}): Promise<RestAnswer> {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await this.app.request(`/api/repos/${path}`, { headers: { ...authorization, ...headers } });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  async names(path: string, token: string | undefined): Promise<string[] | string> {
    const { status, text } = await this.get(path, token);
    const body = JSON.parse(text) as { items?: { wref: string }[] };
    return status === 200 && body.items !== undefined ? body.items.map(({ wref }) => wref) : text;
  }
}

/** Everything that can distinguish two answers, with the requested text masked. */
export function fingerprint({ status, headers, text }: RestAnswer, asked = '\0'): unknown {
  const told = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, headers: Object.fromEntries(told), text: text.replaceAll(asked, 'ASKED') };
}
