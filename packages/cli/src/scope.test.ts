import { describe, expect, it } from 'vitest';
import { parseLifetime, parseScope } from './scope.ts';

describe('scopes on the command line', () => {
  it.each([
    ['repo:read', { permissions: ['repo:read'] }],
    ['acme=repo:read,repo:write', { resource: 'acme', permissions: ['repo:read', 'repo:write'] }],
    ['acme/world=repo:read', { resource: 'acme/world', permissions: ['repo:read'] }],
    ['acme=role:viewer', { resource: 'acme', permissions: ['org:read', 'repo:read', 'repo:checkpoint-read'] }],
    ['repo:read,repo:read', { permissions: ['repo:read'] }],
  ])('reads %s', (text, entry) => {
    expect(parseScope(text)).toEqual(entry);
  });

  it('refuses what is no scope', () => {
    for (const text of ['', 'repo:delete', 'acme=', 'role:king', 'a/b/c=repo:read', '=repo:read', 'repo:read,']) {
      expect(() => parseScope(text), text).toThrow(/is not/);
    }
  });

  it('reads lengths of time', () => {
    expect(parseLifetime('90d')).toBe(90 * 86_400_000);
    expect(parseLifetime('12h')).toBe(12 * 3_600_000);
    expect(() => parseLifetime('soon')).toThrow('Write 90d');
  });
});
