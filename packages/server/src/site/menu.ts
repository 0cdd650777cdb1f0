// The menu of the site, read from the start page: each heading of the second level is a group, and each link in the list
// below it a page. So the repository and the site have one order.
import { lexer, type Token, type Tokens } from 'marked';
import { type LinkPlace, siteLink } from './page-link.ts';
import { plainTextOf } from './render.ts';

export interface MenuEntry {
  readonly title: string;
  readonly address: string;
}

export interface MenuGroup {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

export function menuOf(startPage: string, place: LinkPlace): MenuGroup[] {
  const groups: { title: string; entries: MenuEntry[] }[] = [];
  for (const token of lexer(startPage)) {
    if (isHeading(token) && token.depth === 2) groups.push({ title: plainTextOf(token.tokens), entries: [] });
    if (isList(token)) groups.at(-1)?.entries.push(...token.items.flatMap((item) => entriesOf(item, place)));
  }
  return groups.filter(({ entries }) => entries.length > 0);
}

/** What a line of the list begins with; further links in it are of its text. */
function entriesOf(item: Tokens.ListItem, place: LinkPlace): MenuEntry[] {
  const [first] = item.tokens.flatMap((token) => (token as Tokens.Generic).tokens ?? []);
  if (first?.type !== 'link') return [];
  const { href, tokens } = first as Tokens.Link;
  const address = siteLink(href, place);
  return address === undefined ? [] : [{ title: plainTextOf(tokens), address }];
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';
const isList = (token: Token): token is Tokens.List => token.type === 'list';
