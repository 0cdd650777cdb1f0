import { paged } from '../../app/paged.ts';
import { client } from '../../app/session.ts';

/** Those of the account; those that have ended too. */
export const tokens = paged(['tokens'], (asked) => client.token.list(asked));
