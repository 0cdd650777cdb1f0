// Refusals of the list reads: every mistake is 400 or 404, and the message names the parameter.
import { describe, expect, it } from 'vitest';
import { rawGet, sendRaw } from '../../../../test/support/raw-request.ts';
import { ReadScene } from '../../../../test/support/read/scene.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { RunningServer } from '../server.ts';

const FIELDS = {
  'num?': { type: 'number', indexed: true },
  'size?': 'number',
  'text?': { type: 'string', indexed: true },
  'flag?': 'boolean',
  'to?': 'wref',
  'tags?': ['string'],
  'pos?': { 'x?': 'number' },
  'any?': 'json',
};

async function prepare(engine: (typeof UPPER_ENGINES)[number]): Promise<ReadScene> {
  const scene = await ReadScene.start(engine);
  for (const name of ['one', 'two']) {
    await scene.createRepository(name);
    await scene.commit(name, [
      { kind: 'shape', name: 'Item', data: { fields: FIELDS } },
      ...['a', 'b', 'c', 'd/e'].map((local, num) => ({ name: `Item/${local}`, data: { num, text: local } })),
      { name: 'Item/said', about: 'Item/a', data: { flag: true } },
      { name: 'Item/said-too', about: 'Item/a', data: { flag: false } },
    ]);
  }
  return scene;
}

const long = (letter: string, count: number) => letter.repeat(count);
const predicates = (count: number) => Array.from({ length: count }, () => 'where=num:gte:0').join('&');
const json = (where: unknown) => `where=${encodeURIComponent(JSON.stringify(where))}`;
const listed = (count: number) => Array.from({ length: count }, () => ({ fieldPath: 'num', op: 'gte', rhs: 0 }));

const REFUSED: readonly (readonly [path: string, parameter: string])[] = [
  ...['foo=1', 'Limit=5', 'limit[]=5', 'orgName=eve', 'repoName=two', 'org=eve', 'wref=Item/a', '__proto__=1'].map(
    (query) => [`head?${query}`, query.split('=')[0] ?? ''] as const,
  ),
  ...['about=Item/a', 'resolveCollections=true', 'role=from', 'depth=1', 'acrossRepos=true', 'q=a'].map(
    (query) => [`head?${query}`, query.split('=')[0] ?? ''] as const,
  ),
  ['about/Item%2Fa?about=Item/b', 'about'],
  ['about/Item%2Fa?wref=Item/b', 'wref'],
  ...['limit=1', 'shape=Item', 'kind=thing', 'match=**', 'order=name', 'count=true', 'atRepoSeq=1', 'fields=num'].map(
    (query) => [`head?${query}&${query}`, query.split('=')[0] ?? ''] as const,
  ),
  ['query?about=Item/a&about=Item/b', 'about'],
  ...[
    '0',
    '501',
    '-1',
    '050',
    '5.0',
    '1e1',
    '%205',
    '+5',
    '%2B5',
    'abc',
    '',
    '0x10',
    'NaN',
    '99999999999999999999',
  ].map((value) => [`head?limit=${value}`, 'limit'] as const),
  ...['-1', '1.5', '01', '3', '9007199254740993', '', 'x', '-0', '1e0'].map(
    (value) => [`head?atRepoSeq=${value}`, 'atRepoSeq'] as const,
  ),
  ...['0', '4', '1.0', 'abc', ''].map((value) => [`about/Item%2Fa?depth=${value}`, 'depth'] as const),
  ...['1', 'TRUE', '', 'yes', '%20true'].map((value) => [`head?count=${value}`, 'count'] as const),
  ...['1', 'True', ''].map((value) => [`head?includeRetracted=${value}`, 'includeRetracted'] as const),
  ['about/Item%2Fa?resolveCollections=1', 'resolveCollections'],
  ['about/Item%2Fa?acrossRepos=1', 'acrossRepos'],
  ...['newest', '', 'Created', '-name', '%2Bcreated'].map((value) => [`head?order=${value}`, 'order'] as const),
  ...['Thing', '', 'record'].map((value) => [`head?kind=${value}`, 'kind'] as const),
  ['about/Item%2Fa?resolveCollections=true&role=first', 'role'],
  ['about/Item%2Fa?role=from', 'role'],
  ['about/Item%2Fa?resolveCollections=false&role=from', 'role'],
  ['query?resolveCollections=true', 'resolveCollections'],
  ['query?depth=1', 'depth'],
  ['query?acrossRepos=true', 'acrossRepos'],
  ['query?role=from', 'role'],
  ['query?about=Item/a&acrossRepos=true&atRepoSeq=1', 'acrossRepos'],
  ['about/Item%2Fa?acrossRepos=true&atRepoSeq=1', 'acrossRepos'],
  ['head?shape=', 'shape'],
  [`head?shape=${long('a', 129)}`, 'shape'],
  ['head?shape=Nothing&where=num:eq:1', 'shape'],
  ['head?match=', 'match'],
  ['head?match=*a*a*a*a*', 'match'],
  ['head?match=**a**a**a**a**', 'match'],
  [`head?match=${long('a', 1_025)}`, 'match'],
  [`head?match=${long('*', 1_000)}`, 'match'],
  ['head?fields=', 'fields'],
  [`head?fields=${Array.from({ length: 101 }, (_, index) => `f${index}`).join(',')}`, 'fields'],
  ['head?where=num:eq:1', 'where'],
  [`head?${json([{ fieldPath: 'num', op: 'eq', rhs: 1 }])}`, 'where'],
  [`head?shape=Item&${predicates(9)}`, 'where'],
  [`head?shape=Item&${json(listed(9))}`, 'where'],
  [`head?shape=Item&${json(listed(4))}&${predicates(5)}`, 'where'],
  [`head?shape=Item&${json(listed(5))}&${json(listed(4))}`, 'where'],
  ...[
    'nothing:eq:1',
    'pos.y:eq:1',
    'pos.x.y:exists',
    'tags.0:exists',
    'any.x:exists',
    '/num/:exists',
    '/:exists',
    'num?:exists',
    'constructor:exists',
    '__proto__:exists',
    'num',
    'num:eq',
    ':eq:1',
    'num::1',
    '',
    'num:is:1',
    'num:EQ:1',
    'num:eq:abc',
    'num:eq:',
    'num:eq:%201',
    'num:eq:0x10',
    'num:eq:Infinity',
    'num:eq:NaN',
    'num:eq:1e999',
    'num:in:1,x',
    'num:prefix:1',
    'flag:eq:1',
    'flag:eq:True',
    'flag:gt:true',
    'flag:prefix:t',
    'to:gt:Item/a',
    'to:prefix:Item',
    'tags:eq:a',
    'tags:in:a',
    'pos:eq:1',
    'any:eq:1',
    'any:ne:1',
    'num:exists:1',
    'num:exists:yes',
  ].map((where) => [`head?shape=Item&where=${where}`, 'where'] as const),
  ...[
    {},
    [1],
    [null],
    [[]],
    [{ fieldPath: 'num' }],
    [{ op: 'eq', rhs: 1 }],
    [{ fieldPath: 'num', op: 'is', rhs: 1 }],
    [{ fieldPath: 'num', op: 'eq' }],
    [{ fieldPath: 'num', op: 'eq', rhs: '1' }],
    [{ fieldPath: 'num', op: 'eq', rhs: null }],
    [{ fieldPath: 'num', op: 'eq', rhs: [1] }],
    [{ fieldPath: 'num', op: 'in', rhs: 1 }],
    [{ fieldPath: 'num', op: 'in', rhs: ['1'] }],
    [{ fieldPath: 'text', op: 'eq', rhs: 1 }],
    [{ fieldPath: 'text', op: 'prefix', rhs: {} }],
    [{ fieldPath: 'text', op: 'gt', rhs: true }],
    [{ fieldPath: 'flag', op: 'eq', rhs: 'true' }],
    [{ fieldPath: 'to', op: 'eq', rhs: 3 }],
    [{ fieldPath: 'num', op: 'exists', rhs: 'true' }],
    [{ fieldPath: 'num', op: 'eq', rhs: 1, more: 1 }],
    [{ fieldPath: 5, op: 'eq', rhs: 1 }],
  ].map((where) => [`head?shape=Item&${json(where)}`, 'where'] as const),
  ['head?shape=Item&where=[{]', 'where'],
  ['head?shape=Item&where=[', 'where'],
  [`head?shape=Item&where=${long('[', 5_000)}`, 'where'],
  [`head?shape=Item&where=${long('[', 2_000)}${long(']', 2_000)}`, 'where'],
];

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
}

function namesParameter({ message, details }: ErrorBody, parameter: string): boolean {
  const places = Array.isArray(details) ? details.map((one: { path?: unknown }) => one.path) : [];
  return message.includes(parameter) || places.some((place) => place === parameter || place === `/${parameter}`);
}

async function problemWith(scene: ReadScene, path: string, parameter: string): Promise<string[]> {
  const { status, text } = await scene.get(`ada/one/${path}`, scene.owner);
  const { error } = JSON.parse(text) as { error?: ErrorBody };
  if (status === 400 && error?.code === 'VALIDATION_ERROR' && namesParameter(error, parameter)) return [];
  return [`${path.slice(0, 120)} answered ${status} ${text.slice(0, 300)}`];
}

async function fillOverHttp({ url, store }: RunningServer): Promise<void> {
  const headers = { authorization: `Bearer ${await createOwnerToken(store)}`, 'content-type': 'application/json' };
  const post = async (name: string, input: object) => {
    const answer = await fetch(`${url}/trpc/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
    expect(answer.status, await answer.text()).toBe(200);
  };
  await post('repo.create', { orgName: 'ada', name: 'one', visibility: 'public' });
  const operations = [
    { kind: 'shape', name: 'Item', data: { fields: {} } },
    { name: 'Item/a', data: {} },
  ];
  await post('commit.submit', { orgName: 'ada', repoName: 'one', operations });
}

async function nextCursorOf(scene: ReadScene, path: string): Promise<string> {
  const { status, text } = await scene.get(path, scene.owner);
  expect({ path, status }).toEqual({ path, status: 200 });
  const { nextCursor } = JSON.parse(text) as { nextCursor?: string };
  return nextCursor ?? expect.fail(`${path} has one page only`);
}

describe.each(UPPER_ENGINES)('parameters of list reads on %s', (engine) => {
  it('are refused by name where they are wrong', async () => {
    const scene = await prepare(engine);
    const wrong: string[] = [];
    for (const [path, parameter] of REFUSED) {
      wrong.push(...(await problemWith(scene, path, parameter)));
    }
    expect(wrong).toEqual([]);
  });

  it('may be at their limits', async () => {
    const scene = await prepare(engine);
    const good = [
      'head?limit=1',
      'head?limit=500',
      'head?atRepoSeq=0',
      'head?atRepoSeq=1',
      'head?count=false&includeRetracted=false',
      'head?match=*a*a*a*a',
      `head?match=${long('a', 1_023)}*`,
      `head?shape=Item&${predicates(8)}`,
      `head?shape=Item&${json(listed(8))}`,
      `head?shape=Item&${json(listed(4))}&${predicates(4)}`,
      'head?shape=Nothing',
      'head?shape=Item&where=num:eq:1e21',
      'head?shape=Item&where=num:eq:-1.5E-7',
      'head?shape=Item&where=text:eq:',
      'head?shape=Item&where=text:eq:a:b:c',
      'head?shape=Item&where=/num:exists:false',
      'about/Item%2Fa?depth=3&resolveCollections=true&role=members',
      'query?about=Item/a&depth=1',
      'about/Item%2Fa?acrossRepos=true',
    ];
    for (const path of good) {
      const { status, text } = await scene.get(`ada/one/${path}`, scene.owner);
      expect({ path, status, text: status === 200 ? '' : text }).toEqual({ path, status: 200, text: '' });
    }
    expect(await scene.names('ada/one/head?shape=Nothing', scene.owner)).toEqual([]);
    expect(await scene.names('ada/one/head?atRepoSeq=0', scene.owner)).toEqual([]);
  });

  it('of procedures are refused likewise', async () => {
    const { call } = await prepare(engine);
    const repo = { orgName: 'ada', repoName: 'one' };
    const wrong: readonly (readonly ['thing.head' | 'thing.query' | 'thing.about' | 'thing.count', object, string])[] =
      [
        ['thing.head', { limit: 0 }, 'limit'],
        ['thing.head', { limit: 501 }, 'limit'],
        ['thing.head', { about: 'Item/a' }, 'about'],
        ['thing.head', { shape: 'Item', where: Array.from({ length: 9 }, () => 'num:eq:1') }, 'where'],
        ['thing.head', { where: ['num:eq:1'] }, 'where'],
        ['thing.head', { shape: 'Item', where: ['nothing:eq:1'] }, 'where'],
        ['thing.head', { shape: 'Item', where: ['num:eq:x'] }, 'where'],
        ['thing.head', { shape: 'Item', where: [{ fieldPath: 'text', op: 'eq', rhs: 3 }] }, 'where'],
        ['thing.head', { shape: 'Nothing', where: ['num:eq:1'] }, 'shape'],
        ['thing.head', { atRepoSeq: 99 }, 'atRepoSeq'],
        ['thing.head', { cursor: 'abc' }, 'cursor'],
        ['thing.head', { match: '*a*a*a*a*' }, 'match'],
        ['thing.query', { depth: 2 }, 'depth'],
        ['thing.query', { resolveCollections: true }, 'resolveCollections'],
        ['thing.query', { acrossRepos: true }, 'acrossRepos'],
        ['thing.query', { about: 'Item/a', role: 'from' }, 'role'],
        ['thing.about', { wref: 'Item/a', acrossRepos: true, atRepoSeq: 1 }, 'acrossRepos'],
        ['thing.about', { wref: 'Item/a', depth: 4 }, 'depth'],
        ['thing.count', { limit: 5 }, 'limit'],
        ['thing.count', { order: 'name' }, 'order'],
        ['thing.count', { where: ['num:eq:1'] }, 'where'],
      ];
    for (const [name, input, parameter] of wrong) {
      const answer = await call(name, { ...repo, ...input } as never);
      const error = JSON.parse(answer.body).error?.data?.cairn as ErrorBody | undefined;
      const about = { name, input: JSON.stringify(input).slice(0, 100) };
      expect({ ...about, status: answer.status }).toEqual({ ...about, status: 400 });
      expect(error !== undefined && namesParameter(error, parameter), answer.body).toBe(true);
    }
  });

  it('are bound by a cursor, all but limit', async () => {
    const scene = await prepare(engine);
    const list = 'ada/one/query?kind=thing&order=name&limit=1';
    const cursor = await nextCursorOf(scene, list);
    const going = ['ada/one/query?kind=thing&order=name&limit=2', 'ada/one/query?order=name&limit=1&kind=thing'];
    for (const path of going) {
      expect((await scene.get(`${path}&cursor=${cursor}`, scene.owner)).status).toBe(200);
    }
    const others = [
      'ada/two/query?kind=thing&order=name&limit=1',
      'ada/one/head?kind=thing&order=name&limit=1',
      'ada/one/about/Item%2Fa?kind=thing&order=name&limit=1',
      'ada/one/query?order=name&limit=1',
      'ada/one/query?kind=assertion&order=name&limit=1',
      'ada/one/query?kind=thing&limit=1',
      'ada/one/query?kind=thing&order=created&limit=1',
      'ada/one/query?kind=thing&order=name&limit=1&shape=Item',
      'ada/one/query?kind=thing&order=name&limit=1&match=**',
      'ada/one/query?kind=thing&order=name&limit=1&shape=Item&where=num:gte:0',
      'ada/one/query?kind=thing&order=name&limit=1&includeRetracted=true',
      'ada/one/query?kind=thing&order=name&limit=1&atRepoSeq=0',
      'ada/one/query?kind=thing&order=name&limit=1&fields=num',
      'ada/one/query?kind=thing&order=name&limit=1&about=Item/a',
    ];
    const damaged = [
      'abc',
      '',
      '%00',
      long('A', 5_000),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      cursor.startsWith('A') ? `B${cursor.slice(1)}` : `A${cursor.slice(1)}`,
      `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`,
      encodeURIComponent(Buffer.from(cursor, 'base64url').toString('base64')).replace(/^/, '%20'),
    ];
    const wrong = [
      ...others.map((path) => `${path}&cursor=${cursor}`),
      ...damaged.map((one) => `${list}&cursor=${one}`),
    ];
    for (const path of wrong) {
      const { status, text } = await scene.get(path, scene.owner);
      const about = path.slice(0, 160);
      expect({ about, status }).toEqual({ about, status: 400 });
      expect(namesParameter(JSON.parse(text).error, 'cursor'), text).toBe(true);
    }
  });

  it('in the path name a record or none, however they are encoded', async () => {
    const scene = await prepare(engine);
    const said = ['Item/said', 'Item/said-too'];
    const { items } = (
      await scene.call('thing.getMany', { orgName: 'ada', repoName: 'one', wrefs: ['Item/a'] })
    ).data();
    const id = items[0]?.durableId ?? '';
    const good = [
      'Item%2Fa',
      'Item/a',
      'Item%2fa',
      '%49tem/a',
      'Item/a%40v1',
      'Item/a@v1',
      'Item/a@ALL',
      id,
      `${id}@v1`,
    ];
    for (const wref of [...good, 'wh%3Aada%2Fone%2FItem%2Fa', 'wh:ada/one/Item/a', 'Item/a@HEAD']) {
      expect([wref, await scene.names(`ada/one/about/${wref}`, scene.owner)]).toEqual([wref, said]);
    }
    for (const wref of ['Item/d/e', 'Item%2Fd%2Fe', 'Item/d%2Fe', 'Item']) {
      expect([wref, await scene.names(`ada/one/about/${wref}`, scene.owner)]).toEqual([wref, []]);
    }
  });

  it('in the path are refused where they are tricks, and name nothing else', async () => {
    const server = await startTestServer(engine);
    await fillOverHttp(server);
    const known = await sendRaw(server.url, rawGet('/api/repos/ada/one/about/Item/a', []));
    expect(known.status).toBe(200);
    const tricks = [
      'Item%2Fnothing',
      'Nothing',
      'Item%252Fa',
      '%2549tem/a',
      'Item%00a',
      'Item/a%00',
      '%00',
      '%',
      '%zz',
      '%2',
      '%C0%AF',
      '%ED%A0%80',
      'Item%2F%ED%A0%80',
      'Item%2F..%2Fa',
      '..%2f..%2fone%2fabout%2fItem%2Fa',
      '%2e%2e%2f%2e%2e%2ftwo%2fhead',
      'Item//a',
      '/Item/a',
      'Item/a/',
      'Item%2Fa%2F',
      'Item/a%20',
      '%20Item/a',
      'Item/a%3Fcount=true',
      'Item/a%23',
      'Item/a%0d%0ax-evil:1',
      'Item%5Ca',
      'Item/a@v0',
      'Item/a@v99',
      'Item/a@v1@v1',
      'Item/a@vv',
      '@v1',
      'wh:',
      'wh:ada',
      'wh:ada/one',
      'wh:nobody/one/Item/a',
      'wh:ada/nothing/Item/a',
      'WH:ada/one/Item/a',
      '0000000000000000000000000',
      '00000000000000000000000000',
      'Item/%F0%9F%98%80',
      `Item/${long('a', 600)}`,
      long('a', 5_000),
      `Item/${long('a/', 400)}a`,
    ];
    for (const trick of tricks) {
      const { status, body, headers } = await sendRaw(server.url, rawGet(`/api/repos/ada/one/about/${trick}`, []));
      expect([400, 404], `${trick.slice(0, 80)} answered ${status} ${body}`).toContain(status);
      expect(headers.some(([name]) => name === 'x-evil')).toBe(false);
    }
  });

  it('in the path are refused for who may read, too', async () => {
    const scene = await prepare(engine);
    const missing = ['Item%2Fnothing', 'Nothing', 'wh:ada/nothing/Item/a', 'Item/a@v99', 'item/a', 'Item/A'];
    const malformed = [
      'Item%252Fa',
      '%00',
      'Item/a/',
      'Item//a',
      'Item/a@v0',
      'Item/a@',
      'wh:ada',
      'Item%2F..%2Fa',
      'Item/a%20',
      'Item/a%3F',
    ];
    for (const wref of missing) {
      const { status, text } = await scene.get(`ada/one/about/${wref}`, scene.owner);
      expect({ wref, status, text: status === 404 ? '' : text }).toEqual({ wref, status: 404, text: '' });
    }
    for (const wref of malformed) {
      const { status, text } = await scene.get(`ada/one/about/${wref}`, scene.owner);
      expect([400, 404], `${wref} answered ${status} ${text}`).toContain(status);
    }
    for (const wref of ['Item/nothing', 'Nothing', 'wh:ada/nothing/Item/a', 'Item/a@v99']) {
      const { status } = await scene.get(`ada/one/query?about=${encodeURIComponent(wref)}`, scene.owner);
      expect({ wref, status }).toEqual({ wref, status: 404 });
    }
  });
});
