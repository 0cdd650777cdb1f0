import { describe, expect, it } from 'vitest';
import { parseNamePlaceholder, parsePlaceholderReference } from './placeholder.ts';

describe('a token in a name', () => {
  it.each([
    ['Note/$1', { label: 1, before: 'Note/', after: '' }],
    ['Note/run-$12-x', { label: 12, before: 'Note/run-', after: '-x' }],
    ['Note/a/b$0', { label: 0, before: 'Note/a/b', after: '' }],
    ['Note/plain', undefined],
  ])('%s is found', (text, token) => {
    expect(parseNamePlaceholder(text)).toEqual(token);
  });

  it.each(['Note/$', 'Note/$x', 'Note/$1/a', 'Note/$1$2', '$1', '$1/a', 'Note/$01', 'Note/$1234567890'])(
    '%s is refused',
    (text) => {
      expect(() => parseNamePlaceholder(text)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
    },
  );
});

describe('a reference to a token', () => {
  it.each([
    ['#1', { token: 1, pin: undefined }],
    ['#20@v3', { token: 20, pin: 3 }],
    ['#0@HEAD', { token: 0, pin: 'HEAD' }],
    ['Note/a', undefined],
  ])('%s is understood', (text, reference) => {
    expect(parsePlaceholderReference(text)).toEqual(reference);
  });

  it.each(['#', '#x', '#-1', '#01', '#1x', '#1@v0', '##1'])('%s is refused', (text) => {
    expect(() => parsePlaceholderReference(text)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});
