// How a record refers to another: as what it is about, in a field, or as the place of a member in a collection.
import { COLLECTIONS } from './collection.ts';

export const ABOUT = 'about';

/** In the order in which lists have them. */
export const REFERENCE_ROLES: readonly string[] = [
  ABOUT,
  'field',
  ...Object.values(COLLECTIONS).flatMap(({ places }) => places),
].sort();
