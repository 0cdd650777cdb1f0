// Components for tests: a registry with one component, a repository to install it in, and the result of the install.
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import type { ManifestJson } from './manifest.ts';
import { type CallProcedure, caller } from './procedure.ts';
import { createOwnerToken, createTestApp, type TestApp } from './server.ts';

export const INSTALL_REPO = { orgName: 'home', repoName: 'world' };
/** No server listens there. */
export const COMPONENT_ORIGIN = 'http://127.0.0.1:9';

export function trackerManifest(version = '1.0.0'): ManifestJson {
  return {
    component: { id: 'com.acme.Tracker', name: 'tracker', version },
    shapes: [
      { name: 'Signal', fields: { 'x?': 'number' }, description: 'What is tracked.' },
      { name: 'Track', fields: { 'of?': { type: 'wref', shape: 'Signal' } } },
    ],
    credentials: [{ name: 'tracker-keys', requiredKeys: [{ key: 'WEBHOOK_SIGNING_SECRET' }] }],
    subscriptions: [
      {
        name: 'tracker-signals',
        trigger: { kind: 'event', shape: 'Signal', filter: { operation: 'add' } },
        webhookUrl: `${COMPONENT_ORIGIN}/signals`,
        credentials: ['tracker-keys'],
      },
    ],
    seeds: [{ shape: 'Signal', name: 'first', data: { x: 1 } }],
    runtimeAccess: { reads: ['Signal'], writes: ['Track'] },
  };
}

export interface ComponentWorld extends TestApp {
  readonly owner: CallProcedure;
  readonly token: string;
  register(form?: Partial<ProcedureInput<'component.register'>>): Promise<void>;
  publish(manifest: ManifestJson): Promise<void>;
  /** State of the component, without values that differ between runs. */
  standing(): Promise<ComponentStanding>;
}

export interface ComponentStanding {
  readonly installs: readonly unknown[];
  readonly records: readonly unknown[];
  readonly owned: readonly unknown[];
  readonly sets: readonly unknown[];
  readonly subscriptions: readonly unknown[];
  readonly watches: readonly unknown[];
  readonly liveTokens: number;
}

export const TRACKER = { ...INSTALL_REPO, component: 'acme/tracker' };

export async function prepareComponents(
  made: TestApp,
  { visibility = 'public' }: { visibility?: 'public' | 'private' } = {},
): Promise<ComponentWorld> {
  const token = await createOwnerToken(made.store);
  const owner = caller(made.app, token);
  (await owner('org.create', { name: 'acme' })).data();
  (await owner('org.create', { name: 'home' })).data();
  (await owner('repo.create', { orgName: 'home', name: 'world' })).data();
  const registration = { orgName: 'acme', name: 'tracker', visibility };
  return {
    ...made,
    owner,
    token,
    register: async (form = {}) => {
      (await owner('component.register', { ...registration, manifest: trackerManifest(), ...form })).data();
    },
    publish: async (manifest) => {
      (await owner('component.publish', { orgName: 'acme', name: 'tracker', manifest })).data();
    },
    standing: () => standingIn(made),
  };
}

export async function createComponentWorld(engine: Engine, environment: Record<string, string> = {}) {
  return await prepareComponents(await createTestApp(engine, { CAIRN_OUTBOUND_ALLOW: '127.0.0.1:9', ...environment }));
}

async function standingIn({ store: { database } }: TestApp): Promise<ComponentStanding> {
  const query = (sql: string) => database.query(sql);
  const tokens = await query('select id from component_token where revoked_at is null');
  return {
    installs: await query(
      'select install_id, state, version, manifest_hash, granted, message, setup_status from component_install order by 1',
    ),
    records: await query(
      `select s.name as shape, r.name, r.active, v.data from record r
       join version v on v.repo_id = r.repo_id and v.record_id = r.record_id and v.version = r.version
       left join record s on s.repo_id = r.repo_id and s.record_id = r.shape_id order by 1, 2`,
    ),
    owned: await query(
      `select r.name, o.install_id, r.version - o.version as behind, o.released_at is null as held from component_shape o
       join record r on r.repo_id = o.repo_id and r.record_id = o.shape_id order by 1`,
    ),
    sets: await query('select name, component, description from credential_set order by 1'),
    subscriptions: await query(
      `select s.name, event, webhook_url, c.name as credential_set, active, paused_reason, s.component
       from subscription s left join credential_set c on c.credential_set_id = s.credential_set_id order by 1`,
    ),
    watches: await query('select component, event from watch order by 1, 2'),
    liveTokens: tokens.length,
  };
}
