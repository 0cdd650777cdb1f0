import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

async function openHouse(engine: (typeof UPPER_ENGINES)[number]) {
  const repository = await openRepository(engine);
  const operations = [
    { kind: 'shape', name: 'Room', data: { fields: { 'next?': 'wref' } } },
    { name: 'Room/hall', data: {} },
    { name: 'Room/attic', data: { next: 'Room/hall' } },
    { name: 'Room/note', about: 'Room/attic', data: {} },
    { type: 'arc', name: 'stairs', members: ['Room/hall', 'Room/attic'] },
  ];
  await repository.json('commit', 'submit', '--ops', JSON.stringify(operations));
  return repository;
}

describe.each(UPPER_ENGINES)('references of cairn thing on %s', (engine) => {
  it('lists them both ways, by direction and by role', async () => {
    const { json, run, client } = await openHouse(engine);
    const refs = (options?: object) => client.thing.refs('ada', 'world', 'Room/attic', options);
    expect(await json('thing', 'refs', 'Room/attic')).toEqual(await refs());
    expect(await json('thing', 'refs', 'Room/attic', '--direction', 'out')).toEqual(await refs({ direction: 'out' }));
    expect(await json('thing', 'refs', 'Room/attic', '--role', 'to', '--at', '1')).toEqual(
      await refs({ role: 'to', atRepoSeq: 1 }),
    );
    const { stdout } = await run(['thing', 'refs', 'Room/attic', '--all']);
    expect(stdout).toMatch(/^wref +direction +role +path +pinnedVersion$/m);
    expect(stdout).toMatch(/^Room\/hall@v1 +out +field +\/next +1$/m);
    expect(stdout).toMatch(/^Room\/note@v1 +in +about +1$/m);
    expect(stdout).toMatch(/^Arc\/stairs@v1 +in +to +\/to +1$/m);
  });

  it('shows the records around one, and how they refer to each other', async () => {
    const { json, run, client } = await openHouse(engine);
    const graph = (options?: object) => client.thing.graph('ada', 'world', 'Room/hall', options);
    expect(await json('thing', 'graph', 'Room/hall')).toEqual(await graph());
    const flags = ['--depth', '1', '--limit', '2', '--direction', 'in'];
    expect(await json('thing', 'graph', 'Room/hall', ...flags)).toEqual(
      await graph({ depth: 1, limit: 2, direction: 'in' }),
    );
    const shown = await run(['thing', 'graph', 'Room/hall']);
    expect(shown.stderr).toBe('');
    expect(shown.stdout).toMatch(/^wref +kind +active +distance\nRoom\/hall +thing +true +0\n/);
    expect(shown.stdout).toMatch(/\n\nfrom +role +path +to\n/);
    expect(shown.stdout).toMatch(/^Room\/note +about +Room\/attic$/m);
    expect(shown.stdout).toMatch(/^Arc\/stairs +from +\/from +Room\/hall$/m);
    const cut = await run(['thing', 'graph', 'Room/hall', '--limit', '2']);
    expect(cut.stderr).toBe('There are more records around it: --limit shows up to 500.\n');
    const alone = await run(['thing', 'graph', 'Room/hall', '--limit', '1']);
    expect(alone.stdout).toMatch(/^wref .* distance\n.* 0\n$/);
    expect((await run(['thing', 'graph', 'Room/none'])).code).toBe(4);
  });
});
