// Reads of a repository's records: the parameters and answers that the REST reads and the procedures share.
import { z } from 'zod';
import { SHAPE_NAME } from './names.ts';
import { repoAddress } from './organization.ts';
import { pageInput, pageOf } from './page.ts';
import { recordItem } from './record.ts';
import { MEMBER_ROLES, ORDERS, RECORD_KINDS, WHERE_OPS } from './vocabulary.ts';

export { MEMBER_ROLES, ORDERS, type Order, WHERE_OPS, type WhereOp } from './vocabulary.ts';

const WHERE_MAX = 8;
const FIELDS_MAX = 100;

export const wref = z
  .string()
  .min(1)
  .max(1_024)
  .describe('Shape/name, Shape/name@v3, wh:org/repo/Shape/name, or a durable ID.');

export const atSequence = {
  atRepoSeq: z.int().min(0).optional().describe('Reads the state at this sequence of the repository.'),
};

export const retracted = { includeRetracted: z.boolean().optional().describe('Includes retracted records.') };

const predicate = z.strictObject({
  fieldPath: z.string().min(1).max(1_024).describe('A field of the shape, such as position.x.'),
  op: z.enum(WHERE_OPS),
  rhs: z.unknown().optional().describe('The value to compare with: a list for in, true or false for exists.'),
});

/** A condition on a field. */
export type WherePredicate = z.infer<typeof predicate>;

const CONDITION_FORM = `expected { "fieldPath": ..., "op": ..., "rhs": ... }, with an op of ${WHERE_OPS.join(', ')}`;

const where = z
  .array(z.union([z.string().min(1).max(8_192), predicate], { error: CONDITION_FORM }))
  .max(WHERE_MAX)
  .describe('Conditions on fields: path:op:value, or { fieldPath, op, rhs }. All must match. Needs shape.');

const filter = {
  shape: z
    .string()
    .regex(SHAPE_NAME, 'expected a shape name: a letter, then up to 127 letters, digits, _, - and dots')
    .optional()
    .describe('Only records of this shape.'),
  kind: z.enum(RECORD_KINDS).optional().describe('Only records of this kind.'),
  match: z
    .string()
    .min(1)
    .max(1_024)
    .optional()
    .describe('Only records whose full name matches this glob: * stands for part of a segment, ** for anything.'),
  where: where.optional(),
  ...retracted,
  ...atSequence,
};

const listing = {
  order: z
    .enum(ORDERS)
    .optional()
    .describe('By default created; with q the best match first. A minus sign means newest first.'),
  fields: z.array(z.string().min(1).max(1_024)).min(1).max(FIELDS_MAX).optional().describe('Paths of data to return.'),
  ...pageInput,
};

const counting = { count: z.boolean().optional().describe('Returns { repoSeq, count } instead of records.') };

const aboutOptions = {
  resolveCollections: z.boolean().optional().describe('Includes assertions about collections of the record.'),
  role: z.enum(MEMBER_ROLES).optional().describe('With resolveCollections: the role of the record in them.'),
  depth: z.int().min(1).max(3).optional().describe('Levels of assertions about assertions.'),
  acrossRepos: z
    .boolean()
    .optional()
    .describe('Includes assertions in other repositories that you may read, at their head.'),
};

const words = z.string().min(1).max(256).describe('Words that must occur in the name or in strings of the data.');

export const headInput = z.strictObject({ ...repoAddress, ...filter, ...listing, ...counting });
export const aboutInput = z.strictObject({ ...repoAddress, wref, ...filter, ...aboutOptions, ...listing, ...counting });
export const queryInput = z.strictObject({
  ...repoAddress,
  ...filter,
  about: wref.optional().describe('Only assertions about this record.'),
  q: words.optional(),
  ...aboutOptions,
  ...listing,
  ...counting,
});
export const searchInput = z.strictObject({ ...repoAddress, q: words, ...filter, ...listing });
export const countInput = queryInput.omit({ order: true, fields: true, limit: true, cursor: true, count: true });

export type QueryInput = z.output<typeof queryInput>;

const ADDRESS = { orgName: true, repoName: true } as const;

/** REST encodings of parameters that are lists in JSON. */
const asText = {
  where: z
    .array(z.string())
    .optional()
    .describe('A condition as path:op:value, or a JSON array of conditions. Can be repeated.'),
  fields: z.string().optional().describe('Paths of data to return, separated by commas.'),
};

export const rawContentQuery = z.strictObject(atSequence);

export const headQuery = headInput.omit(ADDRESS).extend(asText);
export const queryQuery = queryInput.omit(ADDRESS).extend(asText);
export const aboutQuery = aboutInput.omit({ ...ADDRESS, wref: true }).extend(asText);

const snippet = z.object({
  path: z.string().describe("A JSON pointer into data; '' for the name."),
  text: z.string(),
  matches: z.array(z.tuple([z.int(), z.int()])).describe('Positions of the words in text: start and end.'),
});

/** An excerpt around the matches of a search. */
export type Snippet = z.infer<typeof snippet>;

const listedRecord = recordItem.extend({
  snippet: snippet.optional().describe('With q: an excerpt with the words.'),
});

/** A record in a list. */
export type ListedRecord = z.infer<typeof listedRecord>;

export const recordPage = z.object({
  repoSeq: z.int().describe('The sequence that was read. All pages of a list have the same.'),
  items: z.array(listedRecord),
  nextCursor: z.string().optional().describe('Absent on the last page.'),
  searchedThrough: z.int().optional().describe('With q: the last sequence that the search index covers.'),
});

/** A page of records, and the sequence at which it was read. */
export type RecordPage = z.infer<typeof recordPage>;

export const recordCount = z.object({ repoSeq: z.int(), count: z.int() });

/** A record count, and the sequence at which it was read. */
export type RecordCount = z.infer<typeof recordCount>;

export const recordAnswer = z.union([recordPage, recordCount]);

const direction = z
  .enum(['in', 'out', 'both'])
  .default('both')
  .describe('out: references from the record; in: references to it.');

export const refsInput = z.strictObject({
  ...repoAddress,
  wref,
  direction,
  role: z.string().min(1).max(32).optional().describe('Only references of this role: about, field, from, members, ...'),
  acrossRepos: z.boolean().optional().describe('Includes references from other repositories that you may read.'),
  ...atSequence,
  ...pageInput,
});

const reference = z.object({
  direction: z.enum(['in', 'out']),
  role: z.string().describe('about, field, or a place in a collection: from, to, ends, members, items, first, second.'),
  path: z.string().describe("A JSON pointer into the data of the referring record; '' for about."),
  wref: z.string().describe('The record at the other end, pinned.'),
  durableId: z.string(),
  pinnedVersion: z.int().describe('The version of the target that the reference means.'),
});

/** A reference from one record to another. */
export type ReferenceItem = z.infer<typeof reference>;

export const refsPage = z.object({ repoSeq: z.int(), items: z.array(reference), nextCursor: z.string().optional() });

const nameItem = z.object({
  name: z.string().describe('The full name.'),
  repoSeq: z.int().describe('The sequence of the commit that set the name.'),
  createdBy: z.string().describe('The author of that commit.'),
  imported: z.literal(true).optional().describe('True for the name at import. Earlier names are unknown.'),
  createdAt: z.int(),
});

/** A name of a record, and the sequence from which the record had it. */
export type NameItem = z.infer<typeof nameItem>;

export const namesPage = pageOf(nameItem);

export const graphInput = z.strictObject({
  ...repoAddress,
  wref,
  depth: z.int().min(1).max(5).default(2).describe('Maximum number of references to follow from the record.'),
  direction,
  limit: z.int().min(1).max(500).default(100).describe('Maximum number of records.'),
  includeRetracted: retracted.includeRetracted.describe('Includes retracted records that others still refer to.'),
  ...atSequence,
});

export const graph = z.object({
  repoSeq: z.int(),
  nodes: z.array(
    z.object({
      durableId: z.string(),
      wref: z.string(),
      kind: z.enum(RECORD_KINDS),
      shapeName: z.string().optional(),
      active: z.boolean(),
      distance: z.int().describe('Number of references between the requested record and this one.'),
    }),
  ),
  edges: z.array(
    z.object({
      from: z.string().describe('The durable ID of the referring record.'),
      to: z.string(),
      role: z.string(),
      path: z.string(),
    }),
  ),
  truncated: z.boolean().describe('True if there are more records than the limit.'),
});

/** The neighbourhood of a record, and the references within it. */
export type Graph = z.infer<typeof graph>;

const sinceSequence = z.int().min(0).describe('The sequence to compare with.');

export const changesInput = z.strictObject({
  ...repoAddress,
  sinceRepoSeq: sinceSequence,
  ...atSequence,
  shape: filter.shape,
  kind: filter.kind,
  match: filter.match,
  ...pageInput,
});

const change = z.object({
  durableId: z.string(),
  name: z.string(),
  kind: z.enum(RECORD_KINDS),
  shapeName: z.string().optional(),
  change: z.enum(['added', 'revised', 'retracted', 'restored', 'renamed']),
  version: z.int(),
  versionBefore: z.int().optional().describe('Absent if the record did not exist before.'),
  nameBefore: z.string().optional().describe('The earlier name, if it was another.'),
  repoSeq: z.int().describe('The sequence of the last commit that changed it.'),
});

/** A changed record, and the kind of change. */
export type RecordChange = z.infer<typeof change>;

export const changesPage = z.object({
  sinceRepoSeq: z.int(),
  repoSeq: z.int(),
  items: z.array(change),
  nextCursor: z.string().optional(),
});

export const diffInput = z.strictObject({ ...repoAddress, wref, sinceRepoSeq: sinceSequence, ...atSequence });

const difference = z.object({
  path: z.string().describe('A JSON pointer into data.'),
  change: z.enum(['added', 'removed', 'changed']),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});

/** One difference between two versions of data. */
export type Difference = z.infer<typeof difference>;

export const recordDiff = z.object({
  sinceRepoSeq: z.int(),
  repoSeq: z.int(),
  before: recordItem.nullable().describe('Null if the record did not exist.'),
  after: recordItem,
  differences: z.array(difference),
});

/** The changes in the data of one record. */
export type RecordDiff = z.infer<typeof recordDiff>;
