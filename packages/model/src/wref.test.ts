import { describe, expect, it } from 'vitest';
import { formatDurableId, parseWref, repositoryIn } from './wref.ts';

const durableId = formatDurableId({ repoId: 3, recordId: 14 });
const cave = { shapeName: 'Location', local: 'cave' };

describe('a wref', () => {
  it.each([
    ['Location/cave', { name: cave, pin: undefined }],
    ['Location', { name: { shapeName: 'Location', local: '' }, pin: undefined }],
    ['Location/a/b/c@v3', { name: { shapeName: 'Location', local: 'a/b/c' }, pin: 3 }],
    ['Location/cave@HEAD', { name: cave, pin: 'HEAD' }],
    ['Location/cave@ALL', { name: cave, pin: 'ALL' }],
    ['wh:acme/world/Location/cave', { orgName: 'acme', repoName: 'world', name: cave, pin: undefined }],
    ['wh:acme/w.o_r-ld/Location/cave@v12', { orgName: 'acme', repoName: 'w.o_r-ld', name: cave, pin: 12 }],
    ['wh:acme/world/Location', { orgName: 'acme', repoName: 'world', name: { shapeName: 'Location', local: '' } }],
    [durableId, { repoId: 3, recordId: 14, pin: undefined }],
    [`${durableId}@v2`, { repoId: 3, recordId: 14, pin: 2 }],
  ])('%s is understood', (text, meaning) => {
    expect(parseWref(text)).toMatchObject(meaning);
  });

  it.each([
    '',
    '@v1',
    'Location/cave@',
    'Location/cave@v0',
    'Location/cave@v01',
    'Location/cave@head',
    'Location/cave@v1@v2',
    'Location/',
    'Location//cave',
    'Location/a b',
    'Location/#1',
    'Location/$1',
    '/cave',
    '9Location/cave',
    'wh:',
    'wh:acme',
    'wh:acme/world',
    'wh:acme/world/',
    'wh:ACME/world/Location/cave',
    'wh:acme/.world/Location/cave',
    'WH:acme/world/Location/cave',
    `wh:acme/world/${durableId}`,
    durableId.toLowerCase(),
    durableId.slice(1),
    `${durableId}x`,
  ])('%j is refused', (text) => {
    expect(() => parseWref(text)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  it('leads to a repository by its whole address or by durable ID alone', () => {
    const acme = { orgName: 'acme', repoName: 'world' };
    expect(repositoryIn('wh:acme/world/Location/cave')).toEqual(acme);
    expect(repositoryIn('wh:acme/world/Location@v1')).toEqual(acme);
    expect(repositoryIn(`${durableId}@v1`)).toEqual({ repoId: 3, recordId: 14 });
    const others = ['Location/cave', 'Location', '', 'x'.repeat(26), 'wh:', 'wh:acme', 'wh:acme/world', 'wh:A/b/C'];
    expect(others.map(repositoryIn)).toEqual(others.map(() => undefined));
  });
});
