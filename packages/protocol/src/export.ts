// Exports, checkpoints and imports on the wire: parameters, the lines of a stream, and the answers of jobs.
import { z } from 'zod';
import { CHECKPOINT_NAME } from './names.ts';
import { description, repoAddress } from './organization.ts';
import { pageInput, pageOf } from './page.ts';
import { COLLECTION_TYPES, RECORD_KINDS } from './vocabulary.ts';

export const exportQuery = z.object({
  prefer: z.literal('async').optional().describe('Mints an asynchronous job instead of streaming.'),
  token: z.string().optional().describe('Redeems a minted job: its exportToken.'),
  mode: z.enum(['heads', 'ops']).default('heads').describe('The export mode. ops answers 501 export-mode-not-enabled.'),
  sinceRepoSeq: z.int().min(0).default(0).describe('Exports only what changed after this sequence.'),
  atRepoSeq: z.int().min(0).optional().describe('Pins the export to this sequence. By default the current sequence.'),
  afterDurableId: z.string().optional().describe('Resumes after this row. Needs atRepoSeq and formatVersion.'),
  afterVersion: z.int().min(1).optional().describe('With afterDurableId, if that row was a shape: its version.'),
  formatVersion: z.int().optional().describe('With afterDurableId: the formatVersion of the opening header.'),
});

const exportHeader = z.object({
  type: z.literal('header'),
  formatVersion: z.int(),
  repo: z.string().describe('org/name at the time of the export.'),
  server: z.string().describe('The origin server. References to other repositories are valid only there.'),
  mode: z.literal('heads'),
  sinceRepoSeq: z.int(),
  atRepoSeq: z.int(),
  commitId: z.string().nullable().describe('The id of the commit at atRepoSeq; null for an empty repository.'),
  exportedAt: z.int(),
});

/** The first line of an export: its repository and its sequence. */
export type ExportHeader = z.infer<typeof exportHeader>;

export const exportRow = z.object({
  type: z.literal('record'),
  kind: z.enum(RECORD_KINDS),
  durableId: z.string(),
  version: z.int(),
  name: z.string().describe('The name at atRepoSeq.'),
  shapeName: z.string().optional(),
  shapeVersion: z.int().optional(),
  collection: z.enum(COLLECTION_TYPES).optional(),
  operation: z.string(),
  active: z.boolean(),
  repoSeq: z.int().describe('The sequence of the commit that wrote this version.'),
  recordRepoSeq: z.int().describe('The sequence of the commit that added the record.'),
  data: z.unknown().describe('The stored and hashed data, with the names of that time.'),
  refs: z.array(z.tuple([z.string(), z.string()])).optional(),
  dataHash: z.string(),
  purged: z
    .literal(true)
    .optional()
    .describe('The data was purged and is empty. The hash is that of the original data.'),
  aboutWref: z.string().optional(),
  aboutDurableId: z.string().optional(),
  reason: z.string().optional(),
  createdBy: z.string(),
  committerWref: z.string().optional(),
  committerDurableId: z.string().optional(),
  recordCreatedAt: z.int(),
  versionCreatedAt: z.int(),
});

/** A record in an export. */
export type ExportRow = z.infer<typeof exportRow>;

/** The last line. A stream without it was cut off. */
const exportEnd = z.object({ type: z.literal('end'), recordCount: z.int() });

/** The last line of an export. */
export type ExportEnd = z.infer<typeof exportEnd>;

export const exportMinted = z.object({ exportToken: z.string(), atRepoSeq: z.int() });
export const exportPending = z.object({ state: z.enum(['pending', 'running']) });
export const exportComplete = z.object({
  url: z.url().describe('Signed, and valid until expiresAt.'),
  expiresAt: z.int(),
  atRepoSeq: z.int(),
  recordCount: z.int().describe('Number of rows. Each version of a shape is a row.'),
  contentSha256: z.string(),
});

/** A new export job, with the token that gives access to it. */
export type ExportMinted = z.infer<typeof exportMinted>;
export type ExportPending = z.infer<typeof exportPending>;
export type ExportComplete = z.infer<typeof exportComplete>;

export const exportStatusInput = z.strictObject({ ...repoAddress, exportToken: z.string().min(1).max(200) });
export const exportStatus = z.union([
  exportPending.extend({ atRepoSeq: z.int() }),
  exportComplete.extend({ state: z.literal('complete') }),
]);

/** The status of an export job. */
export type ExportStatus = z.infer<typeof exportStatus>;

const checkpointName = z
  .string()
  .regex(CHECKPOINT_NAME, 'expected a checkpoint name: 1 to 100 of A-Z, a-z, 0-9, ., _ and -, no dot at the start');

export const checkpoint = z.object({
  name: z.string(),
  description: z.string(),
  atRepoSeq: z.int(),
  state: z.enum(['pending', 'running', 'complete', 'failed']),
  exportToken: z.string().describe('Redeems the checkpoint like any export, as long as it exists.'),
  recordCount: z.int().optional(),
  contentSha256: z.string().optional(),
  createdBy: z.string(),
  createdAt: z.int(),
});

/** An export that the server stores under a name. */
export type Checkpoint = z.infer<typeof checkpoint>;

export const checkpointCreation = z.strictObject({
  ...repoAddress,
  name: checkpointName,
  description: description.default(''),
  atRepoSeq: z.int().min(0).optional().describe('By default the current sequence.'),
});

export const checkpointAddress = z.strictObject({ ...repoAddress, name: checkpointName });
export const checkpointList = z.strictObject({ ...repoAddress, ...pageInput });
export const checkpointPage = pageOf(checkpoint);

export const importBegin = z.strictObject({ ...repoAddress, header: exportHeader });

export const importState = z.object({
  importId: z.string(),
  offset: z.int().describe('Number of rows that the server has. An interrupted import resumes there.'),
});

const importAddress = { ...repoAddress, importId: z.string().min(1).max(100) };

export const importAppend = z.strictObject({
  ...importAddress,
  offset: z.int().min(0).describe('Number of rows that were sent before.'),
  lines: z.string().describe('Rows of the export, as NDJSON lines copied from the file.'),
});

export const importFinish = z.strictObject({ ...importAddress, end: exportEnd });

/** Checking takes several calls: repeat the call until it is complete. */
export const importFinished = z.union([
  z.object({ state: z.literal('checking'), checked: z.int().describe('Number of rows that have been checked.') }),
  z.object({
    state: z.literal('complete'),
    repoSeq: z.int(),
    commitId: z.string(),
    recordCount: z.int(),
  }),
]);

export type ImportFinished = z.infer<typeof importFinished>;

export const importAbort = z.strictObject({
  ...repoAddress,
  importId: z.string().min(1).max(100).optional().describe('By default the current import.'),
});

/** Clearing takes several calls: repeat the call until it is done. */
export const importAborted = z.object({ done: z.boolean() });
