// A page of Markdown as HTML: headings with anchors, links that lead to the site's pages, and no HTML of the page's own.
import { Marked, type Token, type Tokens } from 'marked';
import { createSlugger } from './heading-slug.ts';
import { type LinkPlace, siteImage, siteLink } from './page-link.ts';

export interface Heading {
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
