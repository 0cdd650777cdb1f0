import { describe, expect, it } from 'vitest';
import { EMPTY_DRAFT, entryOf, missingIn, missingPermission, missingPlace, scopesOf, toldOf } from './token-draft.ts';

describe('what a token is to be allowed', () => {
  it('is sent as the API takes it', () => {
    expect(entryOf({ ...EMPTY_DRAFT, resource: ' acme/world ', refs: ' Signal/**\n\nTrack/a ' })).toEqual({
      resource: 'acme/world',
      permissions: ['repo:read'],
      refs: ['Signal/**', 'Track/a'],
    });
    expect(entryOf({ ...EMPTY_DRAFT, resource: 'acme/world', shapes: ['Signal'] })).toEqual({
      resource: 'acme/world',
      permissions: ['repo:read'],
      shapes: ['Signal'],
    });
    expect(entryOf({ ...EMPTY_DRAFT, extent: 'everything', resource: 'acme' })).toEqual({ permissions: ['repo:read'] });
  });

  it('holds nothing that the place does not have, and narrows nothing but reading', () => {
    expect(scopesOf('repository')).not.toContain('org:read');
    expect(scopesOf('organization')).toContain('org:read');
    const draft = { ...EMPTY_DRAFT, resource: 'acme/world', refs: 'Signal/**', shapes: ['Signal'] };
    expect(entryOf({ ...draft, permissions: ['repo:write', 'org:read'] })).toEqual({
      resource: 'acme/world',
      permissions: ['repo:write'],
    });
  });

  it('says what is missing', () => {
    expect(missingPlace(EMPTY_DRAFT)).toContain('acme/world');
    expect(missingPlace({ ...EMPTY_DRAFT, extent: 'organization', resource: 'acme/world' })).toContain('organization');
    expect(missingPlace({ ...EMPTY_DRAFT, extent: 'everything' })).toBeUndefined();
    expect(missingPermission({ ...EMPTY_DRAFT, permissions: [] })).toContain('at least one');
    expect(missingPermission({ ...EMPTY_DRAFT, permissions: ['org:read'] })).toContain('at least one');
    const whole = { ...EMPTY_DRAFT, resource: 'acme/world' };
    expect(missingIn([whole, whole])).toBeUndefined();
    expect(missingIn([whole, EMPTY_DRAFT])).toBe(missingPlace(EMPTY_DRAFT));
    expect(missingIn([{ ...whole, permissions: [] }])).toBe('Choose at least one permission.');
  });

  it('is told in a line', () => {
    expect(toldOf({ permissions: ['repo:read'] })).toBe('everything: repo:read');
    expect(toldOf({ resource: 'acme/world', permissions: ['repo:read'], refs: ['A/**'], shapes: ['B'] })).toBe(
      'acme/world: repo:read, reading only A/** of B',
    );
    expect(toldOf({ permissions: ['repo:read'], shapes: ['A', 'B'] })).toBe(
      'everything: repo:read, reading only records of A or B',
    );
  });
});
