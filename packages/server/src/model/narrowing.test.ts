import { describe, expect, it } from 'vitest';
import { compileNarrowing, type NamedRecord, type Narrowing } from './narrowing.ts';

const thing = (name: string, shapeId: number, names = [name]): NamedRecord => ({
  kind: 'thing',
  shapeId,
  shapeNames: [name.slice(0, name.indexOf('/'))],
  names,
});
const shape = (name: string, shapeId: number): NamedRecord => ({
  kind: 'shape',
  shapeId,
  shapeNames: [name],
  names: [name],
});

const shows = (narrowing: Narrowing | undefined, record: NamedRecord) => compileNarrowing(narrowing)(record);

describe('a narrowing', () => {
  it('that is none shows everything, and one without entries nothing', () => {
    expect(shows(undefined, thing('Signal/a', 1))).toBe(true);
    expect(shows([[]], thing('Signal/a', 1))).toBe(false);
  });

  it('of refs and shapes needs both, and of several entries one', () => {
    const both: Narrowing = [[{ refs: ['Signal/a*'], shapes: [{ shapeId: 1 }] }]];
    expect(shows(both, thing('Signal/ab', 1))).toBe(true);
    expect(shows(both, thing('Signal/b', 1))).toBe(false);
    expect(shows(both, thing('Signal/ab', 2))).toBe(false);
    const either: Narrowing = [[{ refs: ['Signal/**'] }, { shapes: [{ shapeId: 2 }] }]];
    expect(shows(either, thing('Signal/x', 1))).toBe(true);
    expect(shows(either, thing('Room/x', 2))).toBe(true);
    expect(shows(either, thing('Room/x', 3))).toBe(false);
  });

  it('of a token holds together with those of the tokens that it descends from', () => {
    const levels: Narrowing = [[{ refs: ['**'] }], [{ shapes: [{ shapeId: 1 }] }]];
    expect(shows(levels, thing('Signal/a', 1))).toBe(true);
    expect(shows(levels, thing('Room/a', 2))).toBe(false);
  });

  it('asks for the name of now and the name of then', () => {
    const narrowing: Narrowing = [[{ refs: ['Signal/open/**'] }]];
    expect(shows(narrowing, thing('Signal/a', 1, ['Signal/open/a', 'Signal/open/b']))).toBe(true);
    expect(shows(narrowing, thing('Signal/a', 1, ['Signal/open/a', 'Signal/closed/a']))).toBe(false);
  });

  it('shows the shape of what it shows, and no other', () => {
    expect(shows([[{ shapes: [{ shapeId: 1 }] }]], shape('Signal', 1))).toBe(true);
    expect(shows([[{ shapes: [{ shapeId: 1 }] }]], shape('Room', 2))).toBe(false);
    expect(shows([[{ refs: ['Signal/**'] }]], shape('Signal', 1))).toBe(true);
    expect(shows([[{ refs: ['Signal/**'] }]], shape('Room', 2))).toBe(false);
    expect(shows([[{ refs: ['Room/**'], shapes: [{ shapeId: 1 }] }]], shape('Signal', 1))).toBe(false);
  });

  it('names a shape by its name where it is for several repositories', () => {
    const narrowing: Narrowing = [[{ shapes: [{ shapeName: 'Signal' }] }]];
    expect(shows(narrowing, thing('Signal/a', 9))).toBe(true);
    expect(shows(narrowing, { ...thing('Signal/a', 9), shapeNames: ['Signal', 'Secret'] })).toBe(false);
    expect(shows(narrowing, shape('Signal', 4))).toBe(true);
    expect(shows(narrowing, shape('Secret', 4))).toBe(false);
  });
});
