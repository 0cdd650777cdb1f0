// What kinds of records there are. Plain values without zod: the threads of the store need them, and start much faster
// without it.
export const RECORD_KINDS = ['thing', 'assertion', 'shape', 'collection'] as const;
export const COLLECTION_TYPES = ['arc', 'bond', 'set', 'list', 'pair'] as const;
