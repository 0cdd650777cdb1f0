// Who wrote something, as far as the caller is to know.
import type { Grant } from '../store/grant.ts';

/** The name of a token is for members of the organization. Others learn whose it was. */
export function shownAuthor<Item extends { createdBy: string }>({ roles }: Grant, item: Item): Item {
  if (roles.organization !== null) return item;
  return { ...item, createdBy: item.createdBy.replace(/^token:([^/]+)\/.*$/, 'token:$1') };
}
