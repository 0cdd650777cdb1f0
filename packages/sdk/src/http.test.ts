// Answers that are not from the server itself, and answers that come late.
import { describe, expect, it } from 'vitest';
import { listOf, openWorld } from '../../../test/support/sdk-world.ts';
import { createHttp, reasonOf } from './http.ts';
import { CairnClient } from './index.ts';

type Answer = () => Response;

const page = (status: number) => new Response('<h1>Bad Gateway</h1>', { status });
const error = (status: number, code: string, more = {}) =>
  Response.json({ error: { code, message: `${code}.`, ...more } }, { status });

function cutRefusal(): Response {
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      controller.enqueue(new TextEncoder().encode('{"error":{"code":"CON'));
      controller.error(new Error('cut'));
    },
  });
  return new Response(body, { status: 409 });
}

/** Something in between gives these answers first; then the server answers. */
function answering(...answers: Answer[]): typeof fetch {
  return async (input, init) => answers.shift()?.() ?? (await fetch(input, init));
}

describe('an export', () => {
  it('goes on after answers that may be others later', async () => {
    const { url, through } = await openWorld('sqlite');
    const answers = [
      () => page(502),
      () => error(503, 'UNAVAILABLE'),
      () => error(429, 'RATE_LIMITED', { retryAfter: 0.01 }),
      () => new Response('<h1>All is well</h1>\n'),
      () => new Response('', { status: 200 }),
      cutRefusal,
    ];
    const { repo } = through(url, { fetch: answering(...answers) });
    expect(await listOf(repo.export('ada', 'world'))).toHaveLength(11);
  });

  it.each([
    ['NOT_FOUND', () => page(404)],
    ['FORBIDDEN', () => page(403)],
    ['export-format-mismatch', () => error(412, 'export-format-mismatch')],
    ['export-job-failed', () => error(500, 'export-job-failed')],
  ])('ends with %s', async (code, answer) => {
    const client = new CairnClient({ url: 'http://cairn.example', fetch: answering(answer) });
    await expect(client.repo.export('acme', 'world').header).rejects.toMatchObject({ code });
  });

  it('asks for a token before each of its requests', async () => {
    const { url, token } = await openWorld('sqlite');
    let asked = 0;
    const getToken = async () => {
      asked += 1;
      return token;
    };
    const send = answering(() => page(502));
    const client = new CairnClient({ url, getToken, fetch: send, retry: { pauseMs: 0 } });
    expect(await listOf(client.repo.export('ada', 'world'))).toHaveLength(11);
    expect(asked).toBe(2);
  });
});

it('sends the trace of a delivery with every request, and to no other server', async () => {
  const url = 'http://cairn.example';
  const traces: (string | null)[] = [];
  const send: typeof fetch = (_, init) => {
    traces.push(new Headers(init?.headers).get('x-cairn-trace'));
    return Promise.resolve(page(404));
  };
  const client = new CairnClient({ url, trace: 'from-a-delivery', fetch: send });
  await expect(client.auth.whoami()).rejects.toThrow();
  await expect(client.repo.export('ada', 'world').header).rejects.toThrow();
  const { download } = createHttp({ url, trace: 'from-a-delivery', fetch: send });
  await download('https://storage.example/file');
  expect(traces).toEqual(['from-a-delivery', 'from-a-delivery', null]);
});

describe('what went wrong', () => {
  const behind = (cause: Error) => new TypeError('fetch failed', { cause });

  it('is said once, with what is behind it', () => {
    const refused = new Error('connect ECONNREFUSED 127.0.0.1:8787');
    expect(reasonOf(behind(behind(refused)))).toBe('fetch failed (connect ECONNREFUSED 127.0.0.1:8787)');
    const everywhere = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect(reasonOf(behind(everywhere))).toBe('fetch failed (ECONNREFUSED)');
    expect(reasonOf(new Error('cut'))).toBe('cut');
  });
});
