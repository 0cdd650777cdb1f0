import { describe, expect, it } from 'vitest';
import { TEST_SECRET, TEST_URL } from '../../../../test/support/principal.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { deriveKeys } from '../server.ts';
import { entityTag, matchesTag } from './entity-tag.ts';

const repository = {
  orgName: 'ada',
  name: 'world',
  displayName: 'World',
  description: '',
  visibility: 'public',
  archived: false,
  repoSeq: 7,
  createdAt: 1,
  features: { streamSubmissions: false },
} as const;
const grant = {
  repoId: 1,
  repository,
  renamedSeq: 0,
  orgId: 1,
  roles: { organization: null, repository: null },
  scope: 'repo:read',
  narrowing: undefined,
  writes: undefined,
} as unknown as Grant;
const context = { keys: deriveKeys(TEST_SECRET), publicUrl: TEST_URL } as Context;
const request = { route: 'head', parameters: { shape: 'Signal', limit: 50 } };
const tag = (change: object = {}, asked = request, by = context) => entityTag(by, { ...grant, ...change }, asked);

describe('entityTag', () => {
  it('is a weak tag of 18 bytes, the same for the same', () => {
    expect(tag()).toMatch(/^W\/"[\w-]{24}"$/);
    expect(tag({ ...grant })).toBe(tag());
    const reordered = { route: 'head', parameters: { limit: 50, cursor: undefined, shape: 'Signal' } };
    expect(tag({}, reordered)).toBe(tag());
  });

  it('is another one for anything else', () => {
    const metadata: object[] = [
      { repoSeq: 8 },
      { orgName: 'eve' },
      { name: 'other' },
      { displayName: 'Other' },
      { description: 'x' },
      { visibility: 'private' },
      { archived: true },
      { features: { streamSubmissions: true } },
    ];
    const tags = [
      tag(),
      tag({ repoId: 2 }),
      ...metadata.map((change) => tag({ repository: { ...repository, ...change } })),
      tag({ narrowing: [[{ refs: ['**'] }]] }),
      tag({ narrowing: [[{ refs: ['Signal/**'] }]] }),
      tag({ narrowing: [[{ shapes: [{ shapeId: 1 }] }]] }),
      tag({ roles: { organization: 'viewer', repository: null } }),
      tag({}, { ...request, route: 'query' }),
      tag({}, { ...request, parameters: { shape: 'Signal', limit: 51 } }),
      tag({}, { ...request, parameters: { shape: 'Signal,limit', limit: 50 } }),
      tag({}, request, { ...context, publicUrl: 'https://cairn.example' }),
      tag({}, request, { ...context, keys: deriveKeys('the secret of another server') }),
    ];
    expect(new Set(tags).size).toBe(tags.length);
  });
});

describe('matchesTag', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['*', true],
    [' * ', true],
    ['W/"abc-_1"', true],
    ['"abc-_1"', true],
    ['"x", W/"abc-_1"', true],
    ['"x,y" ,"abc-_1","z"', true],
    ['abc-_1', false],
    ['"abc-_2"', false],
    ['"abc-_1', false],
    ['"x*", "*"', false],
    ['w/"abc-_1x"', false],
  ])('%s: %s', (header, expected) => {
    expect(matchesTag(header, 'W/"abc-_1"')).toBe(expected);
  });
});
