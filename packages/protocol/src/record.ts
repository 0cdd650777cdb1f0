import { z } from 'zod';
import { COLLECTION_TYPES, RECORD_KINDS } from './vocabulary.ts';

export const recordItem = z.object({
  durableId: z.string().describe("The record's identity, unchanged by rename, revise or retract."),
  wref: z.string().describe('Its name; as seen from another repository, wh:org/repo/ and its name.'),
  pinnedWref: z.string().describe('The wref with this version.'),
  name: z.string(),
  kind: z.enum(RECORD_KINDS),
  shapeName: z.string().optional(),
  collection: z.enum(COLLECTION_TYPES).optional().describe('Which type of collection it is.'),
  version: z.int(),
  active: z.boolean(),
  repoSeq: z.int().describe('The commit that made this version.'),
  data: z.unknown(),
  refs: z
    .array(z.tuple([z.string(), z.string()]))
    .optional()
    .describe('What the data refers to, by identity: pairs of a JSON pointer and a pinned durable ID.'),
  dataHash: z.string().optional(),
  purged: z.literal(true).optional().describe('Its data was removed for good, and is empty.'),
  aboutWref: z.string().nullable().optional().describe('What an assertion is about, pinned; null when it is hidden.'),
  aboutDurableId: z.string().optional().describe('The same by identity.'),
  reason: z.string().optional().describe('Why it was retracted.'),
  committerWref: z.string().nullable().optional().describe('Null when it is hidden.'),
  createdBy: z.string(),
  imported: z.literal(true).optional().describe('Whether who wrote it, and when, is as the import said it.'),
  recordCreatedAt: z.int(),
  versionCreatedAt: z.int(),
});

/** A record at one version. */
export type RecordItem = z.infer<typeof recordItem>;

export const shapeItem = recordItem.extend({
  indexes: z
    .array(z.object({ path: z.string(), state: z.enum(['building', 'ready']) }))
    .describe('The indexed fields. While one is building, filters on it work without the index.'),
});

/** A shape at one version, with the state of its indexes. */
export type ShapeItem = z.infer<typeof shapeItem>;

export const shapeInput = {
  name: z.string(),
  // The server checks the whole value; a schema here would lose a field named __proto__.
  fields: z.unknown().describe('The whole field set, such as { "x": "number", "label?": "string" }.'),
  description: z.string().optional(),
};
