// The repository reads of REST: access, answers and refusals.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { ask, createRawContent, tagOf, WORLD, whole } from '../../../../test/support/raw-content.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const path = (rest: string, repo = 'ada/world') => `/api/repos/${repo}/${rest}`;

async function prepare(engine: Engine) {
  const world = await createRawContent(engine);
  const operations = [
    { kind: 'shape', name: 'Claim', data: { fields: { 'good?': 'boolean' } } },
    { name: 'Claim/of-a', about: 'Signal/a', data: { good: true } },
    { name: 'Claim/of-hush', about: 'Secret/hush', data: {} },
  ];
  (await world.owner('commit.submit', { ...WORLD, operations })).data();
  return world;
}

const namesIn = (body: string): string[] => JSON.parse(body).items.map(({ name }: { name: string }) => name);

const ROUTES = {
  head: {
    rest: 'head?kind=thing&shape=Signal',
    names: ['Signal/a', 'Signal/b'],
  },
  about: { rest: 'about/Signal%2Fa', names: ['Claim/of-a'] },
  query: { rest: 'query?shape=Claim&where=good:eq:true', names: ['Claim/of-a'] },
} as const;

const REFUSED: readonly (readonly [rest: string, name: string])[] = [
  ['head?shap=Signal', 'shap'],
  ['head?limit=0', 'limit'],
  ['head?limit=501', 'limit'],
  ['head?limit=5.0', 'limit'],
  ['head?limit=050', 'limit'],
  ['head?limit=5&limit=5', 'limit'],
  ['head?count=1', 'count'],
  ['head?kind=thin', 'kind'],
  ['head?order=size', 'order'],
  ['head?shape=a%20b', 'shape'],
  ['head?atRepoSeq=-1', 'atRepoSeq'],
  ['head?atRepoSeq=7', 'atRepoSeq'],
  ['head?cursor=x', 'cursor'],
  ['head?match=%00', 'match'],
  [`head?match=${'a*'.repeat(5)}`, 'match'],
  [`head?match=${'a'.repeat(1_025)}`, 'match'],
  ['head?about=Signal/a', 'about'],
  ['head?q=signal', 'q'],
  ['query?q=%2B', 'q'],
  ['query?q=a&atRepoSeq=1', 'atRepoSeq'],
  ['query?where=x:eq:1', 'where'],
  ['query?shape=Signal&where=x', 'where'],
  ['query?shape=Signal&where=y:eq:1', 'where'],
  ['query?shape=Signal&where=x:eq:one', 'where'],
  ['query?shape=Signal&where=x:prefix:1', 'where'],
  ['query?shape=Signal&where=x:eq', 'where'],
  ['query?shape=Signal&where=[1]', 'where'],
  ['query?shape=Signal&where=[{"fieldPath":"x","op":"eq"', 'where'],
  ['query?shape=Signal&where=[{"fieldPath":"x","op":"eq","rhs":"1"}]', 'where'],
  [`query?shape=Signal${'&where=x:gt:1'.repeat(9)}`, 'where'],
  ['query?shape=None&where=x:eq:1', 'shape'],
  ['query?role=from', 'role'],
  ['query?about=Signal/a&role=from', 'role'],
  ['query?depth=2', 'depth'],
  ['query?about=Signal/a&depth=4', 'depth'],
  ['query?about=Signal/a&acrossRepos=true&atRepoSeq=1', 'atRepoSeq'],
  ['query?about=a%20b', 'about'],
  ['about/a%20b', 'wref'],
  ['about/Signal%252Fa', 'wref'],
  ['about/%00', 'wref'],
  ['about/%ff', 'wref'],
];

describe.each(ENGINES)('repository reads on %s', (engine) => {
  it(
    verifies(
      'answer all of what they are asked for and nothing else, anonymously where it is public',
      '4.1/head-mounted',
      '4.1/head-public-anonymous',
      '4.1/about-mounted',
      '4.1/about-only-thing',
      '4.1/about-public-anonymous',
      '4.1/query-mounted',
      '4.1/query-filters',
      '4.1/query-public-anonymous',
    ),
    async () => {
      const { app, publish } = await prepare(engine);
      await publish();
      for (const { rest, names } of Object.values(ROUTES)) {
        const answer = await ask(app, path(rest));
        expect([rest, answer.status, namesIn(answer.body)]).toEqual([rest, 200, names]);
        expect(answer.headers.get('content-type')).toBe('application/json');
        expect(answer.headers.get('cache-control')).toBe('private, no-cache');
        expect(answer.headers.get('vary')).toContain('Authorization');
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
        const head = await ask(app, path(rest), { method: 'HEAD' });
        expect([head.status, head.body, tagOf(head)]).toEqual([200, '', tagOf(answer)]);
      }
      const all = JSON.parse((await ask(app, path('head?order=name'))).body);
      expect(all.repoSeq).toBe(6);
      expect(all.items.map(({ name }: { name: string }) => name)).toEqual([
        ...['Claim', 'Claim/of-a', 'Claim/of-hush', 'Content', 'Content/Agents', 'Content/Readme'],
        ...['Secret', 'Secret/hush', 'Signal', 'Signal/a', 'Signal/b'],
      ]);
    },
  );

  it(
    verifies(
      'of a private repository need a valid token, without which it is as if there were none',
      '4.1/head-private-no-token',
      '4.1/head-private-token',
      '4.1/about-private-no-token',
      '4.1/about-private-token',
      '4.1/query-private-no-token',
      '4.1/query-private-token',
    ),
    async () => {
      const { app, session, withScope, component } = await prepare(engine);
      const good = [session, await withScope('reader', {}), await component([{ refs: ['**'] }])];
      const elsewhere = await withScope('elsewhere', { resource: 'ada', permissions: ['org:read'] });
      for (const { rest, names } of Object.values(ROUTES)) {
        const tags = [];
        for (const token of good) {
          const answer = await ask(app, path(rest), { token });
          expect([rest, answer.status, namesIn(answer.body)]).toEqual([rest, 200, names]);
          tags.push(tagOf(answer));
        }
        for (const headers of [{}, { 'if-none-match': tags.join(', ') }, { 'if-none-match': '*' }]) {
          for (const token of [undefined, elsewhere]) {
            const answer = await ask(app, path(rest), { headers, token });
            const missing = await ask(app, path(rest, 'ada/missing'), { headers, token });
            expect(answer.status).toBe(404);
            expect(whole(answer)).toEqual(whole(missing));
          }
          const wrong = await ask(app, path(rest), { token: 'cairn_pat_wrong', headers });
          expect(wrong.status).toBe(401);
          expect(wrong.headers.get('www-authenticate')).toContain('Bearer');
        }
      }
    },
  );

  it('show a narrowed token what it may see, and no more, whatever it asks', async () => {
    const { app, withScope } = await prepare(engine);
    const token = await withScope('narrow', { refs: ['Signal/a', 'Claim/**'] });
    const hidden = /hush|Secret|Signal\/b|undercover/;
    const names = async (rest: string) => {
      const { status, body } = await ask(app, path(rest), { token });
      expect([rest, status, hidden.test(body.replaceAll('of-hush', ''))]).toEqual([rest, 200, false]);
      return namesIn(body);
    };
    expect(await names('head?order=name')).toEqual(['Claim', 'Claim/of-a', 'Claim/of-hush', 'Signal', 'Signal/a']);
    expect(await names('head?shape=Secret')).toEqual([]);
    expect(await names('head?match=Secret/**')).toEqual([]);
    expect(await names('query?shape=Claim&order=-updated')).toEqual(['Claim/of-hush', 'Claim/of-a']);
    expect(JSON.parse((await ask(app, path('head?count=true'), { token })).body).count).toBe(5);
    const none = await ask(app, path('about/Secret%2Fhush'), { token });
    const missing = await ask(app, path('about/Secret%2Fnone'), { token });
    const nowhere = await ask(app, path('about/Signal%2Fa', 'ada/missing'), { token });
    expect(none.status).toBe(404);
    expect(whole(none)).toEqual(whole(missing));
    expect(whole(none)).toEqual(whole(nowhere));
  });

  it('refuse what cannot be read, and name it', async () => {
    const { app, session: token } = await prepare(engine);
    for (const [rest, name] of REFUSED) {
      const { status, body } = await ask(app, path(rest), { token });
      const { error } = JSON.parse(body);
      expect([rest, status, error?.code]).toEqual([rest, 400, 'VALIDATION_ERROR']);
      expect([rest, error.message]).toEqual([rest, expect.stringContaining(name)]);
    }
  });
});
