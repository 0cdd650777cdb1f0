// The cookbook works as written: every recipe is called in order.
import { TOOLS, type ToolName } from '@cairn/protocol/tools';
import { describe, expect, it } from 'vitest';
import { PROTOCOLS } from '../../../../test/support/mcp.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { toolCaller } from '../../../../test/support/tool.ts';

describe.each(UPPER_ENGINES)('the cookbook on %s', (engine) => {
  it.each(PROTOCOLS)('holds calls that work as they stand, in their order, by %s', async (protocol) => {
    const { app, store } = await createTestApp(engine);
    const token = await createOwnerToken(store);
    await caller(app, token)('org.create', { name: 'acme' });
    const call = toolCaller(app, token, { protocol });
    const { cookbook } = (await call('capabilities')).data();
    expect(cookbook.length).toBeGreaterThan(10);
    for (const { task, tool, arguments: input } of cookbook) {
      const answered = (await call(tool, input)).data();
      expect([task, TOOLS[tool as ToolName].output.safeParse(answered).error]).toEqual([task, undefined]);
    }
    const house = { orgName: 'acme', repoName: 'house' };
    expect((await call('thing_query', { ...house, shape: 'Room', count: true })).data()).toMatchObject({ count: 2 });
    expect((await call('thing_get', { ...house, wref: 'Room/hall' })).data()).toMatchObject({ version: 2 });
  });

  it('is told to who has signed in and to who has not, with what they may do', async () => {
    const { app, store } = await createTestApp(engine);
    const token = await createOwnerToken(store);
    const [nobody, owner] = [
      (await toolCaller(app)('capabilities')).data(),
      (await toolCaller(app, token)('capabilities')).data(),
    ];
    expect(nobody.you).toEqual({ kind: 'anonymous' });
    expect(owner.you).toMatchObject({ kind: 'token', handle: 'ada' });
    expect({ ...owner, you: nobody.you }).toEqual(nobody);
    expect(Object.keys(nobody)).toEqual(
      expect.arrayContaining([
        'version',
        'limits',
        'record',
        'wref',
        'time',
        'pages',
        'errors',
        'signIn',
        'trust',
        'cookbook',
      ]),
    );
    expect(Object.keys(nobody.limits).length).toBeLessThan(10);
    expect(nobody.limits).toMatchObject({ commitOperations: 10_000, readWrefs: 500 });
    expect(JSON.stringify(nobody).length).toBeLessThan(16_000);
  });
});
