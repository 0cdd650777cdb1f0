// A component on this machine, registered by one organization and installed in a repository of another.
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { OutboundOptions } from '../../packages/server/src/action/delivery/client.ts';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { type CallProcedure, caller } from './procedure.ts';
import { type Answering, type Receiver, startReceiver } from './receiver.ts';
import { createOwnerToken, createTestApp, type TestApp } from './server.ts';

export const INSTALL = { orgName: 'acme', repoName: 'world', component: 'maker/thing' };
const PLACE = { orgName: 'acme', repoName: 'world' };

export const CLI_SECRET = 'the secret that methods are signed with';
export const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 'of the maker').toString('base64')}`;

type Json = Record<string, unknown>;

/** The manifest creates a shape and a credential set, and leaves one of each kind to the setup endpoint. */
export function manifestOf(version = '1.0.0', more: Json = {}): Json {
  return {
    component: { id: 'com.maker.Thing', name: 'thing', version },
    shapes: [
      { name: 'Count', fields: { 'n?': 'number' } },
      { name: 'Extra', fields: { 'note?': 'string' }, provisioning: 'setup' },
    ],
    credentials: [
      { name: 'thing-keys', requiredKeys: [{ key: 'CLI_SIGNING_SECRET' }] },
      { name: 'thing-hooks', provisioning: 'setup' },
    ],
    subscriptions: [
      {
        name: 'thing-tell',
        trigger: { kind: 'event', shape: 'Count' },
        webhookUrl: '{setup-supplied:/hook}',
        credentials: ['thing-hooks'],
        provisioning: 'setup',
      },
    ],
    runtimeAccess: { reads: ['Count'], writes: ['Count', 'Extra/mine/**'] },
    cli: {
      methods: [
        {
          name: 'count',
          method: 'GET',
          credentialSet: 'thing-keys',
          args: [
            { name: 'text', type: 'string', required: true },
            { name: 'limit', type: 'integer', default: 10, min: 1, max: 100 },
            { name: 'how', type: 'string', enum: ['words', 'letters'] },
            { name: 'deep', type: 'boolean' },
          ],
        },
        {
          name: 'reset',
          method: 'POST',
          path: '/do/reset',
          credentialSet: 'thing-keys',
          requiresPermission: 'repo:write',
          args: [{ name: 'factor', type: 'number' }],
        },
      ],
    },
    ...more,
  };
}

export interface ComponentWorld extends TestApp {
  readonly owner: CallProcedure;
  readonly token: string;
  readonly receiver: Receiver;
  register(form?: Partial<ProcedureInput<'component.register'>>): Promise<void>;
  install(form?: { callSetup?: boolean }): Promise<ProcedureInput<'component.get'> & { installId: string }>;
  ask(route: string, body: unknown, options?: AskOptions): Promise<Asked>;
  tokens(): { setup: string; runtime: string };
}

export interface AskOptions {
  readonly token?: string | null;
  readonly component?: string;
}

export interface Asked {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: what a route answers is what the test looks at
  readonly body: any;
}

export interface ComponentOptions {
  readonly answering?: Answering;
  readonly outbound?: Pick<OutboundOptions, 'totalMs' | 'resolve'>;
}

export async function createComponentWorld(engine: Engine, options: ComponentOptions = {}): Promise<ComponentWorld> {
  const { answering, outbound = {} } = options;
  const receiver = await startReceiver(answering);
  const made = await createTestApp(engine, { CAIRN_OUTBOUND_ALLOW: receiver.address }, { outbound });
  const token = await createOwnerToken(made.store);
  const owner = caller(made.app, token);
  for (const name of ['maker', 'acme']) (await owner('org.create', { name })).data();
  (await owner('repo.create', { orgName: 'acme', name: 'world' })).data();
  const set = { orgName: 'maker', name: 'maker-keys' };
  (await owner('credential.create', set)).data();
  (await owner('credential.setKeys', { ...set, keys: { WEBHOOK_SIGNING_SECRET: SIGNING_SECRET } })).data();
  return {
    ...{ ...made, owner, token, receiver },
    register: async (form = {}) => {
      const whole = {
        ...{ orgName: 'maker', name: 'thing', manifest: manifestOf(), visibility: 'public' as const },
        ...{ setupUrl: `${receiver.url}/setup`, credentialSet: 'maker-keys', ...form },
      };
      (await owner('component.register', whole)).data();
    },
    install: async (form = {}) => {
      const { installId } = (await owner('component.install', { ...INSTALL, ...form })).data();
      const keys = { CLI_SIGNING_SECRET: CLI_SECRET };
      (await owner('credential.setKeys', { ...PLACE, name: 'thing-keys', keys })).data();
      return { ...INSTALL, installId };
    },
    ask: (route, body, asking) => ask(made.app, { route, body, token, ...asking }),
    tokens: () => {
      const { body } = receiver.received.findLast(({ path }) => path === '/setup') ?? {};
      return { setup: body?.setup_token, runtime: body?.runtime_token };
    },
  };
}

interface Asking extends AskOptions {
  readonly route: string;
  readonly body: unknown;
}

async function ask(app: TestApp['app'], { route, body, token, component = 'maker/thing' }: Asking): Promise<Asked> {
  const answer = await app.request(`/api/component-registry/${component}/${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token != null && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, text, headers: answer.headers, body: JSON.parse(text) };
}
