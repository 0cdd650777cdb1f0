// The documentation site: Markdown files of a folder, rendered on first request, and their images.
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { lexer, type Token, type Tokens } from 'marked';
import {
  isImage,
  type LinkPlace,
  pageAddress,
  plainTextOf,
  type Rendered,
  renderPage,
  START_PAGE,
  siteLink,
} from './render.ts';
import { type Found, type Section, searchSections, splitPage } from './search.ts';

export interface DocsPage extends Rendered {
  readonly address: string;
  readonly source: string;
  readonly next: MenuEntry | undefined;
}

export type Image = string | Uint8Array<ArrayBuffer>;

export interface DocsSite {
  readonly menu: readonly { title: string; entries: readonly MenuEntry[] }[];
  readonly page: (name: string) => DocsPage | undefined;
  readonly image: (path: string) => Image | undefined;
  readonly similar: (name: string) => MenuEntry[];
  readonly search: (text: string) => Found[];
}

export function openDocsSite(folder: string): DocsSite {
  // Requests look paths up here, never on disk.
  const sources = new Map(
    globSync('**/*.{md,svg}', { cwd: folder }).map((path) => [
      path.replaceAll(sep, '/').replace(/\.md$/, ''),
      readFileSync(join(folder, path), 'utf8'),
    ]),
  );
  const screenshots = new Map(globSync('**/*.png', { cwd: folder }).map((path) => [path.replaceAll(sep, '/'), path]));
  const has = (name: string) => sources.has(name) || screenshots.has(name);
  const menu = menuOf(sources.get(START_PAGE) ?? '', { name: START_PAGE, has });
  const order = [{ title: '', address: pageAddress(START_PAGE) }, ...menu.flatMap(({ entries }) => entries)];
  const pages = new Map<string, DocsPage>();
  let sections: Section[] | undefined;
  return {
    menu,
    page: (name) => {
      const source = sources.get(name);
      if (source === undefined || isImage(name)) return undefined;
      const address = pageAddress(name);
      const place = order.findIndex((entry) => entry.address === address);
      const page = pages.get(name) ?? {
        ...renderPage(source, { name, has }),
        address,
        source,
        next: place === -1 ? undefined : order[place + 1],
      };
      pages.set(name, page);
      return page;
    },
    image: (path) => {
      const screenshot = screenshots.get(path);
      if (screenshot !== undefined) return new Uint8Array(readFileSync(join(folder, screenshot)));
      return isImage(path) ? sources.get(path) : undefined;
    },
    search: (text) => {
      sections ??= [...sources].filter(([name]) => !isImage(name)).flatMap(([name, source]) => splitPage(name, source));
      return searchSections(sections, text);
    },
    similar: (name) => order.slice(1).filter(({ address }) => isSimilar(address, name)),
  };
}

function isSimilar(address: string, name: string): boolean {
  const wanted = name
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2);
  const words = address.split(/[^a-z]+/).filter((word) => word.length > 2 && word !== 'docs');
  return words.some((word) => wanted.some((one) => word.startsWith(one.slice(0, 4))));
}

/** The menu comes from the start page, so that repository and site have the same order. */
export interface MenuEntry {
  readonly title: string;
  readonly address: string;
}

export function menuOf(startPage: string, place: LinkPlace): { title: string; entries: readonly MenuEntry[] }[] {
  const groups: { title: string; entries: MenuEntry[] }[] = [];
  for (const token of lexer(startPage)) {
    if (isHeading(token) && token.depth === 2) groups.push({ title: plainTextOf(token.tokens), entries: [] });
    if (isList(token)) groups.at(-1)?.entries.push(...token.items.flatMap((item) => entriesOf(item, place)));
  }
  return groups.filter(({ entries }) => entries.length > 0);
}

function entriesOf(item: Tokens.ListItem, place: LinkPlace): MenuEntry[] {
  const [first] = item.tokens.flatMap((token) => (token as Tokens.Generic).tokens ?? []);
  if (first?.type !== 'link') return [];
  const { href, tokens } = first as Tokens.Link;
  const address = siteLink(href, place);
  return address === undefined ? [] : [{ title: plainTextOf(tokens), address }];
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';
const isList = (token: Token): token is Tokens.List => token.type === 'list';
