// Rendering of a Markdown page: GitHub's anchors, links that resolve, and no executable content.
import { describe, expect, it } from 'vitest';
import { renderPage, siteLink } from './render.ts';

const PAGES = ['README', 'shapes', 'reference/cli', 'decisions/0001-a', 'plots/a.svg', 'plots/b.png'];
const has = (name: string) => PAGES.includes(name);
const render = (markdown: string, name = 'shapes') => renderPage(markdown, { name, has });

describe('headings', () => {
  it.each([
    ['What is about a record', 'what-is-about-a-record'],
    ['`thing.get`, and `llms.txt`', 'thingget-and-llmstxt'],
    ['Loops: how *they* end!', 'loops-how-they-end'],
    ['cairn repo set-role', 'cairn-repo-set-role'],
    ['snake_case & Ähnliches', 'snake_case--ähnliches'],
  ])('%s has the anchor %s', (text, anchor) => {
    expect(render(`## ${text}`).headings).toMatchObject([{ depth: 2, anchor }]);
  });

  it('of the same text have different anchors', () => {
    const { headings, html } = render('# A\n\n## Over HTTP\n\n## Over HTTP\n');
    expect(headings.map(({ anchor }) => anchor)).toEqual(['a', 'over-http', 'over-http-1']);
    expect(html).toContain('<h2 id="over-http-1">');
  });

  it('give a page its title', () => {
    expect(render('<!-- made -->\n\n# The `cairn` command\n').title).toBe('The cairn command');
  });
});

describe('links', () => {
  it.each([
    ['relations.md', undefined],
    ['shapes.md', '/docs/shapes'],
    ['README.md', '/docs'],
    ['reference/cli.md#cairn-repo', '/docs/reference/cli#cairn-repo'],
    ['../README.md', undefined],
    ['../packages/server/src/app.ts', undefined],
    ['../../../etc/passwd', undefined],
    ['decisions', undefined],
    ['javascript:alert(1)', undefined],
    ['//elsewhere.example/a.md', undefined],
    ['#here', '#here'],
    ['https://example.com/a', 'https://example.com/a'],
  ])('%s leads to %s', (href, target) => {
    expect(siteLink(href, { name: 'access', has })).toBe(target);
  });

  it('are relative to their page', () => {
    const place = { name: 'reference/cli', has };
    expect([siteLink('../shapes.md', place), siteLink('cli.md', place)]).toEqual([
      '/docs/shapes',
      '/docs/reference/cli',
    ]);
  });

  it('are those that say so: an address in the text is an example', () => {
    const { html } = render('At https://cairn.example.com, from Cairn <cairn@example.com>.');
    expect(html).toBe('<p>At https://cairn.example.com, from Cairn &lt;cairn@example.com&gt;.</p>\n');
  });

  it('that lead nowhere here leave their text', () => {
    expect(render('See [the *file*](../compose.yaml).').html).toBe('<p>See the <em>file</em>.</p>\n');
  });
});

describe('images', () => {
  it('are those of the site, with what they show in words', () => {
    const { html } = render('![A "flat" line](plots/a.svg)');
    expect(html).toBe('<p><img src="/docs/plots/a.svg" alt="A &quot;flat&quot; line"></p>\n');
    expect(render('![A line](../plots/a.svg)', 'reference/cli').html).toContain('src="/docs/plots/a.svg"');
    expect(render('![A page](plots/b.png)').html).toContain('src="/docs/plots/b.png"');
  });

  it.each([
    'plots/b.svg',
    'https://elsewhere.example/a.svg',
    '//elsewhere.example/plots/a.svg',
    '../plots/a.svg',
    'shapes.md',
    'data:image/svg+xml,x',
  ])('from elsewhere, such as %s, leave their words', (href) => {
    expect(render(`![A line](${href})`).html).toBe('<p>A line</p>\n');
  });
});

it('code is shown as it is, without what is for the tests', () => {
  const { html } = render('```text run\necho "<b>" | cat\n```\n');
  expect(html).toBe('<pre><code class="language-text">echo &quot;&lt;b&gt;&quot; | cat\n</code></pre>\n');
});

it.each([
  ['sh', 'npx cairn x # <b>', '<span class="hljs-comment"># &lt;b&gt;</span>'],
  ['ts', 'const a = "<b>";', '<span class="hljs-string">&quot;&lt;b&gt;&quot;</span>'],
  ['json', '{"a":1}', '<span class="hljs-attr">&quot;a&quot;</span>'],
])('code in %s is highlighted, and stays text', (language, code, part) => {
  const { html } = render(`\`\`\`${language}\n${code}\n\`\`\`\n`);
  expect(html).toContain(part);
  expect(html).not.toContain('<b>');
});

it('tables are tables, and HTML of the page is text', () => {
  const { html } = render('| a | b |\n| --- | --- |\n| `x` | <script>alert(1)</script> |\n\n<img src=x onerror=y>\n');
  expect(html).toContain('<td><code>x</code></td>');
  expect(html).not.toMatch(/<script|<img/);
  expect(html).toContain('&lt;script&gt;');
});
