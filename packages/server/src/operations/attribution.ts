// Who wrote something, as far as the caller is to know.
import type { Context } from './context.ts';

/** The name of a token is for members; until there are members, for operators. Others learn whose it was. */
export function shownAuthor<Item extends { createdBy: string }>({ principal }: Context, item: Item): Item {
  if (principal.kind === 'token' && principal.operator) return item;
  return { ...item, createdBy: item.createdBy.replace(/^token:([^/]+)\/.*$/, 'token:$1') };
}
