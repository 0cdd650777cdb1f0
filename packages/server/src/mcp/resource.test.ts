// Resources, prompts and completion: what each caller gets, and what must stay hidden.
import type { ScopeEntry } from '@cairn/protocol/account';
import { describe, expect, it } from 'vitest';
import { mcpSender, PROTOCOLS, type Protocol } from '../../../../test/support/mcp.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, OWNER } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';
import type { Engine } from '../engine/database.ts';

const WORDS = { open: 'everybody-knows', hidden: 'nobody-knows' };

async function openWorld(engine: Engine, protocol: Protocol) {
  const { app, store } = await createTestApp(engine);
  const token = await createOwnerToken(store);
  const call = caller(app, token);
  for (const [orgName, repoName, visibility] of [
    ['acme', 'open', 'public'],
    ['secretive', 'hidden', 'private'],
  ] as const) {
    const address = { orgName, repoName };
    (await call('org.create', { name: orgName })).data();
    (await call('repo.create', { orgName, name: repoName, visibility })).data();
    (await call('shape.create', { ...address, name: 'Place', fields: { label: 'string' } })).data();
    const label = WORDS[repoName];
    const operations = ['cave', 'café', 'hut/door'].map((name) => ({ name: `Place/${name}`, data: { label } }));
    (await call('commit.submit', { ...address, operations })).data();
    (await call('repo.setContent', { ...address, name: 'readme', content: `# ${label}` })).data();
  }
  const send = (bearer?: string) => mcpSender(app, { protocol, token: bearer });
  const narrowed = async (entry: ScopeEntry) =>
    send((await createToken(store, { email: OWNER.email, name: 'narrow', scopes: [entry] })).token);
  return { anonymous: send(), owner: send(token), narrowed, call, nobody: caller(app), store };
}

describe.each(UPPER_ENGINES)('resources on %s', (engine) => {
  it.each(PROTOCOLS)('are the texts and records that the caller may read, in %s', async (protocol) => {
    const { anonymous, owner, narrowed, nobody } = await openWorld(engine, protocol);
    const uris = async (send: typeof owner) =>
      (await send('resources/list')).result.resources.map(({ uri }: { uri: string }) => uri);
    expect(await uris(owner)).toEqual(['cairn://acme/open/llms', 'cairn://secretive/hidden/llms']);
    expect(await uris(anonymous)).toEqual(['cairn://acme/open/llms']);

    const read = async (send: typeof owner, uri: string) => await send('resources/read', { uri });
    const content = async (uri: string) => (await read(anonymous, uri)).result.contents[0];
    expect(await content('cairn://acme/open/readme')).toEqual({
      ...{ uri: 'cairn://acme/open/readme', mimeType: 'text/markdown', text: `# ${WORDS.open}` },
    });
    expect((await content('cairn://acme/open/agents')).text).toBe('');
    expect((await content('cairn://acme/open/llms')).text).toContain('## Shapes');
    for (const wref of ['Place/cave', 'Place/cave@v1', 'Place/café', 'Place/caf%C3%A9', 'Place/hut/door', 'Place']) {
      const { text, mimeType } = await content(`cairn://acme/open/${wref}`);
      const address = { orgName: 'acme', repoName: 'open', wref: decodeURIComponent(wref) };
      expect([mimeType, JSON.parse(text)]).toEqual(['application/json', (await nobody('thing.get', address)).data()]);
    }

    const refusals = new Set<string>();
    for (const uri of [
      ...['readme', 'agents', 'llms', 'Place/cave', 'Place', 'nothing'].map(
        (path) => `cairn://secretive/hidden/${path}`,
      ),
      ...['cairn://no/such/readme', 'cairn://acme/open/Place/nothing', 'cairn://acme/open/', 'cairn://acme/open'],
      ...['cairn://acme', 'cairn://', 'file:///etc/passwd', 'cairn://acme/open/%', 'cairn://acme/%2e%2e/readme'],
      ...['cairn://acme/open/../../secretive/hidden/readme', 'CAIRN://acme/open/readme'],
      'cairn://acme/open/wh:secretive/hidden/Place/cave',
    ]) {
      const { error, body } = await read(anonymous, uri);
      expect([uri, error?.code, error?.data]).toEqual([uri, -32_602, { uri }]);
      expect(body).not.toContain(WORDS.hidden);
      refusals.add(error?.message ?? '');
    }
    expect(refusals.size).toBe(1);
    expect((await read(owner, 'cairn://secretive/hidden/Place/cave')).body).toContain(WORDS.hidden);

    const some = await narrowed({ resource: 'secretive/hidden', permissions: ['repo:read'], refs: ['Place/c**'] });
    expect((await read(some, 'cairn://secretive/hidden/Place/cave')).body).toContain(WORDS.hidden);
    expect((await read(some, 'cairn://secretive/hidden/Place/hut/door')).error?.code).toBe(-32_602);
    expect((await read(some, 'cairn://secretive/hidden/readme')).body).not.toContain(WORDS.hidden);
  });

  it.each(PROTOCOLS)('come in pages, and by templates, in %s', async (protocol) => {
    const { owner, call } = await openWorld(engine, protocol);
    for (let count = 0; count < 60; count += 1)
      (await call('repo.create', { orgName: 'acme', name: `r${count}`, visibility: 'public' })).data();
    const first = (await owner('resources/list')).result;
    expect(first.resources).toHaveLength(50);
    const second = (await owner('resources/list', { cursor: first.nextCursor })).result;
    expect([second.resources.length, second.nextCursor]).toEqual([12, undefined]);
    expect((await owner('resources/list', { cursor: 'nonsense' })).error?.code).toBe(-32_602);
    const { resourceTemplates } = (await owner('resources/templates/list')).result;
    expect(resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual([
      ...['llms', 'readme', 'agents'].map((name) => `cairn://{orgName}/{repoName}/${name}`),
      'cairn://{orgName}/{repoName}/{+wref}',
    ]);
  });
});

describe.each(PROTOCOLS)('prompts in %s', (protocol) => {
  it('tell how to model and write, with what a repository holds', async () => {
    const { anonymous, owner } = await openWorld('sqlite', protocol);
    const { prompts } = (await anonymous('prompts/list')).result;
    expect(prompts.map(({ name }: { name: string }) => name)).toEqual(['how_to_model', 'how_to_write']);
    for (const { name } of prompts) {
      expect((await anonymous('prompts/get', { name })).result.messages).toHaveLength(1);
      const about = (orgName: string, repoName: string) => ({ name, arguments: { orgName, repoName } });
      const [, shown] = (await anonymous('prompts/get', about('acme', 'open'))).result.messages;
      expect(shown.content.resource).toMatchObject({ uri: 'cairn://acme/open/llms' });
      const hidden = await anonymous('prompts/get', about('secretive', 'hidden'));
      const missing = await anonymous('prompts/get', about('secretive', 'nowhere'));
      expect([hidden.error?.code, hidden.error?.message]).toEqual([-32_602, missing.error?.message]);
      expect((await owner('prompts/get', about('secretive', 'hidden'))).result.messages).toHaveLength(2);
      expect((await anonymous('prompts/get', { name, arguments: { orgName: 'acme' } })).error?.code).toBe(-32_602);
    }
    expect((await anonymous('prompts/get', { name: 'constructor' })).error?.code).toBe(-32_602);
    const long = await anonymous('prompts/get', { name: 'x'.repeat(5_000) });
    expect([long.error?.code, long.body.length < 1_000]).toEqual([-32_602, true]);
    const far = await anonymous('resources/read', { uri: `cairn://acme/open/${'x'.repeat(5_000)}` });
    expect([far.error?.code, far.body.length < 1_000]).toEqual([-32_602, true]);
  });
});

describe.each(UPPER_ENGINES)('completion on %s', (engine) => {
  it('finds what begins with the typed text among any number of names', async () => {
    const { owner, store } = await openWorld(engine, '2026-07-28');
    const names = [...Array.from({ length: 520 }, (_, index) => `a${index}`), 'zebra', 'zebu', 'Zoo'];
    const made = { orgName: 'acme', description: '', visibility: 'private' } as const;
    for (const name of names) await store.write.createRepository({ ...made, name });
    const ref = { type: 'ref/prompt', name: 'how_to_write' };
    const completed = async (value: string) => {
      const sent = { ref, argument: { name: 'repoName', value }, context: { arguments: { orgName: 'acme' } } };
      return (await owner('completion/complete', sent)).result.completion;
    };
    expect(await completed('ze')).toEqual({ values: ['zebra', 'zebu'], hasMore: false });
    expect(await completed('zebra')).toEqual({ values: ['zebra'], hasMore: false });
    const some = await completed('a');
    expect([some.values.length, some.hasMore]).toEqual([100, true]);
    for (const nothing of ['zebras', 'z%', 'z_', "z'", 'z\0', 'x'.repeat(5_000)])
      expect([nothing, await completed(nothing)]).toEqual([nothing, { values: [], hasMore: false }]);
  });
});

describe.each(PROTOCOLS)('completion in %s', (protocol) => {
  it('offers what the caller may see, and nothing else', async () => {
    const { anonymous, owner, narrowed } = await openWorld('sqlite', protocol);
    const ref = { type: 'ref/resource', uri: 'cairn://{orgName}/{repoName}/{+wref}' };
    const values = async (send: typeof owner, [name, value]: [string, string], given: Record<string, string> = {}) => {
      const sent = { ref, argument: { name, value }, context: { arguments: given } };
      return (await send('completion/complete', sent)).result.completion.values;
    };
    const [open, hidden] = [
      { orgName: 'acme', repoName: 'open' },
      { orgName: 'secretive', repoName: 'hidden' },
    ];
    expect(await values(anonymous, ['orgName', ''])).toEqual(['acme']);
    expect(await values(anonymous, ['orgName', 'sec'])).toEqual([]);
    expect(await values(owner, ['orgName', 'sec'])).toEqual(['secretive']);
    expect(await values(anonymous, ['repoName', 'o'], open)).toEqual(['open']);
    for (const given of [hidden, {}, { orgName: 'A B' }]) {
      expect(await values(anonymous, ['repoName', ''], given)).toEqual([]);
      expect(await values(anonymous, ['wref', ''], given)).toEqual([]);
    }
    expect(await values(owner, ['repoName', ''], hidden)).toEqual(['hidden']);
    expect(await values(anonymous, ['wref', 'Place/c'], open)).toEqual(['Place/café', 'Place/cave']);
    expect(await values(anonymous, ['wref', '*'], open)).toEqual([]);
    expect(await values(anonymous, ['other', ''], open)).toEqual([]);
    const some = await narrowed({ resource: 'secretive/hidden', permissions: ['repo:read'], refs: ['Place/c**'] });
    expect(await values(some, ['wref', 'Place/'], hidden)).toEqual(['Place/café', 'Place/cave']);
    const argument = { name: 'orgName', value: '' };
    for (const unknown of [
      { type: 'ref/prompt', name: 'nothing' },
      { type: 'ref/resource', uri: 'cairn://{x}' },
    ])
      expect((await anonymous('completion/complete', { ref: unknown, argument })).error?.code).toBe(-32_602);
    const long = 'x'.repeat(5_000);
    for (const unknown of [
      { type: 'ref/prompt', name: long },
      { type: 'ref/resource', uri: long },
    ])
      expect((await anonymous('completion/complete', { ref: unknown, argument })).body.length).toBeLessThan(1_000);
  });
});
