// How a record refers to another: as what it is about, in a field, or as the place of a member in a collection.
import { COLLECTIONS } from './collection.ts';

export const ABOUT = 'about';

export const MEMBER_ROLES: readonly string[] = Object.values(COLLECTIONS).flatMap(({ places }) => places);

/** In the order in which lists have them. */
export const REFERENCE_ROLES: readonly string[] = [ABOUT, 'field', ...MEMBER_ROLES].sort();
