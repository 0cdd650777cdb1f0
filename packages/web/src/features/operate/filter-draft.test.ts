import type { SubscriptionFilter } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { draftOf, EMPTY_DRAFT, filterOf, filterText, parsedFilter, subjectText } from './subscription.ts';

describe('a filter as it is put together', () => {
  it.each<[SubscriptionFilter, string]>([
    [{}, 'every operation'],
    [{ shape: 'Signal', operation: ['add', 'revise'] }, 'add or revise, of shape Signal'],
    [{ kind: ['thing', 'shape'], match: 'Signal/**' }, 'on things or shapes, with names like Signal/**'],
    [{ name: 'Signal/a', not: { operation: 'retract' } }, 'named Signal/a, not (retract)'],
    [{ any: [{ shape: 'A' }, { shape: 'B' }] }, '(of shape A) or (of shape B)'],
    [{ all: [{ shape: 'A' }, { any: [{ kind: 'thing' }] }] }, '(of shape A), ((on things))'],
  ])('comes back as it was, and is said in words: %j', (filter, words) => {
    expect(filterOf(draftOf(filter))).toEqual(filter);
    expect(filterText(filter)).toBe(words);
  });

  it('is what a subscription is for, or an event is, in any repository', () => {
    expect(subjectText({ filter: {} })).toBe('every operation');
    expect(subjectText({ filter: { shape: 'A' } })).toBe('operations of shape A');
    expect(subjectText({ filter: { operation: 'add' }, source: 'acme/lab' })).toBe('add, in acme/lab');
    expect(subjectText({ event: 'thing.renamed' })).toBe('thing.renamed');
  });

  it('says nothing where it is empty, and one value by itself', () => {
    expect(draftOf({})).toEqual(EMPTY_DRAFT);
    expect(filterOf({ ...EMPTY_DRAFT, shape: ['A'] })).toEqual({ shape: 'A' });
    expect(filterOf({ ...EMPTY_DRAFT, not: EMPTY_DRAFT })).toEqual({ not: {} });
  });

  it('may be written as JSON, of which only an object is one', () => {
    expect(parsedFilter('{"shape":"A"}')).toEqual({ shape: 'A' });
    for (const text of ['', '[]', 'null', '{', '"a"', '{"all":{}}', '{"kind":[1]}', '{"x":"y"}', '{"not":[]}'])
      expect(parsedFilter(text)).toBeUndefined();
  });
});
