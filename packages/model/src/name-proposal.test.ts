import { ORGANIZATION_NAME, REPOSITORY_NAME, SHAPE_NAME, TOKEN_NAME } from '@cairn/protocol/names';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NamedKind, proposedName } from './name-proposal.ts';

describe('the name that is proposed where another was refused', () => {
  it.each<[NamedKind, string, string | undefined]>([
    ['record', 'Old Oak', 'old-oak'],
    ['record', ' Café, Größe ', 'café-größe'],
    ['record', 'Trees/Old Oak/', 'trees/old-oak'],
    ['record', 'v1.2 (draft)', 'v1.2-draft'],
    ['record', '東京 タワー', '東京-タワー'],
    ['record', 'OldOak', undefined],
    ['record', '???', undefined],
    ['record', '', undefined],
    ['shape', 'old oak', 'OldOak'],
    ['shape', 'Größe', undefined],
    ['shape', 'la forêt', 'LaForet'],
    ['shape', '2 trees', undefined],
    ['organization', 'Old Oak', 'old-oak'],
    ['organization', '-acme-', 'acme'],
    ['organization', 'Admin', undefined],
    ['repository', 'Old Oak', 'old-oak'],
    ['repository', 'Old.Oak', undefined],
    ['repository', '東京 2', undefined],
    ['token', 'the.build', 'the-build'],
    ['subscription', 'On Books!', 'on-books'],
    ['subscription', 'the.build', undefined],
    ['credentialSet', 'Our Hooks', 'our-hooks'],
  ])('of a %s called %j is %j', (kind, text, proposed) => {
    expect(proposedName(kind, text)).toBe(proposed);
  });

  it('is always one that is taken', () => {
    const rules = {
      organization: ORGANIZATION_NAME,
      repository: REPOSITORY_NAME,
      shape: SHAPE_NAME,
      token: TOKEN_NAME,
    };
    for (const [kind, rule] of Object.entries(rules)) {
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme' }), (text) => {
          const name = proposedName(kind as NamedKind, text);
          return name === undefined || rule.test(name);
        }),
      );
    }
  });
});
