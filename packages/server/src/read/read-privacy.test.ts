// Secrets that list reads must keep: a private repository on every route, and hidden records.
import type { ScopeEntry } from '@cairn/protocol/account';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../test/support/procedure.ts';
import { fingerprint, ReadScene } from '../../../../test/support/read/scene.ts';
import { ENGINES } from '../../../../test/support/store.ts';

const FIELDS = {
  'n?': { type: 'number', indexed: true },
  'word?': 'string',
  'to?': { type: 'wref', indexed: true },
  'by?': 'wref',
};
const SHAPES = ['Signal', 'Claim', 'Hidden'].map((name) => ({ kind: 'shape', name, data: { fields: FIELDS } }));

async function prepare(engine: (typeof ENGINES)[number]): Promise<ReadScene> {
  const scene = await ReadScene.start(engine);
  await scene.createRepository('open', { isPublic: true });
  await scene.createRepository('secret');
  await scene.commit('open', [
    ...SHAPES,
    { name: 'Signal/a', data: { n: 1 } },
    { name: 'Signal/b', data: { n: 2 } },
    { name: 'Claim/open-1', about: 'Signal/a', data: { n: 1 } },
    { name: 'Claim/open-2', about: 'Signal/a', data: { n: 2 } },
  ]);
  await scene.commit('secret', [
    ...SHAPES,
    { name: 'Signal/x', data: { n: 7, word: 'treasure' } },
    { name: 'Signal/y', data: { n: 8, to: 'wh:ada/open/Signal/a' } },
    { name: 'Claim/inner', about: 'Signal/x', data: {} },
    { name: 'Claim/one', about: 'wh:ada/open/Signal/a', data: { word: 'treasure' } },
    { name: 'Hidden/two', about: 'wh:ada/open/Signal/a', data: { word: 'treasure' } },
    { name: 'Claim/three', about: 'wh:ada/open/Signal/a', data: {} },
  ]);
  await scene.commit('open', [
    { name: 'Signal/c', data: { n: 3, to: 'wh:ada/secret/Signal/x', by: 'wh:ada/secret/Signal/x' } },
    { name: 'Claim/far', about: 'wh:ada/secret/Signal/x', data: {} },
  ]);
  return scene;
}

const reading = (resource: string, narrowing: Partial<ScopeEntry> = {}): ScopeEntry => ({
  resource,
  permissions: ['repo:read'],
  ...narrowing,
});

const DOORS = [
  'head',
  'query',
  'about/Signal%2Fx',
  'about/Signal/x',
  'about/Signal%2Fnothing',
  'about/wh%3Aada%2Fopen%2FSignal%2Fa',
  'head?count=true',
  'head?shape=Signal&where=n:gte:0',
  'head?shape=Signal&where=nothing:gte:0',
  'head?shape=Nothing&where=n:gte:0',
  'head?match=Signal/*',
  'head?atRepoSeq=0',
  'head?atRepoSeq=1',
  'head?atRepoSeq=99',
  'head?limit=0',
  'head?foo=1',
  'head?cursor=abc',
  'query?about=Signal/x',
  'query?about=Signal/nothing',
  'query?about=Signal/x&resolveCollections=true',
  'query?q=treasure',
  'about/Signal%2Fx?acrossRepos=true',
  'about/Signal%2Fx?depth=2&count=true',
  'about/%00',
  'head?order=name&limit=1&cursor=CURSOR',
];

describe.each(ENGINES)('a private repository on %s', (engine) => {
  it('answers who may not read it as one that does not exist, at every door', async () => {
    const scene = await prepare(engine);
    const first = await scene.get('ada/secret/head?order=name&limit=1', scene.owner);
    const { nextCursor } = JSON.parse(first.text) as { nextCursor: string };
    const tag = first.headers.get('etag') ?? '';
    expect(tag).not.toBe('');
    const callers = {
      anonymous: undefined,
      stranger: await scene.stranger(),
      elsewhere: await scene.tokenWith(reading('ada/open')),
      writer: await scene.tokenWith({ resource: 'ada/secret', permissions: ['repo:write'] }),
    };
    for (const [who, token] of Object.entries(callers)) {
      for (const door of DOORS.map((path) => path.replace('CURSOR', nextCursor))) {
        for (const headers of [{}, { 'if-none-match': tag }, { 'if-none-match': '*' }]) {
          const hidden = await scene.get(`ada/secret/${door}`, token, headers);
          const missing = await scene.get(`ada/nothin/${door}`, token, headers);
          expect([who, door, fingerprint(hidden)]).toEqual([who, door, fingerprint(missing)]);
          expect([400, 404]).toContain(hidden.status);
          expect(hidden.headers.get('etag')).toBeNull();
        }
      }
      const { status, headers } = await scene.get('ada/secret/head', token);
      expect([who, status, headers.get('vary')]).toEqual([who, 404, expect.stringMatching(/authorization/i)]);
    }
  });

  it('answers procedures likewise', async () => {
    const scene = await prepare(engine);
    const inputs = [
      ['thing.head', {}],
      ['thing.head', { shape: 'Signal', where: ['n:gte:0'] }],
      ['thing.head', { shape: 'Nothing', where: ['n:gte:0'] }],
      ['thing.head', { atRepoSeq: 99 }],
      ['thing.head', { cursor: 'abc' }],
      ['thing.query', { about: 'Signal/x' }],
      ['thing.query', { about: 'Signal/nothing', resolveCollections: true }],
      ['thing.about', { wref: 'Signal/x' }],
      ['thing.about', { wref: 'Signal/x', acrossRepos: true }],
      ['thing.count', {}],
      ['thing.count', { about: 'Signal/x' }],
    ] as const;
    const writer = await scene.tokenWith({ resource: 'ada/secret', permissions: ['repo:write'] });
    for (const token of [undefined, await scene.stranger(), writer]) {
      const call = caller(scene.app, token);
      for (const [name, input] of inputs) {
        const hidden = await call(name, { orgName: 'ada', repoName: 'secret', ...input } as never);
        const missing = await call(name, { orgName: 'ada', repoName: 'nothin', ...input } as never);
        const about = JSON.stringify([name, input]);
        expect([about, hidden.status, hidden.body]).toEqual([
          about,
          404,
          missing.body.replaceAll('nothin"', 'secret"').replaceAll('/nothin', '/secret'),
        ]);
      }
    }
  });

  async function secretWrefs(scene: ReadScene): Promise<string[]> {
    const address = { orgName: 'ada', repoName: 'secret', wref: 'Signal/x' };
    const { durableId } = (await scene.call('thing.get', address)).data();
    return ['wh:ada/secret/Signal/x', 'wh:ada/secret/Signal/x@v1', durableId, `${durableId}@v1`];
  }

  const NOWHERE = ['wh:ada/secret/Signal/nothing', 'wh:ada/nothing/Signal/x', 'wh:nobody/at-all/Signal/x'];

  it.each(['to', 'by'])('is not told by the field %s of a public one', async (field) => {
    const scene = await prepare(engine);
    const stranger = await scene.stranger();
    const wrefs = await secretWrefs(scene);
    const found = async (op: string, wref: string, token: string | undefined) =>
      await scene.names(`ada/open/head?shape=Signal&where=${field}:${op}:${encodeURIComponent(wref)}`, token);
    for (const wref of wrefs) expect([wref, await found('eq', wref, scene.owner)]).toEqual([wref, ['Signal/c']]);
    for (const wref of [...wrefs, ...NOWHERE]) {
      for (const token of [undefined, stranger]) {
        expect([wref, await found('eq', wref, token)]).toEqual([wref, []]);
        expect([wref, await found('ne', wref, token)]).toEqual([wref, ['Signal/a', 'Signal/b', 'Signal/c']]);
      }
    }
  });

  it('is not told by what a public one asserts', async () => {
    const scene = await prepare(engine);
    const asserted = await scene.names('ada/open/about/wh%3Aada%2Fsecret%2FSignal%2Fx', scene.owner);
    expect(asserted).toEqual(['Claim/far']);
    const wrefs = [...(await secretWrefs(scene)), ...NOWHERE];
    for (const token of [undefined, await scene.stranger()]) {
      const told = new Set<string>();
      for (const [wref, query] of wrefs.flatMap((one) => [[one, ''] as const, [one, '?count=true'] as const])) {
        const answer = await scene.get(`ada/open/about/${encodeURIComponent(wref)}${query}`, token);
        expect([wref, answer.status]).toEqual([wref, 404]);
        told.add(JSON.stringify(fingerprint(answer, wref)));
      }
      expect([...told]).toHaveLength(1);
    }
  });

  it('adds to no list of assertions across repositories but for who may read it', async () => {
    const scene = await prepare(engine);
    const own = ['Claim/open-1', 'Claim/open-2'];
    const far = ['Claim/one', 'Hidden/two', 'Claim/three'].map((name) => `wh:ada/secret/${name}`);
    const narrowed = await scene.tokenWith(reading('ada/open'), reading('ada/secret', { refs: ['Claim/**'] }));
    const answers = [
      [undefined, own],
      [await scene.stranger(), own],
      [await scene.tokenWith(reading('ada/open')), own],
      [await scene.tokenWith(reading('ada/open'), { resource: 'ada/secret', permissions: ['repo:write'] }), own],
      [narrowed, [...own, far[0], far[2]]],
      [scene.owner, [...own, ...far]],
    ] as const;
    for (const [token, wanted] of answers) {
      for (const path of ['about/Signal%2Fa?acrossRepos=true', 'query?about=Signal/a&acrossRepos=true']) {
        expect(await scene.names(`ada/open/${path}`, token)).toEqual(wanted);
        const { text, headers } = await scene.get(`ada/open/${path}&count=true`, token);
        expect(JSON.parse(text)).toMatchObject({ count: wanted.length });
        expect(headers.get('etag')).toBeNull();
        const page = await scene.get(`ada/open/${path}`, token, { 'if-none-match': '*' });
        expect([page.status, page.headers.get('etag')]).toEqual([200, null]);
        if (token === undefined || wanted.length === 2) expect(page.text).not.toMatch(/treasure|secret/);
      }
    }
  });

  it('keeps across repositories what the first page saw, and asks anew who may read', async () => {
    const scene = await prepare(engine);
    const stranger = await scene.stranger();
    const setRole = async (role: 'read' | null) =>
      (await scene.call('repo.setRole', { orgName: 'ada', repoName: 'secret', handle: 'eve', role })).data();
    await setRole('read');
    const path = 'ada/open/about/Signal%2Fa?acrossRepos=true&limit=1';
    const pageFrom = async (cursor: string | undefined, token: string) => {
      const { text } = await scene.get(cursor === undefined ? path : `${path}&cursor=${cursor}`, token);
      return JSON.parse(text) as { items: { wref: string; version: number }[]; nextCursor?: string };
    };
    const rest = async (from: string | undefined, token: string) => {
      const found: string[] = [];
      for (let cursor = from; cursor !== undefined; ) {
        const page = await pageFrom(cursor, token);
        found.push(...page.items.map(({ wref, version }) => `${wref}@v${version}`));
        cursor = page.nextCursor;
      }
      return found;
    };
    const { nextCursor } = await pageFrom(undefined, stranger);
    await scene.commit('secret', [
      { operation: 'retract', name: 'Claim/one' },
      { operation: 'revise', name: 'Claim/three', data: { n: 9 } },
      { operation: 'rename', name: 'Hidden/two', newName: 'Hidden/other' },
      { name: 'Claim/late', about: 'wh:ada/open/Signal/a', data: {} },
    ]);
    await scene.commit('open', [{ name: 'Claim/open-late', about: 'Signal/a', data: {} }]);
    const far = ['Claim/one@v1', 'Hidden/two@v1', 'Claim/three@v1'].map((name) => `wh:ada/secret/${name}`);
    expect(await rest(nextCursor, stranger)).toEqual(['Claim/open-2@v1', ...far]);
    const second = await pageFrom(nextCursor, stranger);
    const third = await pageFrom(second.nextCursor, stranger);
    expect(third.items.map(({ wref }) => wref)).toEqual(['wh:ada/secret/Claim/one']);
    await setRole(null);
    expect(await rest(nextCursor, stranger)).toEqual(['Claim/open-2@v1']);
    expect(await rest(third.nextCursor, stranger)).toEqual([]);
  });
});

describe.each(ENGINES)('assertions across repositories on %s', (engine) => {
  it('come after the own ones, in the order asked for, as long as their repository is there', async () => {
    const scene = await prepare(engine);
    await scene.createRepository('third');
    await scene.commit('third', [
      ...SHAPES,
      { name: 'Claim/from-third', about: 'wh:ada/open/Signal/a@v1', data: {} },
      { name: 'Claim/of-b', about: 'wh:ada/open/Signal/b', data: {} },
    ]);
    const about = 'ada/open/about/Signal%2Fa?acrossRepos=true';
    const far = ['Claim/one', 'Hidden/two', 'Claim/three'].map((name) => `wh:ada/secret/${name}`);
    const third = 'wh:ada/third/Claim/from-third';
    const created = await scene.names(about, scene.owner);
    expect(created).toEqual(['Claim/open-1', 'Claim/open-2', ...far, third]);
    const reversed = await scene.names(`${about}&order=-created`, scene.owner);
    expect(reversed.slice(0, 2)).toEqual(['Claim/open-2', 'Claim/open-1']);
    expect(new Set(reversed)).toEqual(new Set(created));
    expect((reversed as string[]).filter((wref) => far.includes(wref))).toEqual(far.toReversed());
    for (const limit of [1, 2, 3, 4, 5]) {
      const found: string[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const path = `${about}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
        const page = JSON.parse((await scene.get(path, scene.owner)).text);
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...page.items.map(({ wref }: { wref: string }) => wref));
        cursor = page.nextCursor;
      }
      expect([limit, found]).toEqual([limit, created]);
    }
    (await scene.call('repo.delete', { orgName: 'ada', repoName: 'secret' })).data();
    expect(await scene.names(about, scene.owner)).toEqual(['Claim/open-1', 'Claim/open-2', third]);
  });
});

describe.each(ENGINES)('hidden records on %s', (engine) => {
  async function prepareNarrowed(): Promise<{ scene: ReadScene; token: string }> {
    const scene = await ReadScene.start(engine);
    await scene.createRepository('world');
    const names = ['open/a', 'dark/b', 'open/c', 'dark/d', 'open/e', 'dark/f'];
    await scene.commit('world', [
      ...SHAPES,
      ...names.map((local, n) => ({ name: `Signal/${local}`, data: { n, word: `of ${local}` } })),
      { name: 'Signal/open/to-shut', data: { to: 'Signal/dark/b', by: 'Signal/dark/b', n: 50 } },
      { name: 'Signal/open/to-open', data: { to: 'Signal/open/a', by: 'Signal/open/a', n: 51 } },
      { name: 'Signal/open/to-none', data: { n: 52 } },
      { name: 'Claim/dark/1', about: 'Signal/open/a', data: {} },
      { name: 'Signal/open/said', about: 'Signal/open/a', data: {} },
      { name: 'Signal/open/of-shut', about: 'Signal/dark/b', data: {} },
      { name: 'Signal/open/of-claim', about: 'Claim/dark/1', data: {} },
      { name: 'Signal/open/moves-out', data: {} },
      { name: 'Signal/dark/moves-in', data: {} },
      { name: 'Set/dark', type: 'set', members: ['Signal/open/a', 'Signal/open/c'] },
      { name: 'Signal/open/of-set', about: 'Set/dark', data: {} },
    ]);
    await scene.commit('world', [
      { operation: 'rename', name: 'Signal/open/moves-out', newName: 'Signal/dark/moved-out' },
      { operation: 'rename', name: 'Signal/dark/moves-in', newName: 'Signal/open/moved-in' },
    ]);
    return { scene, token: await scene.tokenWith(reading('ada/world', { refs: ['Signal/open/**'] })) };
  }

  const OPEN = ['a', 'c', 'e', 'to-shut', 'to-open', 'to-none', 'said', 'of-shut', 'of-claim', 'of-set'].map(
    (local) => `Signal/open/${local}`,
  );

  it('are in no list, count or cursor', async () => {
    const { scene, token } = await prepareNarrowed();
    const names = async (query: string) => await scene.names(`ada/world/${query}`, token);
    const shown = ['Signal', ...OPEN, 'Signal/open/moved-in'];
    expect(new Set(await names('head'))).toEqual(new Set(shown));
    expect(new Set(await names('head?atRepoSeq=1'))).toEqual(new Set(['Signal', ...OPEN]));
    const counted = await scene.get('ada/world/head?count=true', token);
    expect(JSON.parse(counted.text)).toEqual({ repoSeq: 2, count: shown.length });
    for (const match of ['**dark**', 'Signal/dark/*', 'Claim/**', 'Hidden', 'Set/**', 'Signal/open/moves-out']) {
      expect([match, await names(`head?match=${match}`)]).toEqual([match, []]);
      expect([match, await names(`head?match=${match}&atRepoSeq=1`)]).toEqual([match, []]);
    }
    for (const order of ['created', '-created', 'updated', '-updated', 'name']) {
      const path = `ada/world/head?order=${order}&limit=1`;
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { text } = await scene.get(cursor === '' ? path : `${path}&cursor=${cursor}`, token);
        cursor = (JSON.parse(text) as { nextCursor?: string }).nextCursor;
        const place = Buffer.from(cursor ?? '', 'base64url').toString('latin1');
        expect(`${text} ${place}`).not.toMatch(/dark|moves|Claim|Hidden/);
      }
    }
  });

  it('read as null, for filters too', async () => {
    const { scene, token } = await prepareNarrowed();
    const names = async (query: string) =>
      await scene.names(`ada/world/head?shape=Signal&match=*/*/to-*&${query}`, token);
    const all = ['Signal/open/to-shut', 'Signal/open/to-open', 'Signal/open/to-none'];
    for (const field of ['to', 'by']) {
      for (const target of ['Signal/dark/b', 'Signal/dark/b@v1', 'Signal/dark/none']) {
        expect([target, await names(`where=${field}:eq:${target}`)]).toEqual([target, []]);
        expect([target, await names(`where=${field}:in:${target}`)]).toEqual([target, []]);
        expect([target, await names(`where=${field}:ne:${target}`)]).toEqual([target, all]);
      }
      expect(await names(`where=${field}:exists`)).toEqual(['Signal/open/to-open']);
      expect(await names(`where=${field}:exists:false`)).toEqual(['Signal/open/to-shut', 'Signal/open/to-none']);
      expect(await names(`where=${field}:in:Signal/dark/b,Signal/open/a`)).toEqual(['Signal/open/to-open']);
    }
    const { text } = await scene.get('ada/world/head?match=Signal/open/*-shut', token);
    expect(text).not.toMatch(/dark/);
    expect(JSON.parse(text).items).toMatchObject([{ data: { to: null, by: null } }, { aboutWref: null }]);
  });

  const TEXTS: readonly unknown[] = ['string', { type: 'string', indexed: true }];
  const LATER_TYPES = [...TEXTS, 'number', 'json', ['string'], { 'x?': 'string' }].map((type) => ({ type }));

  it.each(LATER_TYPES)('read as null where a field that was a wref is now $type', async ({ type }) => {
    const { scene, token } = await prepareNarrowed();
    const fields = { 'n?': 'number', 'to?': type, 'by?': 'wref' };
    await scene.commit('world', [{ operation: 'revise', kind: 'shape', name: 'Signal', data: { fields } }]);
    const names = async (where: string) =>
      await scene.names(`ada/world/head?shape=Signal&match=*/*/to-shut&where=${where}`, token);
    expect(await names('to:exists')).toEqual([]);
    expect(await names('to:exists:false')).toEqual(['Signal/open/to-shut']);
    if (!TEXTS.includes(type)) return;
    // Otherwise its name could be guessed letter by letter.
    for (const guess of [
      'prefix:Signal/dark',
      'gte:Signal/dark',
      'eq:Signal/dark/b@v1',
      'in:Signal/dark/b@v1',
      'lt:z',
    ]) {
      expect([guess, await names(`to:${guess}`)]).toEqual([guess, []]);
    }
  });

  it('are no targets, and lead nowhere', async () => {
    const { scene, token } = await prepareNarrowed();
    const get = async (wref: string, query = '') =>
      fingerprint(await scene.get(`ada/world/about/${encodeURIComponent(wref)}${query}`, token), wref);
    const missing = await get('Signal/dark/none');
    const { items } = (
      await scene.call('thing.getMany', { orgName: 'ada', repoName: 'world', wrefs: ['Signal/dark/b', 'Claim'] })
    ).data();
    const hidden = ['Signal/dark/b', 'Signal/dark/b@v1', 'Signal/dark/b@ALL', 'Claim', 'Claim/dark/1', 'Set/dark'];
    const byId = items.flatMap((item) => item?.durableId ?? []);
    for (const wref of [...hidden, ...byId, 'Signal/dark/moved-out', 'Signal/open/moves-out']) {
      expect([wref, await get(wref)]).toEqual([wref, missing]);
    }
    expect(missing).toMatchObject({ status: 404 });
    expect(await get('Signal/open/moves-out', '?atRepoSeq=1')).toEqual(missing);
    const names = async (query: string) => await scene.names(`ada/world/about/Signal%2Fopen%2Fa?${query}`, token);
    expect(await names('')).toEqual(['Signal/open/said']);
    expect(await names('depth=3')).toEqual(['Signal/open/said']);
    expect(await names('resolveCollections=true')).toEqual(['Signal/open/said']);
    const everything = await scene.names(
      'ada/world/about/Signal%2Fopen%2Fa?resolveCollections=true&depth=2',
      scene.owner,
    );
    expect(everything).toEqual(['Claim/dark/1', 'Signal/open/said', 'Signal/open/of-claim', 'Signal/open/of-set']);
  });

  it('are refused byte for byte as what is not there', async () => {
    const { scene, token } = await prepareNarrowed();
    for (const door of ['about/', 'query?about=']) {
      const wrefs = ['Signal/dark/b', 'Signal/dark/none', 'Claim', 'Nothing', 'Signal/dark/b@v1'].map(
        encodeURIComponent,
      );
      const answers = await Promise.all(wrefs.map((wref) => scene.get(`ada/world/${door}${wref}`, token)));
      expect([...new Set(answers.map((answer) => JSON.stringify(fingerprint(answer))))]).toHaveLength(1);
    }
  });

  it('have shapes that are unknown', async () => {
    const { scene, token } = await prepareNarrowed();
    const get = async (path: string) => fingerprint(await scene.get(`ada/world/${path}`, token));
    const named = (answer: unknown, name: string) => JSON.parse(JSON.stringify(answer).replaceAll(name, 'NAME'));
    for (const path of ['head?shape=SHAPE&where=n:eq:1', 'head?shape=SHAPE&where=nothing:eq:1']) {
      const hidden = await get(path.replace('SHAPE', 'Hidden'));
      expect(named(hidden, 'Hidden')).toEqual(named(await get(path.replace('SHAPE', 'Absent')), 'Absent'));
      expect(hidden).toMatchObject({ status: 400 });
    }
    for (const shape of ['Hidden', 'Claim', 'Set', 'Absent']) {
      expect([shape, await scene.names(`ada/world/head?shape=${shape}`, token)]).toEqual([shape, []]);
    }
  });

  it('do not come by a cursor of who sees them', async () => {
    const { scene, token } = await prepareNarrowed();
    for (const order of ['created', '-created', 'name', 'updated', '-updated']) {
      const list = `ada/world/head?order=${order}&limit=3`;
      const { text } = await scene.get(list, scene.owner);
      const { nextCursor } = JSON.parse(text) as { nextCursor: string };
      const got = await scene.get(`${list}&cursor=${nextCursor}`, token);
      expect([200, 400]).toContain(got.status);
      expect(got.text).not.toMatch(/dark|moves|Claim|Hidden/);
      const same = await scene.tokenWith(reading('ada/world'));
      expect((await scene.get(`${list}&cursor=${nextCursor}`, same)).text).toBe(
        (await scene.get(`${list}&cursor=${nextCursor}`, scene.owner)).text,
      );
    }
  });
});

describe.each(ENGINES)('ETags of list reads on %s', (engine) => {
  it('save who may read the body, and tell others nothing', async () => {
    const scene = await prepare(engine);
    const narrowed = await scene.tokenWith(reading('ada/secret', { refs: ['Signal/**'] }));
    for (const path of ['head', 'query?shape=Signal', 'about/Signal%2Fx', 'head?count=true', 'head?atRepoSeq=1']) {
      const first = await scene.get(`ada/secret/${path}`, scene.owner);
      const tag = first.headers.get('etag') ?? '';
      expect([path, first.status, tag]).toEqual([path, 200, expect.stringMatching(/^(W\/)?"[^"]+"$/)]);
      expect(first.headers.get('cache-control')).toBe('private, no-cache');
      expect(first.headers.get('vary')).toMatch(/authorization/i);
      const again = await scene.get(`ada/secret/${path}`, scene.owner, { 'if-none-match': tag });
      expect([path, again.status, again.text, again.headers.get('etag')]).toEqual([path, 304, '', tag]);
      expect(again.headers.get('vary')).toMatch(/authorization/i);
      const others = await scene.get(`ada/secret/${path}`, narrowed, { 'if-none-match': tag });
      expect([path, others.status]).toEqual([path, 200]);
      expect(others.headers.get('etag')).not.toBe(tag);
      const listed = await scene.get(`ada/secret/${path}`, scene.owner, { 'if-none-match': `"other", ${tag}` });
      expect([path, listed.status]).toEqual([path, 304]);
    }
    const tags = await Promise.all(
      ['head', 'query', 'head?order=name', 'head?limit=2', 'head?count=true', 'head?atRepoSeq=1'].map(async (path) =>
        (await scene.get(`ada/secret/${path}`, scene.owner)).headers.get('etag'),
      ),
    );
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('change with a commit, and with what is read of the repository', async () => {
    const scene = await prepare(engine);
    const path = 'ada/open/head?shape=Signal';
    const tag = (await scene.get(path, undefined)).headers.get('etag') ?? '';
    expect((await scene.get(path, undefined, { 'if-none-match': tag })).status).toBe(304);
    await scene.commit('open', [{ operation: 'revise', name: 'Signal/a', data: { n: 100 } }]);
    const fresh = await scene.get(path, undefined, { 'if-none-match': tag });
    expect(fresh.status).toBe(200);
    expect(fresh.text).toContain('100');
    const later = fresh.headers.get('etag') ?? '';
    (await scene.call('repo.setVisibility', { orgName: 'ada', repoName: 'open', visibility: 'private' })).data();
    const hidden = await scene.get(path, undefined, { 'if-none-match': later });
    const missing = await scene.get('ada/nothin/head?shape=Signal', undefined, { 'if-none-match': later });
    expect(fingerprint(hidden)).toEqual(fingerprint(missing));
  });

  it('come with HEAD too, which has no body', async () => {
    const scene = await prepare(engine);
    const got = await scene.get('ada/open/head', undefined);
    const answer = await scene.app.request('/api/repos/ada/open/head', { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(answer.headers.get('etag')).toBe(got.headers.get('etag'));
  });
});
