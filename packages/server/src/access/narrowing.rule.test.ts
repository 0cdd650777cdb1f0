import { describe, expect, it } from 'vitest';
import { compileNarrowing, type NamedRecord, type Narrowing } from './narrowing.rule.ts';

const called = (name: string) => ({ name, shapeName: name.replace(/\/.*/, '') });
const record = (kind: string, shapeId: number, names: readonly string[]): NamedRecord => ({
  kind,
  shapeId,
  called: names.map(called),
});
const thing = (shapeId: number, ...names: string[]) => record('thing', shapeId, names);
const shape = (shapeId: number, ...names: string[]) => record('shape', shapeId, names);

const shows = (narrowing: Narrowing | undefined, record: NamedRecord) => compileNarrowing(narrowing)(record);

describe('a narrowing', () => {
  it('that is none shows everything, and one without entries nothing', () => {
    expect(shows(undefined, thing(1, 'Signal/a'))).toBe(true);
    expect(shows([[]], thing(1, 'Signal/a'))).toBe(false);
  });

  it('of refs and shapes needs both, and of several entries one', () => {
    const both: Narrowing = [[{ refs: ['Signal/a*'], shapes: [{ shapeId: 1 }] }]];
    expect(shows(both, thing(1, 'Signal/ab'))).toBe(true);
    expect(shows(both, thing(1, 'Signal/b'))).toBe(false);
    expect(shows(both, thing(2, 'Signal/ab'))).toBe(false);
    const either: Narrowing = [[{ refs: ['Signal/**'] }, { shapes: [{ shapeId: 2 }] }]];
    expect(shows(either, thing(1, 'Signal/x'))).toBe(true);
    expect(shows(either, thing(2, 'Room/x'))).toBe(true);
    expect(shows(either, thing(3, 'Room/x'))).toBe(false);
  });

  it('of a token holds together with those of the tokens that it descends from', () => {
    const levels: Narrowing = [[{ refs: ['**'] }], [{ shapes: [{ shapeId: 1 }] }]];
    expect(shows(levels, thing(1, 'Signal/a'))).toBe(true);
    expect(shows(levels, thing(2, 'Room/a'))).toBe(false);
  });

  it('asks for the name of now and the name of then', () => {
    const narrowing: Narrowing = [[{ refs: ['Signal/open/**'] }]];
    expect(shows(narrowing, thing(1, 'Signal/open/a', 'Signal/open/b'))).toBe(true);
    expect(shows(narrowing, thing(1, 'Signal/open/a', 'Signal/closed/a'))).toBe(false);
  });

  it('adds up what its lists and entries hold for each name by itself', () => {
    const renamed = thing(9, 'Signal/a', 'Beep/a');
    expect(shows([[{ shapes: [{ shapeName: 'Signal' }, { shapeName: 'Beep' }] }]], renamed)).toBe(true);
    expect(shows([[{ refs: ['Signal/**', 'Beep/**'] }]], renamed)).toBe(true);
    expect(shows([[{ refs: ['Signal/**'] }, { shapes: [{ shapeName: 'Beep' }] }]], renamed)).toBe(true);
    expect(shows([[{ refs: ['Signal/**'] }, { refs: ['Room/**'] }]], renamed)).toBe(false);
  });

  it('shows the shape of what it shows, and no other', () => {
    expect(shows([[{ shapes: [{ shapeId: 1 }] }]], shape(1, 'Signal'))).toBe(true);
    expect(shows([[{ shapes: [{ shapeId: 1 }] }]], shape(2, 'Room'))).toBe(false);
    expect(shows([[{ refs: ['Signal/**'] }]], shape(1, 'Signal'))).toBe(true);
    expect(shows([[{ refs: ['Signal/**'] }]], shape(2, 'Room'))).toBe(false);
    expect(shows([[{ refs: ['Room/**'], shapes: [{ shapeId: 1 }] }]], shape(1, 'Signal'))).toBe(false);
  });

  it('names a shape by its name where it is for several repositories', () => {
    const narrowing: Narrowing = [[{ shapes: [{ shapeName: 'Signal' }] }]];
    expect(shows(narrowing, thing(9, 'Signal/a'))).toBe(true);
    expect(shows(narrowing, thing(9, 'Signal/a', 'Secret/a'))).toBe(false);
    expect(shows(narrowing, shape(4, 'Signal'))).toBe(true);
    expect(shows(narrowing, shape(4, 'Secret'))).toBe(false);
  });
});
