// Rights to export, the order of the checks, and the end of an export when the rights end.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import {
  commit,
  createExportable,
  type Exportable,
  parseExport,
  refusalOf,
  requestExport,
  WORLD,
} from '../../../../test/support/export.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const BOTH = ['repo:read', 'repo:checkpoint-read'] as const;
const MODES = ['', 'prefer=async', 'token=x'];

async function refused({ app }: Exportable, token: string | undefined, query = '', repo = 'ada/world') {
  const { status, code } = await refusalOf(await requestExport(app, { query, token, repo }));
  return [status, code];
}

describe.each(UPPER_ENGINES)('export on %s', (engine) => {
  it(
    verifies(
      'is for who holds both scopes, and refused to others',
      '4.1/export-anonymous',
      '4.1/export-invalid-token',
      '4.1/export-read-only',
      '4.1/export-checkpoint-only',
    ),
    async () => {
      const world = await createExportable(engine);
      const tokens = {
        both: await world.withScopes('both', { resource: 'ada/world', permissions: [...BOTH] }),
        read: await world.withScopes('read', { permissions: ['repo:read', 'repo:write', 'repo:checkpoint-generate'] }),
        checkpoint: await world.withScopes('checkpoint', { permissions: ['repo:checkpoint-read', 'repo:admin'] }),
      };
      for (const visibility of ['private', 'public'] as const) {
        (await world.owner('repo.setVisibility', { ...WORLD, visibility })).data();
        const answer = await requestExport(world.app, { token: tokens.both });
        expect(parseExport(await answer.text()).recordCount).toBe(11);
        for (const query of MODES) {
          expect(await refused(world, undefined, query)).toEqual([401, 'UNAUTHENTICATED']);
          expect(await refused(world, 'cairn_pat_wrong', query)).toEqual([401, 'UNAUTHENTICATED']);
          expect(await refused(world, tokens.read, query)).toEqual([403, 'FORBIDDEN']);
          expect(await refused(world, tokens.checkpoint, query)).toEqual([403, 'FORBIDDEN']);
        }
      }
      const missing = await refusalOf(await requestExport(world.app, { token: tokens.checkpoint }));
      expect(missing.message).toContain('repo:read');
    },
  );

  it(
    verifies(
      'is refused to a narrowed repo:read, whatever else the token holds',
      '4.2/narrowed-refs',
      '4.2/narrowed-shapes',
      '4.2/narrowed-with-checkpoint',
    ),
    async () => {
      const world = await createExportable(engine);
      const narrowings = [{ refs: ['Room/**'] }, { shapes: ['Room'] }, { refs: ['**'] }];
      for (const [index, narrowing] of narrowings.entries()) {
        const entry = { resource: 'ada/world', permissions: [...BOTH], ...narrowing };
        const token = await world.withScopes(`narrow-${index}`, entry);
        for (const query of MODES) expect(await refused(world, token, query)).toEqual([403, 'export-scope-narrowed']);
        const reader = { resource: 'ada/world', permissions: ['repo:read' as const], ...narrowing };
        const without = await world.withScopes(`narrow-reader-${index}`, reader);
        const answer = await requestExport(world.app, { token: without });
        const hint = expect.stringContaining('can see only part of the repository');
        expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: 'FORBIDDEN', hint } }]);
      }
    },
  );

  it(
    verifies('is refused to components before anything is looked up', '4.2/component-sync', '4.2/component-any-scopes'),
    async () => {
      const world = await createExportable(engine);
      for (const kind of ['runtime', 'setup'] as const) {
        const token = await world.component(kind);
        for (const repo of ['ada/world', 'ada/none', 'no/one']) {
          for (const query of [...MODES, 'nonsense=1']) {
            expect(await refused(world, token, query, repo)).toEqual([403, 'export-component-token']);
          }
        }
      }
    },
  );

  it('is refused in one order: access, what is seen, scopes, narrowing, parameters, mode, format, sequences', async () => {
    const world = await createExportable(engine);
    const wrong = 'nonsense=1&mode=ops&atRepoSeq=99';
    const reader = await world.withScopes('reader', { permissions: ['repo:read'] });
    const narrowed = await world.withScopes('narrowed', { permissions: [...BOTH], refs: ['Room/**'] });
    expect(await refused(world, world.session, wrong, 'ada/none')).toEqual([404, 'NOT_FOUND']);
    expect(await refused(world, reader, wrong)).toEqual([403, 'FORBIDDEN']);
    expect(await refused(world, narrowed, wrong)).toEqual([403, 'export-scope-narrowed']);
    expect(await refused(world, world.session, wrong)).toEqual([400, 'VALIDATION_ERROR']);
    expect(await refused(world, world.session, 'mode=ops&atRepoSeq=99')).toEqual([501, 'export-mode-not-enabled']);
    expect(await refused(world, world.session, 'atRepoSeq=99')).toEqual([400, 'export-seq-unavailable']);
  });

  it('is cut, without an end mark, when the token is revoked or the repository hidden', async () => {
    const world = await createExportable(engine);
    const long = 'x'.repeat(100_000);
    for (let n = 0; n < 10; n++) await commit(world.owner, [{ name: `Room/big-${n}`, data: { long } }]);
    const endings = {
      revoked: () => world.owner('token.revoke', { name: 'revoked' }),
      deleted: () => world.owner('repo.delete', WORLD),
    };
    for (const [name, end] of Object.entries(endings)) {
      const token = await world.withScopes(name, { permissions: [...BOTH] });
      const answer = await requestExport(world.app, { token });
      const reader = answer.body?.getReader();
      const first = await reader?.read();
      expect(new TextDecoder().decode(first?.value)).toContain('"type":"header"');
      (await end()).data();
      await expect(readToEnd(reader)).rejects.toThrow();
    }
  });
});

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<void> {
  for (;;) {
    const { done } = (await reader?.read()) ?? { done: true };
    if (done) return;
  }
}
