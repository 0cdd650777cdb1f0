import { describe, expect, it } from 'vitest';
import { localPath } from './query.ts';

describe('a local path', () => {
  it.each([
    ['/', '/'],
    ['/auth/account', '/auth/account'],
    ['/auth/interaction/abc?x=1&y=%2F%2Fevil.example', '/auth/interaction/abc?x=1&y=%2F%2Fevil.example'],
    ['/a/../b', '/b'],
    ['/auth#part', '/auth'],
  ])('%s is one', (text, path) => {
    expect(localPath(text)).toBe(path);
  });

  it.each([
    undefined,
    '',
    'auth/account',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    'https:evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    ' //evil.example',
    '/..//evil.example',
    '/.//evil.example',
    '/%0d%0a//x\r\nlocation: y',
    '/auth/\u0000',
    '/ä',
  ])('%j is none', (text) => {
    expect(localPath(text)).toBeUndefined();
  });
});
