// Subscriptions whose commits are delivered to a receiver on this machine.
import type { ActionAttempt, ActionRun } from '@cairn/protocol/action';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { onTestFinished } from 'vitest';
import { createOutbound } from '../../packages/server/src/action/delivery/client.ts';
import { startDeliveries } from '../../packages/server/src/action/delivery/delivery.job.ts';
import { DeliveryMeter } from '../../packages/server/src/action/delivery/delivery-verdict.ts';
import type { Resolve } from '../../packages/server/src/action/delivery/target.ts';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { deriveKeys } from '../../packages/server/src/server.ts';
import type { Store } from '../../packages/server/src/store.ts';
import { TEST_SECRET, TEST_URL } from './principal.ts';
import { type CallProcedure, caller } from './procedure.ts';
import { type Answering, type Receiver, startReceiver } from './receiver.ts';
import { createOwnerToken, createTestApp, type TestApp } from './server.ts';

export const WORLD = { orgName: 'acme', repoName: 'world' };

export interface ActionWorld extends TestApp {
  readonly owner: CallProcedure;
  readonly token: string;
  readonly receiver: Receiver;
  subscribe(form?: Partial<ProcedureInput<'subscription.create'>>): Promise<void>;
  add(...names: string[]): Promise<number>;
  runs(): Promise<ActionRun[]>;
  attempts(runId: string): Promise<ActionAttempt[]>;
  deliver(options?: DeliverOptions): Promise<Delivering>;
}

export interface DeliverOptions {
  readonly retrySeconds?: readonly number[];
  readonly totalMs?: number;
  readonly store?: Store;
  /** Addresses that the operator allows, instead of the receiver. */
  readonly allow?: readonly string[];
  readonly resolve?: Resolve;
}

export interface Delivering {
  readonly failures: unknown[];
  readonly meter: DeliveryMeter;
  stop(): Promise<void>;
}

export async function createActionWorld(engine: Engine, answering?: Answering): Promise<ActionWorld> {
  const receiver = await startReceiver(answering);
  const allow = [receiver.address];
  const made = await createTestApp(engine, {
    CAIRN_OUTBOUND_ALLOW: receiver.address,
    CAIRN_WEBHOOK_RETRY_SECONDS: '0,0',
  });
  const { store } = made;
  const token = await createOwnerToken(store);
  const owner = caller(made.app, token);
  (await owner('org.create', { name: 'acme' })).data();
  (await owner('repo.create', { orgName: 'acme', name: 'world' })).data();
  const fields = { note: 'string?' };
  const shape = { kind: 'shape', name: 'Signal', data: { fields } };
  const commit = async (operations: Record<string, unknown>[]) =>
    (await owner('commit.submit', { ...WORLD, operations })).data().repoSeq;
  await commit([shape]);
  return {
    ...{ ...made, owner, token, receiver },
    subscribe: async (form = {}) => {
      const what = form.event === undefined ? { filter: {} } : {};
      const whole = { ...WORLD, name: 'watcher', webhookUrl: `${receiver.url}/hook`, ...what, ...form };
      (await owner('subscription.create', whole)).data();
    },
    add: (...names) => commit(names.map((name) => ({ name: `Signal/${name}`, data: { note: name } }))),
    runs: async () => (await owner('action.runs', { ...WORLD, limit: 200 })).data().items,
    attempts: async (runId) => (await owner('action.attempts', { ...WORLD, runId })).data().items,
    deliver: (options) => deliver({ store, allow }, options),
  };
}

/** Polls often and retries immediately. */
async function deliver(
  world: { store: Store; allow: readonly string[] },
  { retrySeconds = [0, 0], totalMs = 2_000, store = world.store, allow = world.allow, resolve }: DeliverOptions = {},
): Promise<Delivering> {
  const failures: unknown[] = [];
  const meter = new DeliveryMeter();
  const deliverer = {
    ...{ store, meter, keys: deriveKeys(TEST_SECRET), publicUrl: TEST_URL },
    outbound: createOutbound({ allow, totalMs, resolve }),
    webhookRetrySeconds: retrySeconds,
    onFailure: (error: unknown) => failures.push(error),
  };
  const stop = await startDeliveries(deliverer, 20);
  onTestFinished(stop);
  return { failures, meter, stop };
}
