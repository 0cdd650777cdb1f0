// Deep, huge and strange input over HTTP: a clear refusal or a faithful round trip on both engines, never a crash or a
// silent change.
import { describe, expect, it } from 'vitest';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

type App = Awaited<ReturnType<typeof createTestApp>>['app'];

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const manyFields = (count: number) => `{${Array.from({ length: count }, (_, n) => `"f${n}":1`).join(',')}}`;

const ROUND_TRIPS: [string, string][] = [
  ['64 levels of nesting', `{"v":${nested(63)}}`],
  ['a string of nearly 1 MiB', `{"v":"${'x'.repeat(1_048_500)}"}`],
  ['60,000 fields', manyFields(60_000)],
  ['\\u0000 in a value and in a key', '{"v":"a\\u0000b","k\\u0000":1}'],
  [
    '__proto__, constructor and toString',
    '{"v":{"__proto__":{"polluted":true},"constructor":1,"toString":2},"__proto__":3}',
  ],
  ['2^53', '{"v":9007199254740992}'],
  ['small and large numbers', '{"v":[5e-324,1.7976931348623157e308,0.1,-0.1,1e21,1e-7]}'],
  ['all kinds of characters', '{"v":"\\ud83d\\ude00 \\u2028 \\u007f \\u0001 é ﷽ \\\\ \\" /"}'],
  ['empty keys and values', '{"v":"","":{"":[]}}'],
];

const REFUSALS: [string, string, string, RegExp][] = [
  ['65 levels of nesting', `{"v":${nested(64)}}`, 'VALIDATION_ERROR', /64/],
  ['a million levels of nesting', `{"v":${nested(1_000_000)}}`, 'VALIDATION_ERROR', /nest|deep|level/i],
  ['a string over 1 MiB', `{"v":"${'x'.repeat(1_048_577)}"}`, 'PAYLOAD_TOO_LARGE', /1048576/],
  ['100,000 long fields', manyFields(100_000).replaceAll('"f', '"field'), 'PAYLOAD_TOO_LARGE', /1048576/],
  ['1e400', '{"v":1e400}', 'VALIDATION_ERROR', /1e400.*string/],
  ['2^53 + 1', '{"v":9007199254740993}', 'VALIDATION_ERROR', /9007199254740993.*string/],
  ['duplicate keys', '{"v":{"a":1,"a":2}}', 'VALIDATION_ERROR', /"?a"?/],
  ['duplicate keys by escapes', '{"v":{"a":1,"\\u0061":2}}', 'VALIDATION_ERROR', /a/],
  ['half of a surrogate pair', '{"v":"\\ud83d"}', 'VALIDATION_ERROR', /surrogate/],
  ['half of a surrogate pair in a key', '{"\\udc00":1}', 'VALIDATION_ERROR', /surrogate/],
  ['NaN', '{"v":NaN}', 'VALIDATION_ERROR', /./],
  ['a comment', '{"v":1/* */}', 'VALIDATION_ERROR', /./],
];

async function call(app: App, token: string, procedure: string, body: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await app.request(`/trpc/${procedure}`, { method: 'POST', headers, body });
  return { status: answer.status, text: await answer.text() };
}

const tokens = new WeakMap<App, string>();
const ownerTokenOf = async (app: App) => tokens.get(app) ?? '';

async function repositoryOn(engine: 'sqlite' | 'postgres') {
  const { app, store } = await createTestApp(engine);
  const token = await createOwnerToken(store);
  const address = '"orgName":"ada","repoName":"world"';
  await call(app, token, 'repo.create', '{"orgName":"ada","name":"world"}');
  await call(app, token, 'shape.create', `{${address},"name":"Any","fields":{"v?":"json"}}`);
  const add = (data: string, name = 'Any/x') =>
    call(app, token, 'commit.submit', `{${address},"operations":[{"name":${JSON.stringify(name)},"data":${data}}]}`);
  const get = (wref = 'Any/x') => call(app, token, 'thing.get', `{${address},"wref":${JSON.stringify(wref)}}`);
  const seq = async () =>
    JSON.parse((await call(app, token, 'repo.get', `{${address}}`)).text).result.data.repoSeq as number;
  tokens.set(app, token);
  return { app, add, get, seq };
}

describe.each(UPPER_ENGINES)('strange input on %s', (engine) => {
  it.each(ROUND_TRIPS)('is kept faithfully: %s', async (_, data) => {
    const { add, get } = await repositoryOn(engine);
    const added = await add(data);
    expect({ status: added.status, text: added.text.slice(0, 300) }).toMatchObject({ status: 200 });
    const { text } = await get();
    expect(JSON.parse(text).result.data.data).toEqual(JSON.parse(data));
    expect(text.includes('__proto__')).toBe(data.includes('__proto__'));
  });

  it.each(REFUSALS)('is refused with a reason: %s', async (_, data, code, message) => {
    const { add, get, seq, app } = await repositoryOn(engine);
    const { status, text } = await add(data);
    const { cairn } = JSON.parse(text).error.data;
    expect([status, cairn.code]).toEqual([code === 'PAYLOAD_TOO_LARGE' ? 413 : 400, code]);
    expect(cairn.message).toMatch(message);
    expect(cairn.message.length).toBeLessThan(1_000);
    expect((await get()).status).toBe(404);
    expect(await seq()).toBe(1);
    expect((await app.request('/health/ready')).status).toBe(200);
  });

  it('in the names of fields is kept, and refused where it is to be indexed', async () => {
    const { app } = await repositoryOn(engine);
    const create = async (name: string, field: string) => {
      const body = `{"orgName":"ada","repoName":"world","name":"${name}","fields":{"a\\u0000b":${field}}}`;
      return (await call(app, await ownerTokenOf(app), 'shape.create', body)).status;
    };
    expect(await create('Kept', '"string"')).toBe(200);
    expect(await create('Refused', '{"type":"string","indexed":true}')).toBe(400);
  });

  it('in names is kept at the limit and refused beyond', async () => {
    const { add, get } = await repositoryOn(engine);
    const longest = `Any/${'é'.repeat(254)}`;
    expect((await add('{}', longest)).status).toBe(200);
    expect((await get(longest)).text).toContain(longest);
    for (const name of [
      `${longest}x`,
      'Any/a b',
      'Any/\u0000',
      'Any/a//b',
      'Any/..',
      'Any/a@v1',
      'Any/$',
      'Any/$1/x',
      'Any/$1$2',
      'Any/$01',
      'Any/\ud800',
      'Any/%2F',
      '/x',
      '',
      'Any/',
    ]) {
      expect([name, (await add('{}', name)).status]).toEqual([name, 400]);
    }
  });
});
