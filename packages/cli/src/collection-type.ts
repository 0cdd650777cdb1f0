import { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';

/** Shapes of collections are called as their types: `Arc`, `Set` and so on. They are made with the first one. */
export const collectionTypeOf = (shape: string) =>
  COLLECTION_TYPES.find((type) => shape === `${type.charAt(0).toUpperCase()}${type.slice(1)}`);
