// Where a link of a page leads on the site. Pages link to each other as files, so that they can be read in the repository.
import { posix } from 'node:path';

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
export function siteImage(href: string, { name, has }: LinkPlace): string | undefined {
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
