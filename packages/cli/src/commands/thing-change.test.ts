import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

/** Sequence 1 has a hall and an attic. Sequence 2 changes the hall and adds a yard. */
async function openHouse(engine: (typeof UPPER_ENGINES)[number]) {
  const repository = await openRepository(engine);
  const submit = (operations: object[]) => repository.json('commit', 'submit', '--ops', JSON.stringify(operations));
  await submit([
    { kind: 'shape', name: 'Room', data: { fields: { size: 'number', 'color?': 'string' } } },
    { name: 'Room/hall', data: { size: 3, color: 'red' } },
    { name: 'Room/attic', data: { size: 2 } },
  ]);
  await submit([
    { operation: 'revise', name: 'Room/hall', data: { size: 4 } },
    { operation: 'rename', name: 'Room/hall', newName: 'Room/foyer' },
    { operation: 'retract', name: 'Room/attic' },
    { name: 'Room/yard', data: { size: 9 } },
  ]);
  return repository;
}

describe.each(UPPER_ENGINES)('changes of cairn thing on %s', (engine) => {
  it('lists the records that changed, and how', async () => {
    const { json, run, client } = await openHouse(engine);
    const changes = (options: object) => client.thing.changes('ada', 'world', { sinceRepoSeq: 1, ...options });
    expect(await json('thing', 'changes', '--since', '1')).toEqual(await changes({}));
    const flags = ['--shape', 'Room', '--kind', 'thing', '--match', '**', '--limit', '1', '--at', '2'];
    expect(await json('thing', 'changes', '--since', '1', ...flags)).toEqual(
      await changes({ shape: 'Room', kind: 'thing', match: '**', limit: 1, atRepoSeq: 2 }),
    );
    const { stdout } = await run(['thing', 'changes', '--since', '1', '--all']);
    expect(stdout).toMatch(/^name +change +nameBefore +versionBefore +version +kind +repoSeq$/m);
    expect(stdout).toMatch(/^Room\/foyer +revised +Room\/hall +1 +2 +thing +2$/m);
    expect(stdout).toMatch(/^Room\/attic +retracted +1 +2 +thing +2$/m);
    expect(stdout).toMatch(/^Room\/yard +added +1 +thing +2$/m);
    expect((await run(['thing', 'changes', '--since', '2'])).stdout).toBe('');
  });

  it('shows what changed in one record', async () => {
    const { json, run, client } = await openHouse(engine);
    expect(await json('thing', 'diff', 'Room/foyer', '--since', '1', '--at', '2')).toEqual(
      await client.thing.diff('ada', 'world', 'Room/foyer', { sinceRepoSeq: 1, atRepoSeq: 2 }),
    );
    const shown = (await run(['thing', 'diff', 'Room/foyer', '--since', '1'])).stdout;
    expect(shown).toMatch(/^Room\/hall@v1 -> Room\/foyer@v2\n\nchange +path +before +after\n/);
    expect(shown).toMatch(/^removed +\/color +red$/m);
    expect(shown).toMatch(/^changed +\/size +3 +4$/m);
    expect((await run(['thing', 'diff', 'Room/yard', '--since', '1'])).stdout).toMatch(
      /^\(did not exist\) -> Room\/yard@v1/,
    );
    const same = await run(['thing', 'diff', 'Room/foyer', '--since', '2']);
    expect(same.stdout).toBe('Room/foyer@v2 -> Room/foyer@v2\nThe data is the same.\n');
  });
});
