import { PROCEDURE_KINDS } from '@cairn/protocol/procedure-kinds';
import { describe, expect, it } from 'vitest';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { CairnClient, CairnError, isRetryable } from './index.ts';

async function refusal(promise: Promise<unknown>): Promise<CairnError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CairnError)) throw new Error(`expected a CairnError, got ${String(error)}`);
  return error;
}

describe.each(UPPER_ENGINES)('the client on %s', (engine) => {
  it('calls procedures anonymously and with a token', async () => {
    const { url, store } = await startTestServer(engine);
    const token = await createOwnerToken(store);
    await store.write.createRepository({ orgName: 'ada', name: 'world', description: '', visibility: 'private' });
    const client = new CairnClient({ url, token });
    expect(await client.auth.whoami()).toMatchObject({ kind: 'token', handle: 'ada' });
    expect(await client.repo.get('ada', 'world')).toMatchObject({ orgName: 'ada', name: 'world', repoSeq: 0 });
    expect(await client.diagnostics.capabilities()).toMatchObject({ engine, exportFormatVersion: 1 });
    expect(await new CairnClient({ url }).auth.whoami()).toEqual({ kind: 'anonymous' });
    const later = new CairnClient({ url, getToken: async () => token });
    expect(await later.auth.whoami()).toMatchObject({ kind: 'token' });
  });

  it('throws one class of error, with the code that the server sent', async () => {
    const { url } = await startTestServer(engine);
    const client = new CairnClient({ url });
    expect(await refusal(client.repo.get('no', 'repo'))).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    const invalid = await refusal(client.repo.get('Not Valid', 'repo'));
    expect(invalid).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ path: 'orgName' }] });
    expect(isRetryable(invalid)).toBe(false);
    const stale = new CairnClient({ url, token: 'stale' });
    expect(await refusal(stale.auth.whoami())).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
  });

  it('sends calls made together as one request, and more than twenty as several', async () => {
    const { url } = await startTestServer(engine);
    const requests: string[] = [];
    const counting: typeof fetch = (input, init) => {
      requests.push(String(input));
      return fetch(input, init);
    };
    const client = new CairnClient({ url, fetch: counting });
    await Promise.all(Array.from({ length: 45 }, () => client.auth.whoami()));
    expect(requests).toHaveLength(3);
  });

  it('sends large inputs in a body', async () => {
    const { url } = await startTestServer(engine);
    const methods: (string | undefined)[] = [];
    const watching: typeof fetch = (input, init) => {
      methods.push(init?.method);
      return fetch(input, init);
    };
    const client = new CairnClient({ url, fetch: watching });
    await refusal(client.repo.get('x', 'y'.repeat(3_000)));
    expect(methods).toEqual(['POST']);
  });
});

describe('an address that is none', () => {
  const whole = 'Write it in full, such as http://localhost:8787.';
  it.each([
    ['', whole],
    ['/api', whole],
    ['ftp://localhost', whole],
    ['http://', whole],
    [undefined, 'Give it as a string, such as http://localhost:8787.'],
    [new URL('http://localhost:8787'), 'Give it as a string, such as http://localhost:8787.'],
    ['localhost', 'Write http:// or https:// before it: http://localhost.'],
    ['localhost:9417', 'Write http:// or https:// before it: http://localhost:9417.'],
    ['cairn.example.com/base', 'Write http:// or https:// before it: http://cairn.example.com/base.'],
    ['[::1]:8787', 'Write http:// or https:// before it: http://[::1]:8787.'],
  ])('is refused before anything is sent, with how to write it: %j', (url, how) => {
    const make = () => new CairnClient({ url: url as string });
    expect(make).toThrow(`${JSON.stringify(url)} is not a server address. ${how}`);
  });
});

describe('the surfaces', () => {
  it('have a call for every procedure', () => {
    const client = new CairnClient({ url: 'http://localhost:8787' }) as unknown as Record<
      string,
      Record<string, unknown>
    >;
    const missing = Object.keys(PROCEDURE_KINDS).filter((name) => {
      const [noun = '', verb = ''] = name.split('.');
      return typeof client[noun]?.[verb] !== 'function';
    });
    expect(missing).toEqual([]);
  });
});

describe('a server that is not there', () => {
  it('is a network error, which may be tried again', async () => {
    const error = await refusal(new CairnClient({ url: 'http://127.0.0.1:1' }).auth.whoami());
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringContaining('http://127.0.0.1:1') });
    expect(isRetryable(error)).toBe(true);
  });
});
