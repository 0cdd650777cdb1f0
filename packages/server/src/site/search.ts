// Search in the documentation: every section of every page, ranked by where the words occur.
import { lexer } from 'marked';
import { createSlugger, pageAddress, plainTextOf } from './render.ts';

export interface Section {
  readonly address: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
  readonly weight: number;
}

export interface SnippetPart {
  readonly text: string;
  readonly isMatch: boolean;
}

export interface Found extends Pick<Section, 'address' | 'title' | 'heading'> {
  readonly snippet: readonly SnippetPart[];
}

const TERMS_MAX = 8;
const RESULTS_MAX = 20;
const COUNTED_MAX = 5;
const IN_HEADING = 10;
const IN_TITLE = 5;
/** Guides come before the generated reference, and that before the decisions. */
const WEIGHTS: readonly [prefix: string, weight: number][] = [
  ['decisions/', 1],
  ['reference/', 2],
  ['', 3],
];

export function splitPage(name: string, markdown: string): Section[] {
  const slug = createSlugger();
  const [, weight = 1] = WEIGHTS.find(([prefix]) => name.startsWith(prefix)) ?? [];
  const sections: { address: string; heading: string; text: string }[] = [];
  for (const token of lexer(markdown)) {
    if (token.type === 'heading') {
      const heading = plainTextOf(token.tokens ?? []);
      const anchor = slug(heading);
      sections.push({ address: `${pageAddress(name)}${sections.length === 0 ? '' : `#${anchor}`}`, heading, text: '' });
      continue;
    }
    const last = sections.at(-1);
    if (last !== undefined) last.text += `${plainText(token.raw)} `;
  }
  const title = sections[0]?.heading ?? name;
  return sections.map((section) => ({ ...section, title, weight }));
}

function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^)]*\)|```\w*|[`*[\]|]|^#+ |-{3,}/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Finds the sections with all words of the search, or else those with most of them. */
export function searchSections(sections: readonly Section[], search: string): Found[] {
  const words = search.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const terms = [...new Set(words)]
    .slice(0, TERMS_MAX)
    .map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${stem(word)}`, 'giu'));
  const scored = sections
    .map((section) => ({ section, ...rate(section, terms) }))
    .filter(({ matched }) => matched > 0)
    .sort((a, b) => b.matched - a.matched || b.score - a.score);
  const most = scored[0]?.matched;
  return scored
    .filter(({ matched }) => matched === most)
    .slice(0, RESULTS_MAX)
    .map(({ section: { address, title, heading, text } }) => ({
      address,
      title,
      heading,
      snippet: cutSnippet(text, terms),
    }));
}

/** Lets "retries" find "retry", because terms match the beginnings of words. */
const stem = (word: string): string => word.replace(/(?<=.{3})(?:ies|ing|es|ed|s|y)$/u, '');

function rate({ title, heading, text, weight }: Section, terms: readonly RegExp[]): { matched: number; score: number } {
  let matched = 0;
  let score = 0;
  for (const term of terms) {
    const found =
      (heading.match(term) ? IN_HEADING : 0) +
      (title.match(term) ? IN_TITLE : 0) +
      Math.min(text.match(term)?.length ?? 0, COUNTED_MAX);
    if (found > 0) matched++;
    score += found * weight;
  }
  return { matched, score };
}

const SNIPPET_BEFORE = 60;
const SNIPPET_LENGTH = 220;

function cutSnippet(text: string, terms: readonly RegExp[]): SnippetPart[] {
  const places = terms.map((term) => text.search(term)).filter((place) => place !== -1);
  const from = Math.max(0, Math.min(...places, text.length) - SNIPPET_BEFORE);
  const start = from === 0 || places.length === 0 ? 0 : text.indexOf(' ', from) + 1;
  const cut = text.slice(start, start + SNIPPET_LENGTH);
  const shown = `${start > 0 ? '… ' : ''}${cut}${start + SNIPPET_LENGTH < text.length ? ' …' : ''}`;
  if (terms.length === 0) return [{ text: shown, isMatch: false }];
  const pattern = new RegExp(`(${terms.map(({ source }) => `${source}[\\p{L}\\p{N}]*`).join('|')})`, 'giu');
  return shown.split(pattern).map((part, index) => ({ text: part, isMatch: index % 2 === 1 }));
}
