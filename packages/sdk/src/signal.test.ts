// Every call takes a `signal` as its last option; the tests find the calls by their signatures. An aborted signal sends
// nothing. A signal that aborts during a call ends it at once, with its request.
import { getEventListeners } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sdkSymbols } from '../../../scripts/sdk-symbol.ts';
import { PATIENCE_MS } from '../../../test/support/patience.ts';
import { openWorld } from '../../../test/support/sdk-world.ts';
import {
  acceptInvitation,
  CairnClient,
  CairnError,
  type CallOptions,
  changePassword,
  defineShape,
  refreshSession,
  resetPassword,
  setUpServer,
} from './index.ts';

async function startServer(listener: RequestListener) {
  let requests = 0;
  let ended = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    response.on('close', () => {
      ended += 1;
    });
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests: () => requests, ended: () => ended };
}

const startSilent = () => startServer(() => {});

const WAIT = { timeout: PATIENCE_MS, interval: 20 };

type AnyCall = (...given: unknown[]) => unknown;

interface Called {
  readonly name: string;
  readonly run: (url: string, options: CallOptions) => Promise<unknown>;
}

/** Values for parameters that cannot be a text. */
const GIVEN: Record<string, unknown> = {
  source: [new TextEncoder().encode('{"type":"header","formatVersion":1}\n')],
  keys: {},
  report: {},
  header: {},
  end: {},
};

const parametersIn = (signature: string) =>
  [...signature.slice(0, signature.lastIndexOf('):') + 1).matchAll(/(?<=[(,] ?)(\w+)\??:/g)].map(
    ([, name = '']) => name,
  );

const SURFACES = sdkSymbols().filter(({ name }) => name.endsWith('Surface'));

/** Property of the client that holds the calls: `ThingSurface` is `client.thing`, with the surfaces that it extends. */
const nounOf = (surface: string) =>
  ({ RepoCopySurface: 'repo', RepoStreamSurface: 'repo', ThingListSurface: 'thing' })[surface] ??
  surface.replace('Surface', '').toLowerCase();

const CALLS = SURFACES.flatMap(({ name: surface, members }) =>
  members
    // A handle sends nothing, and a live stream ends without an error.
    .filter(({ name }) => name !== '()' && name !== 'live')
    .map(({ name, signature }) => ({ noun: nounOf(surface), name, parameters: parametersIn(signature) })),
);

const ONE_BY_ONE: Called[] = CALLS.map(({ noun, name, parameters }) => ({
  name: `client.${noun}.${name}`,
  run: async (url, options) => {
    const client = new CairnClient({ url, token: 'cairn_pat_x' });
    const surface = client[noun as 'thing'] as unknown as Record<string, AnyCall>;
    const given = parameters.slice(0, -1).map((parameter) => GIVEN[parameter] ?? 'acme');
    return await settled(surface[name]?.(...given, { operations: [], ...options }));
  },
}));

async function settled(answer: unknown): Promise<unknown> {
  if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer && !('then' in answer)) {
    for await (const part of answer as AsyncIterable<unknown>) return part;
  }
  return await answer;
}

const password = 'correct horse';
const Sensor = defineShape('Sensor', { x: 'number' });
const repoAt = (url: string) => new CairnClient({ url }).repo('acme/world');
const OTHERS: Called[] = [
  { name: 'repo.shapes.ensure', run: (url, options) => repoAt(url).shapes.ensure(Sensor, options) },
  {
    name: 'repo.things.query',
    run: async (url, options) => await repoAt(url).things.query({ shape: Sensor, ...options }),
  },
  { name: 'repo.checkPermission', run: (url, options) => repoAt(url).checkPermission('repo:read', options) },
  { name: 'CommitBuilder.submit', run: (url, options) => repoAt(url).commit().retract('Sensor/a').submit(options) },
  { name: 'CommitBuilder.validate', run: (url, options) => repoAt(url).commit().retract('Sensor/a').validate(options) },
  {
    name: 'setUpServer',
    run: (url, options) => setUpServer(url, { code: 'c', email: 'a@b.example', password, ...options }),
  },
  { name: 'acceptInvitation', run: (url, options) => acceptInvitation(url, { code: 'c', password, ...options }) },
  {
    name: 'changePassword',
    run: (url, options) => changePassword(url, { email: 'a@b.example', password, newPassword: password, ...options }),
  },
  {
    name: 'resetPassword',
    run: (url, options) => resetPassword(url, { code: 'c', newPassword: password, ...options }),
  },
  {
    name: 'refreshSession',
    run: (url, options) => refreshSession(url, { refreshToken: 'r', clientId: 'c', ...options }),
  },
];

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  const thrown = await call.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );
  return thrown instanceof CairnError ? thrown.code : thrown;
}

describe('a signal', () => {
  it('is the last option of every call', () => {
    expect(CALLS.length).toBeGreaterThan(100);
    expect(CALLS.filter(({ parameters }) => parameters.at(-1) !== 'options')).toEqual([]);
  });

  it('that is over lets no call be sent', async () => {
    const { url, requests } = await startSilent();
    for (const { name, run } of [...ONE_BY_ONE, ...OTHERS]) {
      expect([name, await codeOf(run(url, { signal: AbortSignal.abort() }))]).toEqual([name, 'ABORTED']);
    }
    expect(requests()).toBe(0);
  });

  it('ends a call that waits, and its request', async () => {
    const { url, requests, ended } = await startSilent();
    const controller = new AbortController();
    const calls = [...ONE_BY_ONE, ...OTHERS].map(async ({ name, run }) => ({
      name,
      code: await codeOf(run(url, { signal: controller.signal })),
    }));
    await vi.waitFor(() => expect(requests()).toBe(calls.length), WAIT);
    controller.abort(new Error('Enough.'));
    const codes = await Promise.all(calls);
    expect(codes.filter(({ code }) => code !== 'ABORTED')).toEqual([]);
    await vi.waitFor(() => expect(ended()).toBe(calls.length), WAIT);
  });

  it('ends what is tried again, in the pause before the next try', async () => {
    const { url, requests } = await startServer((_, response) => {
      response.writeHead(503, { 'retry-after': '50', 'content-type': 'text/html' }).end('Later');
    });
    const controller = new AbortController();
    const code = codeOf(new CairnClient({ url }).auth.whoami({ signal: controller.signal }));
    await vi.waitFor(() => expect(requests()).toBe(1), WAIT);
    controller.abort();
    expect(await code).toBe('ABORTED');
    expect(requests()).toBe(1);
  });

  it('ends its own call alone, where several are sent in one request, and is let go of', async () => {
    const answer = { result: { data: { kind: 'anonymous' } } };
    let open = () => {};
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { url, requests } = await startServer(async (_, response) => {
      await isOpen;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([answer, answer]));
    });
    const client = new CairnClient({ url });
    const [ended, kept] = [new AbortController(), new AbortController()];
    const first = codeOf(client.auth.whoami({ signal: ended.signal }));
    const second = client.auth.whoami({ signal: kept.signal });
    await vi.waitFor(() => expect(requests()).toBe(1), WAIT);
    expect(getEventListeners(kept.signal, 'abort').length).toBe(1);
    ended.abort();
    expect(await first).toBe('ABORTED');
    open();
    expect(await second).toEqual({ kind: 'anonymous' });
    for (const { signal } of [ended, kept]) expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends a list between two pages, and a live stream without a failure', async () => {
    const { client, token, url } = await openWorld('sqlite');
    const controller = new AbortController();
    const { signal } = controller;
    const seen: string[] = [];
    const going = (async () => {
      for await (const { name } of client.repo('ada/world').things.head({ limit: 1, signal })) {
        seen.push(name);
        controller.abort();
      }
    })();
    expect(await codeOf(going)).toBe('ABORTED');
    expect(seen.length).toBe(1);
    for await (const _ of new CairnClient({ url, token }).repo.live('ada', 'world', undefined, { signal }))
      seen.push('');
    expect(seen.length).toBe(1);
  });
});
