import { describe, expect, it } from 'vitest';
import { nestedLevels, type ReadmeNode, tame } from './readme-tree.ts';

const text = (value: string): ReadmeNode => ({ type: 'text', value });
const element = (tagName: string, properties: Record<string, unknown>, ...children: ReadmeNode[]): ReadmeNode => ({
  type: 'element',
  tagName,
  properties,
  children,
});
const tamed = (...children: ReadmeNode[]): ReadmeNode[] => {
  const tree = { type: 'root', children };
  tame(tree);
  return tree.children;
};

describe('a readme', () => {
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
