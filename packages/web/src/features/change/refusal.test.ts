import type { CairnError } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import type { Added, Change } from './change.ts';
import { type Refusal, refusalOf } from './refusal.ts';

const ADDED: Added = { step: 'add', kind: 'thing', name: 'Tree/Old Oak', data: {} };
const BASE = { kind: 'thing', version: 1, isActive: true, data: {} } as const;
const BAD_NAME: Refusal = {
  code: 'VALIDATION_ERROR',
  message: 'No name.',
  details: [{ path: '/name', message: 'No name.' }],
};
const MISFIT: Refusal = {
  code: 'SHAPE_MISMATCH',
  message: 'It does not fit.',
  details: [{ path: '/name', message: 'missing' }],
};
const TAKEN: Refusal = { code: 'ALREADY_EXISTS', message: 'It is there.', details: { name: 'Tree/oak' } };

function server(...answers: readonly (Refusal | undefined)[]) {
  const asked: Change[] = [];
  const ask = async (change: Change) => answers[asked.push(change) - 1];
  return { asked, ask };
}

const pathsOf = (error: CairnError | undefined) =>
  (error?.details as { path: string }[] | undefined)?.map(({ path }) => path);

describe('why a change is refused', () => {
  it('is told of a collection at the fields that its members are in', async () => {
    const arc: Added = { step: 'add', kind: 'collection', name: 'Arc/$1', data: { from: 'A/a' }, collection: 'arc' };
    const refused = (path: string) =>
      refusalOf(arc, [], server({ code: 'VALIDATION_ERROR', message: '', details: [{ path, message: 'No.' }] }).ask);
    expect(pathsOf(await refused('/members/0'))).toEqual(['/data/from']);
    expect(pathsOf(await refused('/members'))).toEqual(['/data/to']);
  });

  it('is all told, though the server names the first alone', async () => {
    const { asked, ask } = server(BAD_NAME, MISFIT);
    const refused = await refusalOf(ADDED, [{ ...ADDED, name: 'Tree/$1' }], ask);
    expect(refused).toMatchObject({ code: 'VALIDATION_ERROR', message: 'No name.' });
    expect(refused?.details).toEqual([
      { path: '/name', message: 'No name.' },
      { path: '/data/name', message: 'missing' },
    ]);
    expect(asked.map(({ name }) => name)).toEqual(['Tree/Old Oak', 'Tree/$2']);
  });

  it('is asked for no further than there is something to learn', async () => {
    const good = server(undefined);
    expect(await refusalOf(ADDED, [], good.ask)).toBeUndefined();
    const misfit = server(MISFIT);
    await refusalOf(ADDED, [], misfit.ask);
    expect(misfit.asked).toHaveLength(1);
    const unnamed = server(BAD_NAME, MISFIT);
    await refusalOf({ ...ADDED, name: 'Tree/$1' }, [], unnamed.ask);
    expect(unnamed.asked).toHaveLength(1);
  });

  it('is told of the name where that is taken, of a rename too', async () => {
    const added = await refusalOf(ADDED, [], server(TAKEN).ask);
    expect(added?.details).toEqual([{ path: '/name', message: 'It is there.' }]);
    const there = { ...TAKEN, details: { name: 'Tree/oak', currentVersion: 2 } };
    const told = await refusalOf(ADDED, [], server(there).ask);
    expect(told?.details).toEqual([{ path: '/name', message: expect.stringContaining('open it and revise it') }]);
    const renamed: Change = { step: 'rename', name: 'Tree/elm', base: BASE, newName: 'Tree/oak' };
    const refused = await refusalOf(renamed, [], server(TAKEN).ask);
    expect(pathsOf(refused)).toEqual(['/newName']);
  });

  it('is told of what is spoken about, and of what is said', async () => {
    const about: Refusal = { code: 'TARGET_NOT_FOUND', message: 'No.', details: [{ path: '/about', message: 'No.' }] };
    const { asked, ask } = server(BAD_NAME, about, MISFIT);
    const said: Added = { ...ADDED, kind: 'assertion', about: 'Tree/none' };
    const refused = await refusalOf(said, [], ask);
    expect(pathsOf(refused)).toEqual(['/name', '/about', '/data/name']);
    expect(asked.at(-1)).toMatchObject({ name: 'Tree/$1', about: 'Tree' });
  });

  it('has the paths of a shape as they are, and those of no place as a whole', async () => {
    const shape: Added = { ...ADDED, kind: 'shape', name: 'old oak' };
    const fields: Refusal = { code: 'VALIDATION_ERROR', message: 'x', details: [{ path: '/fields/a', message: 'x' }] };
    const refused = await refusalOf(shape, [], server(BAD_NAME, fields).ask);
    expect(pathsOf(refused)).toEqual(['/name', '/fields/a']);
    const archived = await refusalOf(ADDED, [], server({ code: 'ARCHIVED', message: 'It is archived.' }).ask);
    expect(archived?.details).toEqual([{ path: '', message: 'It is archived.' }]);
  });
});
