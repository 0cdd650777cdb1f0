import { describe, expect, it } from 'vitest';
import { nestedLevels, placeWithin, type ReadmeNode, tame } from './readme-tree.ts';

const WITHIN = { orgName: 'acme', repoName: 'world' };

const text = (value: string): ReadmeNode => ({ type: 'text', value });
const element = (tagName: string, properties: Record<string, unknown>, ...children: ReadmeNode[]): ReadmeNode => ({
  type: 'element',
  tagName,
  properties,
  children,
});
const tamed = (...children: ReadmeNode[]): ReadmeNode[] => {
  const tree = { type: 'root', children };
  tame(tree, WITHIN);
  return tree.children;
};

describe('a readme', () => {
  it.each([
    ['records', '/acme/world/records'],
    ['records?shape=Place', '/acme/world/records?shape=Place'],
    ['record/Place/a%20b', '/acme/world/record/Place/a%20b'],
    ['shapes/Place', '/acme/world/shapes/Place'],
    ['commits/7#x', '/acme/world/commits/7'],
    ['graph?from=Place/a', '/acme/world/graph?from=Place/a'],
  ])('leads to %s within its repository', (href, place) => {
    const [link] = tamed(element('a', { href, rel: 'x' }, text('there')));
    expect(link).toEqual(element('a', { href: place }, text('there')));
  });

  it('keeps the sequence that is looked at, unless a link says another', () => {
    const then = { ...WITHIN, at: 4 };
    expect(placeWithin('records', then)).toBe('/acme/world/records?at=4');
    expect(placeWithin('records?at=6', then)).toBe('/acme/world/records?at=6');
  });

  it.each(['https://example.com/', 'http://example.com/', 'mailto:ada@example.com'])('links to %s', (href) => {
    const [link] = tamed(element('a', { href, id: 'x' }, text('there')));
    expect(link).toMatchObject({ tagName: 'a', properties: { href }, children: [text('there')] });
    expect(link?.properties).not.toHaveProperty('id');
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    '/auth/account',
    'other.md',
    'records.md',
    '../other/records',
    'records/../../other/records',
    'record/%2e%2e/%2e%2e/%2e%2e/auth/account',
    'records\\..\\..\\..\\auth',
    'settings',
    './records',
    '?at=1',
    '#part',
    '',
    undefined,
  ])('does not link to %s', (href) => {
    expect(tamed(element('a', { href }, text('there')))).toEqual([element('span', {}, text('there'))]);
  });

  it('shows pictures as links, and as text where a link is around them', () => {
    const picture = (properties: object) => element('img', { ...properties });
    const src = 'https://example.com/a.png';
    expect(tamed(picture({ src, alt: 'A cave' }))).toMatchObject([{ tagName: 'a', children: [text('A cave')] }]);
    expect(tamed(picture({ src, alt: '' }))).toMatchObject([{ tagName: 'a', children: [text(src)] }]);
    expect(tamed(picture({ src: 'a.png' }))).toMatchObject([{ tagName: 'span', children: [text('a.png')] }]);
    const around = tamed(element('a', { href: 'https://example.com/' }, picture({ src, alt: 'Badge' })));
    expect(around).toMatchObject([{ tagName: 'a', children: [text('Badge')] }]);
  });

  it('has HTML as text, without comments and the like', () => {
    const raw = { type: 'raw', value: '<script>alert(1)</script>' };
    expect(tamed(raw, { type: 'comment', value: 'x' })).toEqual([text('<script>alert(1)</script>')]);
  });

  it('shows what turns the direction of reading', () => {
    const unseen = element('span', { className: ['unseen'] }, text('U+202E'));
    expect(tamed(text('a\u202Eb'))).toEqual([text('a'), unseen, text('b')]);
  });

  it('has no heading that is empty, and none above those of the page', () => {
    const headings = tamed(element('h1', {}, text('Title')), element('h2', {}), element('h4', {}, text('Deep')));
    expect(headings.map(({ tagName }) => tagName)).toEqual(['h3', 'h4']);
  });

  it('lets no level of heading out', () => {
    expect(nestedLevels([1, 2, 3, 2])).toEqual([3, 4, 5, 4]);
    expect(nestedLevels([2, 6, 1, 1])).toEqual([3, 4, 3, 3]);
    expect(nestedLevels([1, 2, 3, 4, 5, 6])).toEqual([3, 4, 5, 6, 6, 6]);
    expect(nestedLevels([])).toEqual([]);
  });
});
