// Renders a Markdown page as HTML. Raw HTML is escaped.

import { posix } from 'node:path';
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { Marked, type Token, type Tokens } from 'marked';

const LANGUAGES = { bash, http, json, python, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

export interface Rendered {
  readonly title: string;
  readonly headings: readonly { depth: number; text: string; anchor: string }[];
  readonly html: string;
}

export function renderPage(markdown: string, place: LinkPlace): Rendered {
  const slug = createSlugger();
  const headings: { depth: number; text: string; anchor: string }[] = [];
  const marked = new Marked({
    // Bare URLs in the text are examples, not links.
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
        const language = lang?.split(' ')[0] ?? '';
        const named = language === '' ? '' : ` class="language-${escaped(language)}"`;
        const shown = hljs.getLanguage(language) ? hljs.highlight(text, { language }).value : escaped(text);
        return `<pre><code${named}>${shown}\n</code></pre>\n`;
      },
      html: ({ text }) => (/^<!--.*-->\s*$/s.test(text) ? '' : escaped(text)),
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { title: headings[0]?.text ?? place.name, headings, html };
}

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

/** Anchors as GitHub makes them, so that links work in the repository and on the site. */
export function createSlugger(): (text: string) => string {
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

export const START_PAGE = 'README';

export function pageAddress(name: string): string {
  return name === START_PAGE ? '/docs' : `/docs/${name}`;
}

export interface LinkPlace {
  readonly name: string;
  readonly has: (name: string) => boolean;
}

function siteImage(href: string, { name, has }: LinkPlace): string | undefined {
  const target = posix.join(posix.dirname(name), href);
  return isImage(target) && has(target) ? `/docs/${target}` : undefined;
}

export const isImage = (path: string): boolean => /\.(?:svg|png)$/.test(path);

/** `undefined` for files that the site lacks, such as sources. */
export function siteLink(href: string, { name, has }: LinkPlace): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [, path = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  const target = posix.join(posix.dirname(name), path).replace(/\.md$/, '');
  return path.endsWith('.md') && has(target) ? `${pageAddress(target)}${anchor}` : undefined;
}
