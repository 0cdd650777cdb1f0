// What reads can be told by a word. Plain values without zod: the command needs them, and starts much faster without it.

/** In which order a list is; a minus sign begins with the newest. */
export const ORDERS = ['created', '-created', 'updated', '-updated', 'name'] as const;

/** In which order records are listed. */
export type Order = (typeof ORDERS)[number];

/** As what a collection holds a record. */
export const MEMBER_ROLES = ['from', 'to', 'ends', 'members', 'items'] as const;

/** Which texts a repository has. */
export const CONTENT_NAMES = ['readme', 'agents'] as const;

/** Which text of a repository. */
export type ContentName = (typeof CONTENT_NAMES)[number];
