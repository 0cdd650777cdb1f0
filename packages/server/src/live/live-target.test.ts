// Targets of an event in other repositories: only listeners who may read all of such a repository get its canonical
// names.
import { describe, expect, it } from 'vitest';
import { createLiveWorld, listen, namesIn, WORLD } from '../../../../test/support/live.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { createToken, EVERYTHING } from '../account/account.ts';

const FAR = { orgName: 'acme', repoName: 'far' };

describe.each(ENGINES)('an event on %s', (engine) => {
  it('names targets elsewhere to who may read there, and to nobody else', async () => {
    const { app, store, url, owner, commit } = await createLiveWorld(engine);
    await owner('repo.create', { orgName: 'acme', name: 'far' });
    await owner('commit.submit', {
      ...FAR,
      operations: [
        { kind: 'shape', name: 'Star', data: { fields: {} } },
        { name: 'Star/one', data: {} },
        { name: 'Star/two', data: {} },
      ],
    });
    const read = { permissions: ['repo:read' as const] };
    const scopes = {
      all: [...EVERYTHING],
      here: [{ resource: 'acme/world', ...read }],
      some: [
        { resource: 'acme/world', ...read },
        { resource: 'acme/far', ...read, refs: ['Star/one'] },
      ],
      narrowed: [
        { resource: 'acme/world', ...read, refs: ['Signal/**'] },
        { resource: 'acme/far', ...read },
      ],
    };
    const listeners = new Map<string, Awaited<ReturnType<typeof listen>>>();
    for (const [name, entries] of Object.entries(scopes)) {
      const { token } = await createToken(store, { email: 'ada@example.com', name: `live-${name}`, scopes: entries });
      listeners.set(name, await listen(url, caller(app, token)));
    }
    await commit([
      { name: 'Signal/s', about: 'wh:acme/far/Star/one', data: {} },
      { kind: 'collection', type: 'arc', name: 'Arc/x', members: ['Signal/s', 'wh:acme/far/Star/two'] },
    ]);
    const targets = async () =>
      Object.fromEntries(
        await Promise.all(
          [...listeners].map(async ([name, client]) => [name, namesIn(await client.next()).targets] as const),
        ),
      );
    const [one, two] = ['wh:acme/far/Star/one', 'wh:acme/far/Star/two'];
    expect(await targets()).toEqual({
      all: ['Signal/s', one, two],
      here: ['Signal/s'],
      some: ['Signal/s'],
      narrowed: [one],
    });
    await owner('thing.rename', { ...FAR, name: 'Star/one', newName: 'Star/sun' });
    await commit([{ operation: 'retract', name: 'Signal/s' }]);
    expect(await targets()).toEqual({
      all: ['wh:acme/far/Star/sun'],
      here: [],
      some: [],
      narrowed: ['wh:acme/far/Star/sun'],
    });
    await owner('repo.delete', FAR);
    await commit([{ operation: 'revise', name: 'Signal/s', data: { level: 2 } }]);
    expect(await targets()).toEqual({ all: [], here: [], some: [], narrowed: [] });
    await expect(owner('repo.get', WORLD)).resolves.toMatchObject({ status: 200 });
  });

  it('names what a collection contained and contains, and the targets by the names of its sequence', async () => {
    const { url, owner, commit } = await createLiveWorld(engine);
    await commit(['a', 'b', 'c'].map((name) => ({ name: `Signal/${name}`, data: {} })));
    await commit([{ kind: 'collection', type: 'set', name: 'Set/x', members: ['Signal/a', 'Signal/b'] }]);
    const client = await listen(url, owner);
    await commit([
      { operation: 'revise', name: 'Set/x', data: { members: ['Signal/b', 'Signal/c'] } },
      { operation: 'rename', name: 'Signal/a', newName: 'Signal/z' },
    ]);
    expect(namesIn(await client.next())).toEqual({
      shapes: ['Set', 'Signal'],
      records: ['Set/x', 'Signal/a', 'Signal/z'],
      targets: ['Signal/b', 'Signal/c', 'Signal/z'],
    });
  });
});
