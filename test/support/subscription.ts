// Subscriptions for tests: an app with a repository, and the runs that commits made.
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { type CallProcedure, caller } from './procedure.ts';
import { createOwnerToken, createTestApp, type TestApp } from './server.ts';

export const WORLD = { orgName: 'acme', repoName: 'world' };
/** Nothing listens there, because these tests are not about deliveries. */
export const HOOK = 'http://127.0.0.1:9/hook/secret-path';
export const OUTBOUND = { CAIRN_OUTBOUND_ALLOW: '127.0.0.1:9,localhost:9' };

/** Form of a subscription to everything, without name and owner, for tests without an app. */
export const SUBSCRIPTION_FORM = {
  filter: {},
  webhookUrl: 'https://example.com/',
  allowTraceReentry: false,
  createdBy: 'user:ada',
  now: 1,
};

export interface SubscriptionWorld extends TestApp {
  readonly owner: CallProcedure;
  readonly token: string;
  subscribe(form: Partial<ProcedureInput<'subscription.create'>>): Promise<void>;
  commit(operations: readonly unknown[], address?: typeof WORLD): Promise<number>;
  runs(where?: string): Promise<RunRow[]>;
}

export interface RunRow {
  readonly repo_id: number;
  readonly subscription_name: string;
  readonly position: number;
  readonly event: string;
  readonly repo_seq: number | null;
  readonly origin_repo_id: number | null;
  readonly matched: string;
  readonly data: string | null;
  readonly trace_id: string;
  readonly depth: number;
  readonly status: string;
}

const RUNS = `select repo_id, subscription_name, position, event, repo_seq, origin_repo_id, matched, data, trace_id, depth,
  status from run`;

export async function createSubscribable(engine: Engine): Promise<SubscriptionWorld> {
  const made = await createTestApp(engine, OUTBOUND);
  const token = await createOwnerToken(made.store);
  const owner = caller(made.app, token);
  (await owner('org.create', { name: 'acme' })).data();
  (await owner('repo.create', { orgName: 'acme', name: 'world' })).data();
  return {
    ...made,
    owner,
    token,
    subscribe: async (form) => {
      const subject = form.event === undefined && form.filter === undefined ? { filter: {} } : {};
      const whole = { ...WORLD, name: 'all', webhookUrl: HOOK, ...subject, ...form };
      (await owner('subscription.create', whole)).data();
    },
    commit: async (operations, address = WORLD) =>
      (await owner('commit.submit', { ...address, operations: operations as Record<string, unknown>[] })).data()
        .repoSeq,
    runs: (where = 'true') =>
      made.store.database.query<RunRow>(`${RUNS} where ${where} order by repo_id, subscription_name, position`),
  };
}
