// A repository's description of itself: its shapes, its counts, and the texts that people and agents read first.
import { z } from 'zod';
import { commitInput } from './commit.ts';
import { repoAddress, repository } from './organization.ts';
import { atSequence } from './read.ts';
import { CONTENT_NAMES } from './vocabulary.ts';

export const repositoryReadInput = z.strictObject({ ...repoAddress, ...atSequence });

const kindCounts = z.object({ thing: z.int(), assertion: z.int(), shape: z.int(), collection: z.int() });

const shapeCount = z.object({ name: z.string(), count: z.int().describe('Number of active records.') });

export const repositoryStats = z.object({
  repoSeq: z.int(),
  counts: kindCounts.describe('Number of active records by kind.'),
  retracted: z.int().describe('Number of retracted records.'),
  shapes: z.array(shapeCount),
  lastCommitAt: z.int().nullable(),
});

/** Counts of a repository's records, by kind and by shape. */
export type RepositoryStats = z.infer<typeof repositoryStats>;

const shapeDescription = shapeCount.extend({
  version: z.int(),
  description: z.string().optional(),
  fields: z.unknown().describe('The field set that the shape declares.'),
});

/** A shape with its fields and its record count. */
export type ShapeDescription = z.infer<typeof shapeDescription>;

export const repositoryDescription = z.object({
  repository,
  repoSeq: z.int(),
  counts: kindCounts,
  shapes: z.array(shapeDescription),
  contents: z.array(z.enum(CONTENT_NAMES)).describe('The texts that have been written.'),
});

/** The contents of a repository: its shapes with their fields and counts. */
export type RepositoryDescription = z.infer<typeof repositoryDescription>;

const contentName = z.enum(CONTENT_NAMES);

export const contentInput = z.strictObject({ ...repoAddress, name: contentName, ...atSequence });

export const contentChange = z.strictObject({
  ...repoAddress,
  name: contentName,
  content: z.string(),
  expectedVersion: z
    .int()
    .min(0)
    .optional()
    .describe('Refuses the change if the text is at another version. 0 means not written yet.'),
  message: commitInput.message,
});

export const repositoryContent = z.object({
  name: contentName,
  content: z.string().describe('Empty until first written.'),
  version: z.int().describe('0 until first written.'),
  repoSeq: z.int(),
});

/** A text of a repository, at one version. */
export type RepositoryContent = z.infer<typeof repositoryContent>;
