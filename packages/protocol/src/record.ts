import { z } from 'zod';
import { COLLECTION_TYPES, RECORD_KINDS } from './vocabulary.ts';

export const recordItem = z.object({
  durableId: z.string().describe('The identity of the record, which rename, revise and retract keep.'),
  wref: z.string().describe('The name; from another repository, wh:org/repo/ and the name.'),
  pinnedWref: z.string().describe('The wref, pinned to this version.'),
  name: z.string(),
  kind: z.enum(RECORD_KINDS),
  shapeName: z.string().optional(),
  collection: z.enum(COLLECTION_TYPES).optional().describe('The type of a collection.'),
  version: z.int(),
  active: z.boolean(),
  repoSeq: z.int().describe('The sequence of the commit that wrote this version.'),
  data: z.unknown(),
  refs: z
    .array(z.tuple([z.string(), z.string()]))
    .optional()
    .describe('The references in the data, by identity: pairs of a JSON pointer and a pinned durable ID.'),
  dataHash: z.string().optional(),
  purged: z.literal(true).optional().describe('The data was purged and is empty.'),
  aboutWref: z.string().nullable().optional().describe('The subject of an assertion, pinned; null if it is hidden.'),
  aboutDurableId: z.string().optional().describe('The durable ID of the same record.'),
  reason: z.string().optional().describe('The reason of the retraction.'),
  committerWref: z.string().nullable().optional().describe('Null if it is hidden.'),
  createdBy: z.string(),
  imported: z.literal(true).optional().describe('True if author and times come from an import.'),
  recordCreatedAt: z.int(),
  versionCreatedAt: z.int(),
});

/** A record at one version. */
export type RecordItem = z.infer<typeof recordItem>;

export const shapeItem = recordItem.extend({
  indexes: z
    .array(z.object({ path: z.string(), state: z.enum(['building', 'ready']) }))
    .describe('The indexed fields. Filters on a field work without the index while it is being built.'),
});

/** A shape at one version, with the state of its indexes. */
export type ShapeItem = z.infer<typeof shapeItem>;

export const shapeInput = {
  name: z.string(),
  // The server checks the whole value; a schema here would lose a field named __proto__.
  fields: z.unknown().describe('The whole field set, such as { "x": "number", "label?": "string" }.'),
  description: z.string().optional(),
};
