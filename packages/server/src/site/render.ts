// A page of Markdown as HTML: headings with anchors, links that lead to the site's pages, and no HTML of the page's own.

import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';

interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

export interface Rendered {
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly html: string;
}

export function renderPage(markdown: string, place: LinkPlace): Rendered {
  const slug = createSlugger();
  const headings: Heading[] = [];
  const marked = new Marked({
    // Addresses in the text are examples: what is a link says so.
    tokenizer: { url: () => undefined, autolink: () => undefined },
    renderer: {
      heading({ tokens, depth }) {
        const text = plainTextOf(tokens);
        const anchor = slug(text);
        headings.push({ depth, text, anchor });
        const mark = depth === 1 ? '' : ` <a class="anchor" href="#${escaped(anchor)}" aria-label="This section">#</a>`;
        return `<h${depth} id="${escaped(anchor)}">${this.parser.parseInline(tokens)}${mark}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = siteLink(href, place);
        return target === undefined ? text : `<a href="${escaped(target)}">${text}</a>`;
      },
      image({ href, text }) {
        const target = siteImage(href, place);
        return target === undefined ? escaped(text) : `<img src="${escaped(target)}" alt="${escaped(text)}">`;
      },
      code({ text, lang }) {
        // Behind the language stands what is for the tests, such as `run`.
        const language = lang?.split(' ')[0] ?? '';
        const named = language === '' ? '' : ` class="language-${escaped(language)}"`;
        return `<pre><code${named}>${escaped(text)}\n</code></pre>\n`;
      },
      html: ({ text }) => (/^<!--.*-->\s*$/s.test(text) ? '' : escaped(text)),
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { title: headings[0]?.text ?? place.name, headings, html };
}

/** What is left of it without its marks. */
export function plainTextOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      const inner = (token as Tokens.Generic).tokens;
      return inner === undefined ? (token as Tokens.Text).text : plainTextOf(inner);
    })
    .join('');
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);

// The anchors of headings, made as GitHub makes them: a link works the same in the repository and on the site.

/** Gives each heading of one page its anchor; a second one of the same text gets a number. */
function createSlugger(): (text: string) => string {
  const used = new Map<string, number>();
  return (text) => {
    const slug = slugOf(text);
    const before = used.get(slug) ?? 0;
    used.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  };
}

function slugOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, '')
    .replaceAll(' ', '-');
}

// Where a link of a page leads on the site. Pages link to each other as files, so that they can be read in the repository.

/** The page that the site begins with, which is a folder's page in the repository. */
export const START_PAGE = 'README';

export function pageAddress(name: string): string {
  return name === START_PAGE ? '/docs' : `/docs/${name}`;
}

/** What a link is held against: the page that it stands on, and which pages and images there are. */
export interface LinkPlace {
  readonly name: string;
  readonly has: (name: string) => boolean;
}

/** Where an image of a page is on the site: `undefined` for what the site does not have. */
function siteImage(href: string, { name, has }: LinkPlace): string | undefined {
  const target = posix.join(posix.dirname(name), href);
  return isImage(target) && has(target) ? `/docs/${target}` : undefined;
}

export const isImage = (path: string): boolean => /\.(?:svg|png)$/.test(path);

/** `undefined` for what the site does not have, such as a source file: the text stays, without a link. */
export function siteLink(href: string, { name, has }: LinkPlace): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  const target = posix.join(posix.dirname(name), path).replace(/\.md$/, '');
  return path.endsWith('.md') && has(target) ? `${pageAddress(target)}${anchor}` : undefined;
}
