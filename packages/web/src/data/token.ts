import { client } from '../app/session.ts';
import { paged } from './paged.ts';

/** Those of the account; those that have ended too. */
export const tokens = paged(['tokens'], (asked) => client.token.list(asked));
