// Who wrote something: as it is kept, and as far as the caller is to know.

import type { Grant } from './grant.rule.ts';
import type { Principal } from './principal.ts';

/** As it stands in commits, in the audit log and in the log of requests. */
export function authorOf(principal: Principal): string {
  switch (principal.kind) {
    case 'anonymous':
      return 'anonymous';
    case 'session':
      return `user:${principal.handle}`;
    case 'token':
      return `token:${principal.handle}/${principal.tokenName}`;
    case 'component':
      return `component:${principal.component}`;
  }
}

/** Whose submission ids these are, whatever they are called: a person's sessions and tokens share them. */
export function ownerOf(principal: Principal): string {
  if (principal.kind === 'component') return `component:${principal.installId ?? principal.component}`;
  return principal.kind === 'anonymous' ? 'anonymous' : `user:${principal.accountId}`;
}

/**
 * The name of a token is for members of the organization, and so is that of a component, which may be private; a component
 * knows itself. Others learn whose it was.
 */
export function shownAuthor<Item extends { createdBy: string }>({ roles, holder }: Grant, item: Item): Item {
  if (roles.organization !== null || item.createdBy === `component:${holder}`) return item;
  return { ...item, createdBy: item.createdBy.replace(/^(token|component):([^/]+)\/.*$/, '$1:$2') };
}
