// readme.md, agents.md and llms.txt over HTTP: access and refusals.
import type { ScopeEntry } from '@cairn/protocol/account';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createPerson } from '../../../../test/support/person.ts';
import { createComponentToken } from '../../../../test/support/principal.ts';
import {
  ask,
  createRawContent,
  RAW_FILES,
  rawPath,
  tagOf,
  WORLD,
  whole,
} from '../../../../test/support/raw-content.ts';
import type { TestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';

const HIDDEN = /Secret|hush|undercover/;

interface Scenario {
  readonly who: string;
  readonly token: string | undefined;
  readonly status: number;
  readonly narrowed?: boolean;
}

/** A caller's answers for a private repository. Without access, they equal the answers for a missing one. */
async function checkAccess(
  app: TestApp['app'],
  { who, token, status, narrowed = false }: Scenario,
  { file, tag }: { file: string; tag: string | undefined },
): Promise<void> {
  const headers: Record<string, string> = tag === undefined ? {} : { 'if-none-match': tag };
  const answer = await ask(app, rawPath(file), { token, headers });
  const due = status === 200 && tag !== undefined ? 304 : status;
  expect([who, file, answer.status]).toEqual([who, file, due]);
  if (status !== 200 || narrowed) expect([who, file, HIDDEN.test(answer.body)]).toEqual([who, file, false]);
  if (status === 200) return;
  const missing = await ask(app, rawPath(file, 'ada/missing'), { token, headers });
  expect([who, ...whole(answer)]).toEqual([who, ...whole(missing)]);
  expect(answer.headers.get('etag')).toBeNull();
  if (status === 404) expect(answer.headers.get('vary')).toContain('Authorization');
}

describe.each(UPPER_ENGINES)('raw content on %s', (engine) => {
  it(
    verifies('is served as it was written, to all where it is public', '4.7/readme', '4.7/agents', '4.7/llms'),
    async () => {
      const { app, publish } = await createRawContent(engine);
      await publish();
      const [readme, agents, llms] = [
        await ask(app, rawPath('readme.md')),
        await ask(app, rawPath('agents.md')),
        await ask(app, rawPath('llms.txt')),
      ];
      expect([readme.status, readme.body]).toEqual([200, '# The readme of hush\n']);
      expect([agents.status, agents.body]).toEqual([200, '# The agents of hush\n']);
      expect(llms.body).toContain('> Signals of the world');
      for (const { headers } of [readme, agents]) {
        expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      }
      expect(llms.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      for (const { headers } of [readme, agents, llms]) {
        expect(headers.get('cache-control')).toBe('private, no-cache');
        expect(headers.get('vary')).toContain('Authorization');
        expect(headers.get('etag')).toMatch(/^W\/"[\w-]{24}"$/);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
    },
  );

  it('is an empty text until it is written', async () => {
    const { app, owner, publish } = await createRawContent(engine);
    await publish();
    (await owner('repo.create', { orgName: 'ada', name: 'new', visibility: 'public' })).data();
    for (const file of ['readme.md', 'agents.md']) {
      const answer = await ask(app, rawPath(file, 'ada/new'));
      expect([file, answer.status, answer.body]).toEqual([file, 200, '']);
    }
    expect((await ask(app, rawPath('llms.txt', 'ada/new'))).body).toMatch(/^# new\n\n> A repository of 0 records\.\n/);
  });

  it(
    verifies(
      'of a private repository is as if it were not there, but for who may read it',
      '4.7/readme-private',
      '4.7/agents-private',
      '4.7/llms-private',
      '4.7/private-token',
    ),
    async () => {
      const { app, store, session, withScope, component } = await createRawContent(engine);
      await createPerson(store, { email: 'eve@example.com', password: 'long enough it is', operator: false });
      const scopes: ScopeEntry[] = [{ permissions: ['repo:read'] }];
      const { token: other } = await createToken(store, { email: 'eve@example.com', name: 'all', scopes });
      const scenarios = [
        { who: 'anonymous', token: undefined, status: 404 },
        { who: 'another account', token: other, status: 404 },
        {
          who: 'a token that may write alone',
          token: await withScope('writer', { permissions: ['repo:write'] }),
          status: 404,
        },
        { who: 'a wrong token', token: 'cairn_pat_wrong', status: 401 },
        { who: 'a session', token: session, status: 200 },
        { who: 'a token', token: await withScope('reader', {}), status: 200 },
        {
          who: 'a narrowed token',
          token: await withScope('narrow', { refs: ['Signal/**'] }),
          status: 200,
          narrowed: true,
        },
        { who: 'a component', token: await component([{ refs: ['**'] }]), status: 200 },
        { who: 'a narrowed component', token: await component([{ refs: ['Signal/**'] }]), status: 200, narrowed: true },
      ];
      for (const scenario of scenarios) {
        for (const file of RAW_FILES)
          for (const tag of [undefined, '*']) await checkAccess(app, scenario, { file, tag });
      }
    },
  );

  it('shows narrowed callers their shapes and counts alone, and no text that is hidden', async () => {
    const { app, withScope, component } = await createRawContent(engine);
    const narrowed = [await withScope('narrow', { shapes: ['Signal'] }), await component([{ refs: ['Signal/**'] }])];
    for (const token of narrowed) {
      const { body } = await ask(app, rawPath('llms.txt'), { token });
      expect(body).toContain('it has 2 things, 0 assertions, 0 collections and 1 shape.');
      expect(body).toContain('- [Signal](');
      expect(body).not.toContain('Content');
      for (const file of ['readme.md', 'agents.md']) {
        const answer = await ask(app, rawPath(file), { token });
        expect([answer.status, answer.body]).toEqual([200, '']);
      }
    }
    const reader = await withScope('texts', { refs: ['Content/Readme'] });
    expect((await ask(app, rawPath('readme.md'), { token: reader })).body).toBe('# The readme of hush\n');
    expect((await ask(app, rawPath('agents.md'), { token: reader })).body).toBe('');
  });

  it('of components elsewhere is refused before a look-up', async () => {
    const { app, store, owner, component } = await createRawContent(engine);
    (await owner('repo.create', { orgName: 'ada', name: 'open', visibility: 'public' })).data();
    const token = await component([{ refs: ['**'] }]);
    const answers = [];
    for (const repo of ['ada/open', 'ada/missing', 'nobody/world']) {
      answers.push(whole(await ask(app, rawPath('readme.md', repo), { token })));
    }
    expect(answers[0]?.[0]).toBe(403);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const setup = await createComponentToken(store, { repoId: 1, kind: 'setup' });
    expect((await ask(app, rawPath('readme.md'), { token: setup })).status).toBe(403);
  });

  it('answers HEAD like GET, without a body', async () => {
    const { app, session } = await createRawContent(engine);
    for (const file of RAW_FILES) {
      const [got, head] = [
        await ask(app, rawPath(file), { token: session }),
        await ask(app, rawPath(file), { token: session, method: 'HEAD' }),
      ];
      expect([head.status, head.body]).toEqual([200, '']);
      expect([tagOf(head), head.headers.get('content-type')]).toEqual([tagOf(got), got.headers.get('content-type')]);
      const headers = { 'if-none-match': tagOf(got) };
      expect((await ask(app, rawPath(file), { token: session, method: 'HEAD', headers })).status).toBe(304);
      const post = await ask(app, rawPath(file), { token: session, method: 'POST' });
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('is read at any sequence', async () => {
    const { app, owner, session: token } = await createRawContent(engine);
    (await owner('repo.setContent', { ...WORLD, name: 'readme', content: 'new' })).data();
    (await owner('shape.rename', { ...WORLD, name: 'Signal', newName: 'Beep' })).data();
    const at = async (file: string, seq: number) =>
      (await ask(app, `${rawPath(file)}?atRepoSeq=${seq}`, { token })).body;
    expect([await at('readme.md', 3), await at('readme.md', 4), await at('readme.md', 6)]).toEqual([
      '',
      '# The readme of hush\n',
      'new',
    ]);
    const before = await at('llms.txt', 1);
    expect(before).toContain('At sequence 1 it has 0 things, 0 assertions, 0 collections and 1 shape.');
    expect(before).toContain('/api/repos/ada/world/head?shape=Signal&atRepoSeq=1)');
    expect(before).not.toMatch(/Beep|Secret/);
    expect((await ask(app, rawPath('llms.txt'), { token })).body).not.toMatch(/Signal[^s]|atRepoSeq=\d/);
  });

  it.each([
    ['limit=1', 'limit'],
    ['atRepoSeq=1&x', 'x'],
    ['__proto__=1', '__proto__'],
    ['atRepoSeq=', 'atRepoSeq'],
    ['atRepoSeq=-1', 'atRepoSeq'],
    ['atRepoSeq=1.5', 'atRepoSeq'],
    ['atRepoSeq=1&atRepoSeq=1', 'atRepoSeq'],
    ['atRepoSeq=99999999999999999999', 'atRepoSeq'],
    ['atRepoSeq=6', 'atRepoSeq'],
  ])('refuses ?%s, naming the parameter', async (query, name) => {
    const { app, session } = await createRawContent(engine);
    for (const file of RAW_FILES) {
      const headers = { 'if-none-match': '*' };
      const { status, body } = await ask(app, `${rawPath(file)}?${query}`, { token: session, headers });
      const { error } = JSON.parse(body);
      expect([status, error.code, error.details[0].path]).toEqual([400, 'VALIDATION_ERROR', name]);
      expect(error.message).toMatch(name === 'atRepoSeq' ? /atRepoSeq|sequence 5; there is no 6/ : name);
    }
  });

  it('of names that nothing can have is not there', async () => {
    const { app, session } = await createRawContent(engine);
    const missing = whole(await ask(app, rawPath('readme.md', 'ada/missing'), { token: session }));
    for (const name of ['%00', 'A', 'ada%2Fworld', '%ff', '%zz', '-', `${'a'.repeat(200)}`, '%F0%9F%98%80']) {
      for (const repo of [`${name}/world`, `ada/${name}`]) {
        expect([repo, ...whole(await ask(app, rawPath('readme.md', repo), { token: session }))]).toEqual([
          repo,
          ...missing,
        ]);
      }
    }
  });
});
