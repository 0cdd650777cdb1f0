import { describe, expect, it } from 'vitest';
import { type Added, type Base, type Change, inOrder } from './change.ts';

const base: Base = { kind: 'thing', version: 1, isActive: true, data: {} };
const add = (name: string, data: unknown = {}): Added => ({ step: 'add', kind: 'thing', name, data });
const revise = (name: string, data: unknown = {}, of: Partial<Base> = {}): Change => ({
  step: 'revise',
  name,
  base: { ...base, ...of },
  data,
});
const retract = (name: string, of: Partial<Base> = {}): Change => ({
  step: 'retract',
  name,
  base: { ...base, ...of },
  reason: '',
});
const rename = (name: string, newName: string): Change => ({ step: 'rename', name, base, newName });

const told = (...changes: readonly Change[]) => inOrder(changes).map(({ step, name }) => `${step} ${name}`);

describe('the order of a draft', () => {
  it('is the one in which its changes were made', () => {
    expect(told(revise('A/b'), add('A/c'), retract('A/a'))).toEqual(['revise A/b', 'add A/c', 'retract A/a']);
  });

  it('has shapes first, that are added or revised, and new names last', () => {
    const changes = [rename('A/a', 'A/z'), revise('A/a'), revise('A', {}, { kind: 'shape' }), add('B/b')];
    expect(told(...changes, { ...add('B'), kind: 'shape' })).toEqual([
      'revise A',
      'add B',
      'revise A/a',
      'add B/b',
      'rename A/a',
    ]);
  });

  it('has what is referred to first: in data, as what is spoken about, and as a member', () => {
    expect(told(revise('A/a', { near: ['A/hub@v1'] }), add('A/b'), add('A/hub'))).toEqual([
      'add A/hub',
      'revise A/a',
      'add A/b',
    ]);
    expect(told({ ...add('Say/x'), kind: 'assertion', about: 'A/b' }, add('A/b', { to: 'A/c' }), add('A/c'))).toEqual([
      'add A/c',
      'add A/b',
      'add Say/x',
    ]);
    const arc: Added = { ...add('Arc/$2', { from: 'A/a', to: 'A/$1' }), kind: 'collection', collection: 'arc' };
    expect(told(arc, add('A/$1'))).toEqual(['add A/$1', 'add Arc/$2']);
    expect(told(add('A/b', 'A/a'), revise('A/a', {}, { isActive: false }))).toEqual(['revise A/a', 'add A/b']);
  });

  it('has a new name before who uses it, and after who uses the old one', () => {
    expect(told(revise('A/x', { to: 'A/z' }), revise('A/y', { to: 'A/a' }), rename('A/a', 'A/z'))).toEqual([
      'revise A/y',
      'rename A/a',
      'revise A/x',
    ]);
    expect(told(rename('A/a', 'A/b'), rename('A/b', 'A/c'))).toEqual(['rename A/b', 'rename A/a']);
  });

  it('has what is retracted after who names it, and a shape after its records', () => {
    expect(told(retract('A', { kind: 'shape' }), retract('A/a'), revise('B/b', { was: 'A/a' }))).toEqual([
      'revise B/b',
      'retract A/a',
      'retract A',
    ]);
  });

  it('is kept where two need each other, and found at once for many', () => {
    expect(told(add('A/a', 'A/b'), add('A/b', 'A/a'))).toEqual(['add A/b', 'add A/a']);
    const many = Array.from({ length: 2_000 }, (_, number) => add(`A/n${number}`, { next: `A/n${number + 1}` }));
    expect(inOrder(many)).toEqual(many.toReversed());
  });
});
