import { piecesOf } from '../../ui/unseen.ts';
// Sanitizes a rendered readme. Links go to http(s), mail, or pages of this repository; images become links; headings
// nest under the page's; invisible characters show their code.

export interface ReadmeNode {
  type: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: ReadmeNode[];
  value?: string;
}

const FIRST_LEVEL = 3;
const LAST_LEVEL = 6;

interface Within {
  readonly orgName: string;
  readonly repoName: string;
  readonly at?: number | undefined;
}

export function tame(tree: ReadmeNode, within: Within): void {
  tree.children = tamed(tree.children, { isInLink: false, within });
  setLevels(headingsIn(tree));
}

interface Surroundings {
  readonly isInLink: boolean;
  readonly within: Within;
}

const tamed = (children: readonly ReadmeNode[] = [], surroundings: Surroundings): ReadmeNode[] =>
  children.flatMap((child) => tamedNode(child, surroundings));

function tamedNode(node: ReadmeNode, { isInLink, within }: Surroundings): ReadmeNode[] {
  if (node.type === 'text' || node.type === 'raw') return textNodes(node.value ?? '');
  if (node.type !== 'element') return [];
  const { tagName = '', properties = {} } = node;
  if (tagName === 'img') return picture(properties, isInLink);
  if (tagName === 'input') return [checkbox(properties)];
  const children = tamed(node.children, { isInLink: isInLink || tagName === 'a', within });
  if (tagName === 'a') return [linkTo(properties.href, children, within)];
  const { id: _, ariaDescribedBy: __, ...kept } = properties;
  const element = { type: 'element', tagName, properties: kept, children };
  if (isHeading(element) && textIn(element).trim() === '') return [];
  return [scrollable(element)];
}

const textNodes = (value: string): ReadmeNode[] =>
  piecesOf(value).map(({ text, isUnseen }) => {
    const node = { type: 'text', value: text };
    return isUnseen
      ? { type: 'element', tagName: 'span', properties: { className: ['unseen'] }, children: [node] }
      : node;
  });

const ABROAD = /^(?:https?:\/\/|mailto:)/i;
const PAGES: readonly string[] = ['records', 'record', 'shapes', 'graph', 'commits', 'export'];
const ANY_ORIGIN = 'http://any.invalid';

export function placeWithin(href: unknown, { orgName, repoName, at }: Within): string | undefined {
  if (typeof href !== 'string' || !/^[a-z]/.test(href)) return undefined;
  const base = `/${encodeURIComponent(orgName)}/${encodeURIComponent(repoName)}/`;
  const url = URL.parse(href, `${ANY_ORIGIN}${base}`);
  if (url?.origin !== ANY_ORIGIN || !url.pathname.startsWith(base)) return undefined;
  const [page = ''] = url.pathname.slice(base.length).split('/');
  if (!PAGES.includes(page)) return undefined;
  if (at !== undefined && !url.searchParams.has('at')) url.searchParams.set('at', String(at));
  return `${url.pathname}${url.search}`;
}

function linkTo(href: unknown, children: ReadmeNode[], within: Within): ReadmeNode {
  const place = placeWithin(href, within);
  return place === undefined
    ? link(href, children)
    : { type: 'element', tagName: 'a', properties: { href: place }, children };
}

function link(href: unknown, children: ReadmeNode[]): ReadmeNode {
  if (typeof href !== 'string' || !ABROAD.test(href))
    return { type: 'element', tagName: 'span', properties: {}, children };
  const rel = ['nofollow', 'noopener', 'noreferrer'];
  return { type: 'element', tagName: 'a', properties: { href, rel }, children };
}

function picture({ src, alt }: Record<string, unknown>, isInLink: boolean): ReadmeNode[] {
  const name = [alt, src].find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? 'Picture';
  return isInLink ? textNodes(name) : [link(src, textNodes(name))];
}

function checkbox({ checked }: Record<string, unknown>): ReadmeNode {
  const isDone = checked === true;
  const properties = { role: 'img', ariaLabel: isDone ? 'Done' : 'Not done' };
  return { type: 'element', tagName: 'span', properties, children: textNodes(isDone ? '☑' : '☐') };
}

function scrollable(element: ReadmeNode): ReadmeNode {
  if (element.tagName === 'pre') return { ...element, properties: { ...element.properties, tabIndex: 0 } };
  if (element.tagName !== 'table') return element;
  const properties = { className: ['scrolled'], tabIndex: 0, role: 'region', ariaLabel: 'Table' };
  return { type: 'element', tagName: 'div', properties, children: [element] };
}

const isHeading = ({ tagName = '' }: ReadmeNode): boolean => /^h[1-6]$/.test(tagName);
const textIn = ({ value = '', children = [] }: ReadmeNode): string => value + children.map(textIn).join('');

const headingsIn = (node: ReadmeNode): ReadmeNode[] =>
  isHeading(node) ? [node] : (node.children ?? []).flatMap(headingsIn);

function setLevels(headings: readonly ReadmeNode[]): void {
  const levels = nestedLevels(headings.map(({ tagName = '' }) => Number(tagName.slice(1))));
  headings.forEach((heading, index) => {
    heading.tagName = `h${levels[index] ?? LAST_LEVEL}`;
  });
}

export function nestedLevels(levels: readonly number[]): number[] {
  const above: number[] = [];
  return levels.map((level) => {
    while ((above.at(-1) ?? 0) >= level) above.pop();
    above.push(level);
    return Math.min(LAST_LEVEL, FIRST_LEVEL + above.length - 1);
  });
}

// Markdown parsing is quadratic in some characters, and tables multiply: 64 KB can block a browser for minutes. These
// limits are far above real texts.

/** Inline markup does not cross these breaks. */
const STRETCHES = /\n[ \t]*\n|\n(?= {0,3}(?:[-+*]|#{1,6})[ \t]+[^\s])/;

const EMPHASIS = /[*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

const LIMITS = [
  { signs: EMPHASIS, most: 600, mostInAll: 8_000 },
  { signs: /[[\]]/g, most: 2_000, mostInAll: 16_000 },
  { signs: /</g, most: 300, mostInAll: 3_000 },
] as const;

const BEGIN = String.raw`[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))`;
const NESTED = new RegExp(`^(?:${BEGIN}){6}`, 'm');
const NESTED_LINES = { lines: new RegExp(`^(?:${BEGIN}){2}`, 'gm'), most: 100 };
const ITEMS = { lines: new RegExp(`^${BEGIN}`, 'gm'), most: 2_000 };
const DEEP = /^(?: {4}|\t){12}[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]/m;
const LINES_MAX = 5_000;
const CELLS_MAX = 20_000;

export const isIntricate = (text: string): boolean => hasHardBlocks(text) || hasHardText(text);

function hasHardBlocks(text: string): boolean {
  if (countOf(text, /\n/g) > LINES_MAX || NESTED.test(text) || DEEP.test(text)) return true;
  if ([NESTED_LINES, ITEMS].some(({ lines, most }) => countOf(text, lines) > most)) return true;
  return text.split(/\n[ \t]*\n/).some((part) => cellsIn(part) > CELLS_MAX);
}

function hasHardText(text: string): boolean {
  const stretches = text.split(STRETCHES);
  return LIMITS.some(
    ({ signs, most, mostInAll }) =>
      countOf(text, signs) > mostInAll || stretches.some((stretch) => countOf(stretch, signs) > most),
  );
}

const countOf = (text: string, signs: RegExp): number => text.match(signs)?.length ?? 0;

function cellsIn(part: string): number {
  const lines = part.split('\n');
  const widest = lines.reduce((most, line) => Math.max(most, countOf(line, /\|/g)), 0);
  return widest * lines.length;
}
